/**
 * How does latency grow with concurrency? In a closed loop, each VU makes its next call after the answer to
 * the last.
 */
import { defineTest } from '../lib/test.js';
import reference from '../workloads/reference.js';

export const { options, setup, iterate } = defineTest({
  name: 'baseline',
  title: '10, 50, 100 and 200 VUs',
  group: 'load over time',
  about: 'one read operation with 10, 50, 100 and 200 VUs; 1,000 to 20,000 calls',
  judgedBy: 'failures < 1% at each level',
  servers: 'any',
  covers: ['MCP server: Standard Configuration'],
  workload: reference,
  mix: 'get_user',
  phases: [
    { name: 'light', vus: 10, iterations: 1000, duration: '20s' },
    { name: 'medium', vus: 50, iterations: 5000, duration: '40s' },
    { name: 'heavy', vus: 100, iterations: 10_000, duration: '60s' },
    { name: 'extreme', vus: 200, iterations: 20_000, duration: '120s' },
  ],
  objectives: { each: { failure_rate: 0.01 } },
});

/** Does the server sustain its working load? */
import { defineTest } from '../lib/test.js';
import reference from '../workloads/reference.js';

export const { options, setup, iterate } = defineTest({
  name: 'sustained',
  title: '850 requests/s from up to 100 VUs',
  group: 'load over time',
  about: '850 requests/s for 30 minutes from up to 100 VUs; 60% reads, 30% writes, 10% complex calls',
  judgedBy: 'failures < 0.1%, p95 < 210 ms, p99 < 380 ms',
  servers: 'any',
  covers: ['MCP server: Sustained Load Test', 'erlmcp: Sustained Load Benchmark'],
  workload: reference,
  mix: 'mixed',
  phases: [{ name: 'sustained', rate: 850, duration: '30m', users: 100 }],
  objectives: { sustained: { failure_rate: 0.001, p95_ms: 210, p99_ms: 380 } },
});

/**
 * A fixed number of calls from a fixed number of VUs, as in other load generators. Each VU makes its next call
 * when it has an answer.
 */
import { defineTest } from '../lib/test.js';
import reference from '../workloads/reference.js';

export const { options, setup, iterate } = defineTest({
  name: 'load',
  title: '5,000 calls from 100 VUs, or as set by REQUESTS and CONCURRENCY',
  group: 'load over time',
  about:
    '5,000 calls from 100 VUs, or `REQUESTS=10000 CONCURRENCY=200`; `PAYLOAD=file.json` sends your own request',
  judgedBy: 'failures < 1%',
  servers: 'any',
  covers: ['MCP Gateway: Scripted Load Tests'],
  workload: reference,
  mix: 'get_user',
  phases: [{ name: 'load', vus: 100, iterations: 5000, duration: '30m' }],
  asWritten: true,
  objectives: { each: { failure_rate: 0.01 } },
});

/**
 * A number of calls from a number of VUs, as in other load generators: a VU calls again as soon as it has an
 * answer.
 */
import { defineTest } from '../lib/test.js';
import reference from '../workloads/reference.js';

export const { options, setup, iterate } = defineTest({
  name: 'load',
  title: '5,000 calls from 100 users, or as many as REQUESTS and CONCURRENCY say',
  group: 'load over time',
  about:
    '5,000 calls from 100 users, or `REQUESTS=10000 CONCURRENCY=200`; `PAYLOAD=file.json` sends a request of your own',
  judgedBy: 'failures < 1%',
  servers: 'any',
  covers: ['MCP Gateway: Scripted Load Tests'],
  workload: reference,
  mix: 'get_user',
  phases: [{ name: 'load', vus: 100, iterations: 5000, duration: '30m' }],
  asWritten: true,
  objectives: { each: { failure_share: 0.01 } },
});

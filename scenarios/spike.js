/**
 * How far does the server get in a sudden spike, and does it recover by itself? Phases with `overload` are reported but not judged. After
 * it everything must be as before: on the reference target within the document's limits, on any other within 1.5 x its own baseline.
 */
import { defineTest } from '../lib/test.js';
import reference from '../workloads/reference.js';

const normal = { p99_ms: 85, failure_share: 0.001 };

export const { options, setup, iterate } = defineTest({
  name: 'spike',
  title: '100 requests/s, a spike of 2,000, 100 again',
  group: 'load over time',
  about: '100 requests/s for 5 minutes, 2,000 for 2, 100 for 5',
  judgedBy: 'before, and again from 145 s after: p99 < 85 ms, failures < 0.1%',
  servers: 'any',
  covers: ['MCP server: Spike Load Test'],
  workload: reference,
  mix: 'mixed',
  phases: [
    { name: 'baseline', rate: 100, duration: '300s' },
    { name: 'spike', rate: 2000, duration: '120s', overload: true },
    { name: 'recovery', rate: 100, duration: '145s', overload: true },
    { name: 'recovered', rate: 100, duration: '155s' },
  ],
  objectives: { baseline: normal, recovered: normal },
  anyServer: { recovered: { latency_vs_first: 1.5 } },
});

/**
 * How much load does the server handle in a sudden spike, and does it recover? Phases with `overload` are
 * reported but not judged. The phase after the spike is judged by the benchmark document's limits on the
 * reference target, and by 1.5 x the baseline latency on any other server.
 */
import { defineTest } from '../lib/test.js';
import reference from '../workloads/reference.js';

const normal = { p99_ms: 85, failure_rate: 0.001 };

export const { options, setup, iterate } = defineTest({
  name: 'spike',
  title: '100 requests/s, a spike of 2,000, 100 again',
  group: 'load over time',
  about: '100 requests/s for 5 minutes, 2,000 for 2 minutes, 100 for 5 minutes',
  judgedBy: 'before the spike, and from 145 s after it: p99 < 85 ms, failures < 0.1%',
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

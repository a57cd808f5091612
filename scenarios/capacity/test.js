/** How much load does the server sustain? This is one step of the search (trials.ts). */
import { defineTest } from '../../lib/test.js';
import reference from '../../workloads/reference.js';

export const { options, setup, iterate } = defineTest({
  name: 'capacity',
  title: 'the highest rate that holds, and what breaks above it',
  group: 'limits and tuning',
  about:
    'the highest rate at which every objective holds: doubled until one breaks, narrowed down, confirmed by a hold; with `CAPACITY_OF=processes` the number of processes of a `TARGET_COMMAND`',
  judgedBy: 'the hold: p95 < 210 ms, p99 < 380 ms, failures < 1%',
  servers: 'any',
  covers: ['MCP server: Vertical Scaling', 'MCP server: Hardware Recommendations'],
  workload: reference,
  mix: 'mixed',
  asWritten: true,
  warmUp: 'every VU',
  phases: [
    {
      name: 'step',
      rate: Number(__ENV.RATE) || 50,
      duration: '10s',
      ...(__ENV.VUS && { users: Number(__ENV.VUS) }),
    },
  ],
  objectives: { each: { p95_ms: 210, p99_ms: 380, failure_share: 0.01 } },
});

/** How much load can the server sustain? This script is one step of the search (trials.ts). */
import { defineTest } from '../../lib/test.js';
import reference from '../../workloads/reference.js';

export const { options, setup, iterate } = defineTest({
  name: 'capacity',
  title: 'the highest sustainable rate, and what fails above it',
  group: 'limits and tuning',
  about:
    'the highest rate that meets every objective: the test doubles the rate until an objective is missed, narrows it down and confirms it by a hold; `CAPACITY_OF=processes` finds the maximum number of `TARGET_COMMAND` processes',
  judgedBy: 'during the hold: p95 < 210 ms, p99 < 380 ms, failures < 1%',
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
  objectives: { each: { p95_ms: 210, p99_ms: 380, failure_rate: 0.01 } },
});

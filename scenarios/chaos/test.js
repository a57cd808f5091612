/**
 * What breaks when a dependency fails? This is the load around one fault, which trials.ts injects and
 * removes.
 */
import { defineTest } from '../../lib/test.js';
import reference from '../../workloads/reference.js';

export const { options, setup, iterate } = defineTest({
  name: 'chaos',
  title: 'faults in the middle of 100 requests/s: what fails, and how soon it is over',
  group: 'around the server',
  about:
    '20 faults in the middle of 100 requests/s (`FAULTS="latency packet-loss"`; a cut, a killed worker, PostgreSQL restarted, Redis gone ...): failures, refusals, time to recover',
  judgedBy: "as before within 5 s of the fault's end (`RECOVERY_S`); a share of successes meanwhile",
  servers: 'any',
  covers: ['erlmcp: Chaos Engineering Results'],
  workload: reference,
  mix: 'stores',
  warmUp: '3s',
  phases: [
    { name: 'baseline', rate: 100, duration: '20s', labels: { part: 'baseline' } },
    { name: 'fault', rate: 100, duration: '20s', overload: true, labels: { part: 'fault' } },
    { name: 'after', rate: 100, duration: '60s', overload: true, labels: { part: 'after' } },
  ],
  objectives: {},
});

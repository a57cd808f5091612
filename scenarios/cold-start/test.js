/**
 * How long does a server take from its start to its first answers? This is the load of one trial (trials.ts).
 */
import { defineTest } from '../../lib/test.js';
import firstCalls, { firstCallsOf } from '../../workloads/first-calls.js';

const { STEP = 'tools-list', STARTS = '20', PARALLEL = '1' } = __ENV;

/** A fixed number of starts, however long they take, or servers that are up and nearly idle. */
const load =
  STEP === 'rest'
    ? { name: STEP, operation: 'tools-list', rate: 1, users: Number(PARALLEL), duration: '20s' }
    : { name: STEP, operation: STEP, vus: Number(PARALLEL), iterations: Number(STARTS), duration: '120s' };

export const { options, setup, iterate } = defineTest({
  name: 'cold-start',
  title: 'from the start of a server to its first answers',
  group: 'limits and tuning',
  about:
    'time from the start of a server to its first `tools/list` and its first call: 20 starts one after the other; for a program also 4 and 16 at once; memory at rest',
  judgedBy: 'failures < 1%',
  servers: 'any',
  workload: firstCalls,
  fit: firstCallsOf,
  phases: [load],
  asWritten: true,
  // A warm-up would start additional servers next to the measured ones.
  warmUp: 'none',
  objectives: { each: { failure_share: 0.01 } },
});

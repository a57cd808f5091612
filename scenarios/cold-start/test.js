/**
 * How long does a server take from its start to its first answers? This script is the load of one trial
 * (trials.ts).
 */
import { defineTest } from '../../lib/test.js';
import firstCalls, { firstCallsOf } from '../../workloads/first-calls.js';

const { STEP = 'tools-list', STARTS = '20', PARALLEL = '1' } = __ENV;

/** A fixed number of starts of any length, or running servers that are nearly idle. */
const load =
  STEP === 'rest'
    ? { name: STEP, operation: 'tools-list', rate: 1, users: Number(PARALLEL), duration: '20s' }
    : { name: STEP, operation: STEP, vus: Number(PARALLEL), iterations: Number(STARTS), duration: '120s' };

export const { options, setup, iterate } = defineTest({
  name: 'cold-start',
  title: 'time from the start of a server to its first answers',
  group: 'limits and tuning',
  about:
    'time from the start of a server to its first `tools/list` and its first call: 20 sequential starts; for stdio servers also 4 and 16 concurrent starts; idle memory',
  judgedBy: 'failures < 1%',
  servers: 'any',
  workload: firstCalls,
  fit: firstCallsOf,
  phases: [load],
  asWritten: true,
  // A warm-up would start additional servers alongside the measured ones.
  warmUp: 'none',
  objectives: { each: { failure_rate: 0.01 } },
});

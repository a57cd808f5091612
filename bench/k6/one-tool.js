/** Calls one tool through all of lib/, with the scenario BENCH_SCENARIO and without a warm-up. */
import { defineTest } from '../../lib/test.js';

const scenario = JSON.parse(__ENV.BENCH_SCENARIO ?? '');
const { executor, vus, iterations, rate, duration, preAllocatedVUs: users } = scenario;
const closed = { vus, iterations: executor === 'per-vu-iterations' ? vus * iterations : iterations };

const test = defineTest({
  name: 'bench',
  title: 'one tool',
  servers: 'any',
  // TOOL and ARGS select the operation.
  workload: { name: 'bench', operations: {}, mixes: {} },
  mix: '',
  phases: [{ name: 'calls', ...(rate ? { rate, users, duration } : { ...closed, duration: '10m' }) }],
  objectives: { each: { failure_rate: 0.001, p99_ms: 10_000 } },
});

const { calls } = test.options.scenarios ?? {};
if (calls) {
  // The warm-up's requests would count as cost, but not as requests.
  test.options.scenarios = { calls: { ...calls, startTime: '0s', ...scenario } };
}

export const { options, setup, iterate } = test;

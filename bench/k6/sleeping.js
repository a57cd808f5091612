/** Calls a server with known service times at constant rates: one phase for each of BENCH_PHASES. */
import exec from 'k6/execution';
import { Trend } from 'k6/metrics';
import { defineTest } from '../../lib/test.js';

/** @type {import('../accuracy.ts').SleepingPhase[]} */
const phases = JSON.parse(__ENV.BENCH_PHASES ?? '');

/** How long the script waited for each call, by its own clock. */
const waited = new Trend('bench_waited', true);

const test = defineTest({
  name: 'accuracy',
  title: 'known service times at constant rates',
  servers: 'any',
  workload: {
    name: 'sleeping server',
    operations: {
      lookup: {
        class: 'read',
        // Calls of the warm-up have no phase, so the server leaves them out of its log.
        args: ({ phase }) => {
          const of = phases[phase ?? -1];
          return of ? { distribution: of.distribution, phase: of.name } : { distribution: 'constant' };
        },
      },
    },
    mixes: {},
  },
  mix: 'lookup',
  phases: phases.map(({ name, rate, seconds, users }, index) => ({
    name,
    rate,
    duration: `${seconds}s`,
    ...(users && { users }),
    labels: { phase: index },
  })),
  objectives: {},
});

export const { options, setup } = test;

export function iterate(/** @type {any} */ known) {
  const began = exec.instance.currentTestRunDuration;
  test.iterate(known);
  waited.add(exec.instance.currentTestRunDuration - began, { operation: 'lookup' });
}

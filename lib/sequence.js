/** Runs the steps of a sequence with one VU, one after the other. */
import { sleep } from 'k6';
import exec from 'k6/execution';
import { phaseEndSeconds, phaseStartSeconds, stepIterations } from './metrics.js';

/** Requests before a step's measured calls belong to no phase. */
const UNMEASURED = 'warm-up';

/**
 * @param {import('./test.js').SetupData} data
 * @param {import('./user.js').User} user
 */
export function runSequence({ phases, order, startedMs }, user) {
  /** @param {import('./phases.js').PlannedPhase} phase @param {boolean} measured */
  const enter = (phase, measured) => {
    exec.vu.tags.phase = measured ? phase.name : UNMEASURED;
    user.enter(phase.name, measured);
  };
  // Date.now() has a resolution of 1 ms, and a step may take only 6 ms.
  const offsetMs = Date.now() - startedMs - exec.instance.currentTestRunDuration;
  const seconds = () => (offsetMs + exec.instance.currentTestRunDuration) / 1000;
  let iteration = 0;
  /** @param {import('./phases.js').PlannedPhase} phase @param {number} count */
  const call = (phase, count) => {
    // With TOOL all steps call the same single operation.
    const index = phase.operation === undefined ? 0 : user.names.indexOf(phase.operation);
    for (let made = 0; made < count; made += 1) {
      user.call(index, iteration, phase);
      iteration += 1;
    }
  };
  for (const name of order) {
    const phase = /** @type {import('./phases.js').PlannedPhase} */ (phases[name]);
    if (phase.pause_s) sleep(phase.pause_s);
    enter(phase, false);
    call(phase, phase.warm_ups ?? 0);
    const iterations = phase.iterations ?? 0;
    enter(phase, phase.measured);
    if (phase.measured) phaseStartSeconds.add(seconds());
    call(phase, iterations);
    if (!phase.measured) continue;
    phaseEndSeconds.add(seconds());
    stepIterations.add(iterations);
  }
}

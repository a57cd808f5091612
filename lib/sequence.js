/** The steps of a sequence, run by one user, one after the other. Loaded by the tests that have one. */

import { sleep } from 'k6';
import exec from 'k6/execution';
import { phaseEndSeconds, phaseStartSeconds, stepIterations } from './metrics.js';

/** What is sent before a step is measured belongs to no phase. */
const UNMEASURED = 'warm-up';

/**
 * @param {import('./test.js').SetupData} data
 * @param {import('./mcp/client.js').McpClient} client
 * @param {(operation: string | undefined) => import('./mcp/client.js').Sender | undefined} senderOf
 */
export async function runSequence({ phases, order, counting, startedMs }, client, senderOf) {
  const { tags } = exec.vu;
  /** @param {import('./phases.js').PlannedPhase} phase @param {boolean} measured */
  const enter = (phase, measured) => {
    tags.phase = measured ? phase.name : UNMEASURED;
    // k6's own metrics would count what is not measured for the operation of before.
    if (!measured) for (const tag of ['operation', 'method', 'class']) delete tags[tag];
    client.enterPhase(measured, counting.streamed, counting.limits[phase.name]);
  };
  // Date.now() has whole milliseconds, and a step may take six of them.
  const offsetMs = Date.now() - startedMs - exec.instance.currentTestRunDuration;
  const seconds = () => (offsetMs + exec.instance.currentTestRunDuration) / 1000;
  let iteration = 0;
  /** @param {import('./phases.js').PlannedPhase} phase @param {number} count */
  const call = (phase, count) => {
    const send = senderOf(phase.operation);
    if (!send) throw new Error(`no operation for the step ${phase.name}`);
    for (let made = 0; made < count; made += 1) {
      send(iteration, phase);
      iteration += 1;
    }
  };
  for (const name of order) {
    const phase = /** @type {import('./phases.js').PlannedPhase} */ (phases[name]);
    if (client.auth.dueMs <= Date.now()) await client.renew();
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

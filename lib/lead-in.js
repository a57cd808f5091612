/** What comes before a phase of few calls: its users get ready, and begin together. */

import { sleep } from 'k6';

/**
 * Each user makes a call that is not measured, which opens its connection, and waits for the phase's start.
 *
 * @param {import('./test.js').SetupData} data
 * @param {import('./phases.js').PlannedPhase} phase
 * @param {() => void} call
 */
export function leadIn({ startedMs }, phase, call) {
  call();
  const restMs = startedMs + phase.start_s * 1000 - Date.now();
  if (restMs > 0) sleep(restMs / 1000);
}

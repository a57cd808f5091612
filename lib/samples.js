/**
 * Whether k6 keeps every sample in memory to the run's end, or the samples live in Prometheus alone.
 */

import { KEPT_REQUESTS } from '../contract/variables/load.js';

/** What a user without a pause may make each second; only the length of such a phase is planned. */
const CALLS_PER_USER_S = 100;

/**
 * @param {Pick<import('./config.js').Config, 'SAMPLES'>} config
 * @param {import('./phases.js').PlannedPhase[]} phases
 * @returns {'keep' | 'stream'}
 */
export function planSamples({ SAMPLES: wanted }, phases) {
  if (wanted === 'keep' || wanted === 'stream') return wanted;
  const requests = phases.reduce((sum, phase) => sum + requestsOf(phase), 0);
  return requests > KEPT_REQUESTS ? 'stream' : 'keep';
}

/** @param {import('./phases.js').PlannedPhase} phase @returns {number} as many as it may come to */
function requestsOf({ offered_rps, iterations, vus, duration_s }) {
  return iterations ?? (offered_rps ?? (vus ?? 0) * CALLS_PER_USER_S) * duration_s;
}

/** How much load a run may make before it has to be said that so much is meant. */
import { ConfigError } from '../contract/config-error.js';

/**
 * @param {import('./phases.js').PlannedPhase[]} phases
 * @param {Pick<import('./config.js').Config, 'MAX_RATE' | 'MAX_VUS'>} config
 * @throws {ConfigError} naming the variable that raises the limit
 */
export function needWithinLimits(phases, { MAX_RATE, MAX_VUS }) {
  for (const { name, offered_rps, vus } of phases) {
    if (offered_rps !== null && offered_rps > MAX_RATE) {
      tooMuch(
        `the phase ${name} offers ${offered_rps} requests/s, more than ${MAX_RATE}`,
        'MAX_RATE',
        offered_rps,
      );
    }
    if (vus !== null && vus > MAX_VUS) {
      tooMuch(`the phase ${name} has ${vus} users, more than ${MAX_VUS}`, 'MAX_VUS', vus);
    }
  }
}

/**
 * @param {string} what is more than it may be
 * @param {string} variable that raises the limit
 * @param {number | string} enough
 * @returns {never}
 * @throws {ConfigError}
 */
export function tooMuch(what, variable, enough) {
  throw new ConfigError(`${what}; valid: less, or ${variable}=${enough} to allow it`);
}

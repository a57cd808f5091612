/** Limits of a run's load that have to be raised explicitly. */
import { ConfigError } from '../contract/config-error.js';

/**
 * @param {import('./phases.js').PlannedPhase[]} phases
 * @param {Pick<import('./config.js').Config, 'MAX_RATE' | 'MAX_VUS'>} config
 * @throws {ConfigError} names the variable that raises the limit
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
      tooMuch(`the phase ${name} has ${vus} VUs, more than ${MAX_VUS}`, 'MAX_VUS', vus);
    }
  }
}

/**
 * @param {string} what what exceeds the limit
 * @param {string} variable that raises the limit
 * @param {number | string} enough a sufficient value for the variable
 * @returns {never}
 * @throws {ConfigError}
 */
export function tooMuch(what, variable, enough) {
  throw new ConfigError(`${what}; lower it, or set ${variable}=${enough} to allow it`);
}

/** Whether a test can be shared by several load generators. */
import { ConfigError } from './config-error.js';

/** More processes than any machine has use for. */
export const MOST_GENERATORS = 64;

/**
 * @param {Pick<import('./test.js').TestDefinition, 'name' | 'sequence' | 'raw'>} definition
 * @param {import('./phases.js').PlannedPhase[]} phases
 * @param {Pick<import('./config.js').Config, 'GENERATORS' | 'SAMPLES'>} config
 * @throws {ConfigError} where it can't
 */
export function needShareable({ name, sequence, raw }, phases, { GENERATORS, SAMPLES }) {
  if (GENERATORS === 1) return;
  if (sequence || raw)
    throw new ConfigError(
      `GENERATORS is ${GENERATORS}, and ${name} is one thing after another, which can't be shared; valid: 1`,
    );
  if (SAMPLES === 'keep')
    throw new ConfigError(
      `GENERATORS is ${GENERATORS} beside SAMPLES=keep, and several generators meet in Prometheus alone; valid: 1, or another SAMPLES`,
    );
  // k6 gives a generator without a user nothing of the load, and the others do not take it over.
  for (const { name: phase, vus, max_vus } of phases) {
    const users = vus ?? max_vus ?? 0;
    if (users < GENERATORS)
      throw new ConfigError(
        `GENERATORS is ${GENERATORS}, and the phase ${phase} has ${users} ${users === 1 ? 'user' : 'users'}; valid: at most as many as there are users`,
      );
  }
}

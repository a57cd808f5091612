import { ConfigError } from '../contract/config-error.js';
import { SWEPT } from '../contract/variables/experiments.js';
import { VARIABLES } from '../target/config.js';

/**
 * The settings that a sweep can vary, with the values that it takes where none are given.
 *
 * @type {Record<typeof SWEPT[number], {values: string[]}>}
 */
const USUAL = {
  WORKERS: { values: ['1', '2', '4'] },
  POOL_SIZE: { values: ['1', '2', '5', '10', '25'] },
  CACHE_STRATEGY: { values: ['none', 'read-through', 'write-through', 'write-behind'] },
  // Seconds. The document has 30 s to 1 h; a lifetime shows only in a load that is longer than it.
  CACHE_TTL: { values: ['1', '5', '300'] },
  COMPRESSION: { values: ['none', 'gzip'] },
  CONTENT: { values: ['structured', 'text', 'structured-only'] },
};
export const KNOBS = /** @type {Record<string, {values: string[]}>} */ (USUAL);

/**
 * @param {string} knob
 * @param {string[]} given as the user wrote them; none: the knob's own
 * @returns {string[]}
 * @throws {ConfigError} where there is no such knob, or the target would not take one of them
 */
export function valuesOf(knob, given) {
  if (!Object.hasOwn(KNOBS, knob))
    throw new ConfigError(`KNOB is "${knob.slice(0, 80)}"; valid: ${SWEPT.join(', ')}`);
  const values = given.length > 0 ? given : (KNOBS[knob]?.values ?? []);
  const known = /** @type {Record<string, import('../target/environment.js').Variable>} */ (VARIABLES);
  const { parse, valid } = /** @type {import('../target/environment.js').Variable} */ (known[knob]);
  const wrong = values.find((value) => parse(value) === undefined);
  if (wrong !== undefined)
    throw new ConfigError(`VALUES has "${wrong.slice(0, 80)}" for ${knob}; valid: ${valid}`);
  if (new Set(values).size < Math.max(2, values.length)) {
    throw new ConfigError(
      `VALUES is "${values.join(' ').slice(0, 80)}"; valid: two or more different values of ${knob}, separated by spaces`,
    );
  }
  return values;
}

/** Of the stack's PostgreSQL (provisioning/postgres/postgresql.conf), without those that it keeps for its administrators. */
const DATABASE_CONNECTIONS = 97;
const [WORKERS, POOL_SIZE] = [Number(VARIABLES.WORKERS.fallback), Number(VARIABLES.POOL_SIZE.fallback)];

/**
 * Workers and their pools share the database's connections.
 *
 * @param {string} knob
 * @param {string[]} values
 * @param {Record<string, string | undefined>} env where the user may have set the other knob
 * @returns {Record<string, string>} what the target needs beside each of the values, the same for all
 * @throws {ConfigError} where there are not enough for one of them
 */
export function besides(knob, values, env) {
  const most = Math.max(...values.map(Number));
  if (knob === 'WORKERS' && most * given(env.POOL_SIZE, POOL_SIZE) > DATABASE_CONNECTIONS) {
    return { POOL_SIZE: String(Math.max(1, Math.floor(DATABASE_CONNECTIONS / most))) };
  }
  const workers = given(env.WORKERS, WORKERS);
  if (knob === 'POOL_SIZE' && most * workers > DATABASE_CONNECTIONS) {
    throw new ConfigError(
      `VALUES has "${most}" for POOL_SIZE; valid: at most ${Math.floor(DATABASE_CONNECTIONS / workers)} with WORKERS=${workers}, for the database has ${DATABASE_CONNECTIONS} connections`,
    );
  }
  return {};
}

/** @param {string | undefined} value of a setting; `default` takes back what there was @param {number} usual */
const given = (value, usual) => (!value || value === 'default' ? usual : Number(value));

import { ConfigError } from '../../contract/config-error.js';
import { VARIABLES } from '../../target/config.js';
import type { Variable } from '../../target/environment.js';

/** The settings of the reference target that can be swept, with the default of VALUES. */
export const SETTINGS: Record<string, string[]> = {
  WORKERS: ['1', '2', '4'],
  POOL_SIZE: ['1', '2', '5', '10', '25'],
  CACHE_STRATEGY: ['none', 'read-through', 'write-through', 'write-behind'],
  // Seconds. The document has 30 s to 1 h, but a lifetime has an effect only if the load lasts longer.
  CACHE_TTL: ['1', '5', '300'],
  COMPRESSION: ['none', 'gzip'],
  CONTENT: ['structured', 'text', 'structured-only'],
};

/**
 * @param given the user's values; empty = the setting's defaults
 * @throws {ConfigError} if there is no such setting, or if the target rejects a value
 */
export function checkedValues(setting: string, given: string[]): string[] {
  if (!Object.hasOwn(SETTINGS, setting))
    throw new ConfigError(`SETTING is "${setting.slice(0, 80)}"; valid: ${Object.keys(SETTINGS).join(', ')}`);
  const values = given.length > 0 ? given : (SETTINGS[setting] ?? []);
  const { parse, valid } = (VARIABLES as Record<string, Variable>)[setting] as Variable;
  const wrong = values.find((value) => parse(value) === undefined);
  if (wrong !== undefined)
    throw new ConfigError(`VALUES has "${wrong.slice(0, 80)}" for ${setting}; valid: ${valid}`);
  if (new Set(values).size < Math.max(2, values.length))
    throw new ConfigError(
      `VALUES is "${values.join(' ').slice(0, 80)}"; valid: two or more different values of ${setting}, separated by spaces`,
    );
  return values;
}

/**
 * Connections of the stack's PostgreSQL (provisioning/postgres/postgresql.conf), without those reserved for
 * administrators.
 */
const DATABASE_CONNECTIONS = 97;
const [WORKERS, POOL_SIZE] = [Number(VARIABLES.WORKERS.fallback), Number(VARIABLES.POOL_SIZE.fallback)];

/**
 * Chooses WORKERS and POOL_SIZE so that the workers' pools fit in the database's connections.
 *
 * @param env may set WORKERS or POOL_SIZE, whichever is not swept
 * @returns additional settings, which are the same for all values
 * @throws {ConfigError} if the database has too few connections for one of the values
 */
export function neededSettings(
  setting: string,
  values: string[],
  env: Record<string, string | undefined>,
): Record<string, string> {
  const highest = Math.max(...values.map(Number));
  if (setting === 'WORKERS' && highest * numberOr(env.POOL_SIZE, POOL_SIZE) > DATABASE_CONNECTIONS)
    return { POOL_SIZE: String(Math.max(1, Math.floor(DATABASE_CONNECTIONS / highest))) };
  const workers = numberOr(env.WORKERS, WORKERS);
  if (setting === 'POOL_SIZE' && highest * workers > DATABASE_CONNECTIONS)
    throw new ConfigError(
      `VALUES has "${highest}" for POOL_SIZE; valid: at most ${Math.floor(DATABASE_CONNECTIONS / workers)} with WORKERS=${workers}, for the database has ${DATABASE_CONNECTIONS} connections`,
    );
  return {};
}

/** @param value `default` means unset */
const numberOr = (value: string | undefined, fallback: number) =>
  !value || value === 'default' ? fallback : Number(value);

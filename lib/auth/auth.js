/**
 * What lets a run's requests in. Set-up signs in; every user takes over what it hands on (see user-auth.js). On the hot
 * path there is one comparison of `dueMs` with the clock; `headers` is a new object whenever it changes.
 */
import { ConfigError } from '../../contract/config-error.js';
import { hasHeader } from '../../contract/headers.js';
import { signInClient } from './client-credentials.js';
import { discoverGrant } from './discover-grant.js';
import { fixedAuth } from './fixed-auth.js';

/**
 * @typedef {object} Auth
 * @property {Record<string, string>} headers on every request
 * @property {number} dueMs when to call `renew`, milliseconds since the epoch; Infinity: never
 * @property {(text: string) => string} redact takes the secrets out of a text that another program wrote
 * @property {() => Promise<void>} renew
 * @property {() => void} refused to be called after a 401
 *
 * @typedef {import('../config.js').Config} Config
 */

/**
 * @param {Config} config with the secrets in it
 * @throws {ConfigError} where two of its variables contradict each other, or one lacks another
 */
function checkAuth(config) {
  const { TARGET_TOKEN, TARGET_HEADERS, OAUTH_CLIENT_ID, OAUTH_CLIENT_SECRET, OAUTH_CLIENT_KEY } = config;
  const ways = [
    TARGET_TOKEN && 'TARGET_TOKEN',
    OAUTH_CLIENT_ID && 'OAUTH_CLIENT_ID',
    hasHeader(TARGET_HEADERS, 'authorization') && 'an Authorization in TARGET_HEADERS',
  ].filter(Boolean);
  if (ways.length > 1) throw new ConfigError(`${ways.join(' and ')} are set; valid: one of them`);
  if (OAUTH_CLIENT_ID && !OAUTH_CLIENT_SECRET === !OAUTH_CLIENT_KEY) {
    throw new ConfigError(
      'OAUTH_CLIENT_ID is set; valid: with either OAUTH_CLIENT_SECRET or OAUTH_CLIENT_KEY',
    );
  }
}

/**
 * Set-up.
 *
 * @param {Config} config
 * @returns {Promise<{auth: Auth, handOver: unknown}>} handOver: for `takeOver`, fit for set-up's data
 * @throws {ConfigError}
 * @throws {import('../mcp/target-error.js').TargetError}
 */
export async function signIn(config) {
  checkAuth(config);
  if (!config.OAUTH_CLIENT_ID) {
    return { auth: fixedAuth(config.TARGET_TOKEN, config.TARGET_HEADERS), handOver: null };
  }
  const auth = await signInClient(config, discoverGrant(config));
  return { auth, handOver: await auth.handOver() };
}

import secrets from 'k6/secrets';

/**
 * Secrets that k6's secret source can provide. The password of a client certificate is needed before k6 opens
 * the source.
 */
const NAMES = ['TARGET_TOKEN', 'TARGET_HEADERS', 'OAUTH_CLIENT_SECRET'];

/**
 * Reads secrets that the environment does not set from k6's secret source, if SECRET_SOURCE configures one.
 * Set-up and each VU read them separately, because k6 exposes set-up's data in its REST API.
 *
 * @param {Record<string, string | undefined>} env
 * @returns {Promise<Record<string, string | undefined>>}
 */
export async function withSecrets(env) {
  if (!env.SECRET_SOURCE) return env;
  const filled = { ...env };
  for (const name of NAMES) {
    if (env[name]) continue;
    try {
      filled[name] = await secrets.get(name);
    } catch {
      // k6 does not distinguish a missing secret from an unreadable one. Both count as unset.
    }
  }
  return filled;
}

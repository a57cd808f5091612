import secrets from 'k6/secrets';

/** What k6's secret source can give: a client certificate's password is needed before k6 opens the source. */
const NAMES = ['TARGET_TOKEN', 'TARGET_HEADERS', 'OAUTH_CLIENT_SECRET'];

/**
 * Fills in the secrets that the environment leaves empty from k6's secret source, where SECRET_SOURCE gave k6 one.
 * (Set-up and users ask for themselves: k6 shows set-up's data to whoever reaches its REST API.)
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
      // A source does not tell a secret that it lacks from one that it can't read: to us the variable is unset.
    }
  }
  return filled;
}

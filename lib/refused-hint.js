/**
 * Suggests what to check after HTTP 401 or 403.
 *
 * @param {Record<string, string | undefined>} env with the secrets of the secret source
 */
export function refusedHint(env) {
  const [first, ...more] = ['TARGET_TOKEN', 'TARGET_HEADERS'].filter((name) => env[name]);
  if (first)
    return `the server refused ${[first, ...more].join(' and ')}; ${more.length > 0 ? 'are they' : 'is it'} right?`;
  if (env.OAUTH_CLIENT_ID)
    return 'the server refused the token of OAUTH_CLIENT_ID; are OAUTH_SCOPE and OAUTH_RESOURCE right?';
  return 'set TARGET_TOKEN, TARGET_HEADERS or OAUTH_CLIENT_ID';
}

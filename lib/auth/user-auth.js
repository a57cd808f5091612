/** The users' side of auth.js: what set-up found and checked is taken over, without the code that did so. */

import { parseHeaders } from '../../contract/headers.js';
import { fixedAuth } from './fixed-auth.js';
import { withSecrets } from './secret-source.js';

// Most runs need no such code, and every user would hold it.
/** @type {typeof import('./client-credentials.js') | null} */
const oauth = __ENV.OAUTH_CLIENT_ID ? require('./client-credentials.js') : null;

/**
 * @param {any} handOver set-up's
 * @returns {Promise<import('./auth.js').Auth>}
 */
export async function takeOver(handOver) {
  const env = await withSecrets(__ENV);
  const { TARGET_TOKEN = '', OAUTH_CLIENT_ID = '', OAUTH_CLIENT_SECRET = '' } = env;
  const TARGET_HEADERS = parseHeaders(env.TARGET_HEADERS ?? '') ?? {};
  return oauth
    ? oauth.takeOverClient({ OAUTH_CLIENT_ID, OAUTH_CLIENT_SECRET, TARGET_HEADERS }, handOver)
    : fixedAuth(TARGET_TOKEN, TARGET_HEADERS);
}

/**
 * The client's credentials: variables and secrets as client options. Set-up and each VU read the secrets
 * themselves.
 */
import { StdioClient, StreamableHTTPClient } from 'k6/x/mcp';
import { ConfigError } from '../contract/config-error.js';
import { hasHeader, parseHeaders } from '../contract/headers.js';
import { withoutLineEnd } from '../contract/types.js';
import { readVariables } from '../contract/variable.js';
import { target } from '../contract/variables/target.js';

/** k6 opens files only in init code. */
const KEY = readKey();

function readKey() {
  try {
    return __ENV.OAUTH_CLIENT_KEY ? open(__ENV.OAUTH_CLIENT_KEY) : '';
  } catch {
    // Set-up reports it.
    return '';
  }
}

/**
 * @param {import('./config.js').Config} config including the secrets
 * @throws {ConfigError} if two variables contradict each other, or one requires another that is not set
 */
export function checkCredentials(config) {
  const { TARGET_TOKEN, TARGET_HEADERS, OAUTH_CLIENT_ID, OAUTH_CLIENT_SECRET, OAUTH_CLIENT_KEY } = config;
  const ways = [
    TARGET_TOKEN && 'TARGET_TOKEN',
    OAUTH_CLIENT_ID && 'OAUTH_CLIENT_ID',
    hasHeader(TARGET_HEADERS, 'authorization') && 'an Authorization in TARGET_HEADERS',
  ].filter(Boolean);
  if (ways.length > 1) throw new ConfigError(`set only one of ${ways.join(' and ')}`);
  if (OAUTH_CLIENT_ID && !OAUTH_CLIENT_SECRET === !OAUTH_CLIENT_KEY) {
    throw new ConfigError('OAUTH_CLIENT_ID needs either OAUTH_CLIENT_SECRET or OAUTH_CLIENT_KEY');
  }
  if (OAUTH_CLIENT_KEY && !KEY.includes('-----BEGIN PRIVATE KEY-----')) {
    throw new ConfigError(
      `OAUTH_CLIENT_KEY is "${OAUTH_CLIENT_KEY}", which is not a private key; valid: the path of a PEM file in PKCS #8`,
    );
  }
}

/**
 * @param {import('./config.js').Config} config
 * @returns {Omit<import('k6/x/mcp').OAuthOptions, 'clientSecret' | 'privateKey'> | undefined} without a
 *   secret
 */
export function oauthOptions(config) {
  if (!config.OAUTH_CLIENT_ID) return undefined;
  const { OAUTH_TOKEN_URL, OAUTH_CLIENT_AUTH, OAUTH_SCOPE, OAUTH_RESOURCE } = config;
  return {
    clientId: config.OAUTH_CLIENT_ID,
    ...(OAUTH_TOKEN_URL && { tokenUrl: OAUTH_TOKEN_URL }),
    ...(OAUTH_CLIENT_AUTH !== 'auto' && { authMethod: /** @type {any} */ (OAUTH_CLIENT_AUTH) }),
    ...(OAUTH_SCOPE && { scope: OAUTH_SCOPE }),
    ...(OAUTH_RESOURCE && { resource: OAUTH_RESOURCE === 'off' ? '' : OAUTH_RESOURCE }),
    trustedHosts: [...config.TARGET_CONFIRM],
  };
}

/**
 * @param {UserOptions} options without secrets
 * @param {Record<string, string | undefined>} env with the secrets of the secret source
 * @throws {Error} if the options are invalid
 */
export function makeClient({ oauth, ...options }, env) {
  if (env.TARGET_COMMAND) return makeStdioClient(options, env);
  const { TARGET_URL = '', TARGET_TOKEN = '', OAUTH_CLIENT_SECRET = '' } = env;
  const proof = KEY ? { privateKey: KEY } : { clientSecret: withoutLineEnd(OAUTH_CLIENT_SECRET) };
  return new StreamableHTTPClient({
    ...options,
    // The query may contain a key.
    base_url: TARGET_URL,
    headers: { ...options.headers, ...parseHeaders(env.TARGET_HEADERS ?? '') },
    ...(TARGET_TOKEN && { token: withoutLineEnd(TARGET_TOKEN) }),
    ...(oauth && { oauth: { ...oauth, ...proof } }),
  });
}

/** @param {Omit<UserOptions, 'oauth'>} options @param {Record<string, string | undefined>} env */
function makeStdioClient({ timeout, protocolVersion, cache, observe, maxNesting }, env) {
  const { TARGET_COMMAND, TARGET_ENV, PROCESSES } = target;
  const config = readVariables({ TARGET_COMMAND, TARGET_ENV, PROCESSES }, env);
  const [path = '', ...args] = config.TARGET_COMMAND ?? [];
  return new StdioClient({
    path,
    args,
    env: Object.fromEntries((config.TARGET_ENV ?? []).map((name) => [name, env[name] ?? ''])),
    // Set in Docker (scripts/docker.sh).
    ...(env.STDIO_RUNNER && { runner: env.STDIO_RUNNER }),
    processes: /** @type {any} */ (config.PROCESSES),
    timeout,
    protocolVersion,
    cache,
    observe,
    maxNesting,
  });
}

/** @typedef {Omit<import('k6/x/mcp').ClientOptions, 'base_url' | 'token'>} UserOptions */

/**
 * Set-up's client: checks before any load that the server can be called, and reads the server's name and
 * version.
 */
import { shownTarget } from '../contract/command-line.js';
import { ConfigError } from '../contract/config-error.js';
import { MODERN_VERSION } from '../contract/protocols.js';
import { makeClient, oauthOptions } from './credentials.js';
import { refusedHint } from './refused-hint.js';
import { TargetError } from './target-error.js';
import { tlsHint } from './tls.js';
import { unreachable } from './unreachable.js';

/** Two attempts of this length and the start of k6 take less than ten seconds. */
const CONNECT_TIMEOUT_S = 4;
/** The program may have to be installed first, for example by npx. */
const START_TIMEOUT_S = 60;

/** Higher than for calls: one deeply nested schema must not hide all other tools of a list. */
const MAX_NESTING = 10_000;

const VERSIONS = { auto: 'auto', modern: MODERN_VERSION, legacy: 'legacy' };

/**
 * @typedef {object} Connection how the server describes itself
 * @property {'modern' | 'legacy' | null} era null: not MCP
 * @property {string} version of the protocol
 * @property {{name: string, version: string} | null} server
 * @property {Record<string, any>} capabilities
 */

/**
 * @param {import('./config.js').Config} config
 * @param {import('./plan.js').Dialect} dialect
 * @param {{observe?: boolean | undefined, tasks?: boolean | undefined}} [of] observe: the test measures the
 *   size of bodies; tasks: the workload accepts tasks
 * @returns {import('./credentials.js').UserOptions} the options that set-up passes to the VUs; without
 *   secrets, because k6 exposes them
 */
export function clientOptions(config, dialect, { observe = false, tasks = false } = {}) {
  const { TARGET_TIMEOUT, SESSIONS_MODE, CLIENT_CACHE, TASKS, ACCEPT_ENCODING, era, version } = config;
  const oauth = oauthOptions(config);
  return {
    timeout: TARGET_TIMEOUT * 1000,
    protocol: dialect,
    protocolVersion: /** @type {any} */ (version || VERSIONS[era]),
    sessions: /** @type {any} */ (SESSIONS_MODE),
    cache: CLIENT_CACHE,
    tasks: TASKS || tasks,
    observe,
    ...(ACCEPT_ENCODING.length > 0 && { headers: { 'Accept-Encoding': ACCEPT_ENCODING } }),
    ...(oauth && { oauth }),
  };
}

/**
 * @param {import('./credentials.js').UserOptions} options the client options of the run's VUs
 * @param {Record<string, string | undefined>} env with the secrets of the secret source
 * @returns {{client: import('k6/x/mcp').StreamableHTTPClient, url: string, connection: Connection}} the
 *   caller has to close the session, if the server has sessions
 * @throws {ConfigError} if a client cannot be made of the variables
 * @throws {TargetError} with the reason and the next thing to try
 */
export function connect(options, env) {
  const client = asked(options, env);
  const url = shownTarget(env.TARGET_URL ?? '');
  try {
    const { protocolVersion: version, serverInfo, capabilities } = client.connect();
    const era = version === MODERN_VERSION ? 'modern' : 'legacy';
    const server = serverInfo.name ? serverInfo : null;
    return { client, url, connection: { era: version ? era : null, version, server, capabilities } };
  } catch (error) {
    throw new TargetError(whyNot(url, options, env, /** @type {any} */ (error)));
  }
}

/** @param {import('./credentials.js').UserOptions} options @param {Record<string, string | undefined>} env */
function asked(options, env) {
  const timeoutS = env.TARGET_COMMAND ? START_TIMEOUT_S : CONNECT_TIMEOUT_S;
  const own = { timeout: timeoutS * 1000, maxNesting: MAX_NESTING };
  try {
    return makeClient({ ...options, ...own, sessions: 'per-vu' }, env);
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    throw new ConfigError(inVariables(message.replace(/^(StreamableHTTP|Stdio)Client: /, '')));
  }
}

/**
 * @param {string} url
 * @param {import('./credentials.js').UserOptions} options
 * @param {Record<string, string | undefined>} env
 * @param {{message: string, kind?: string}} error
 */
function whyNot(url, { oauth, protocolVersion }, env, { message, kind = '' }) {
  const detail = inVariables(
    message.replace(/^.*? cannot be used: (dial tcp \S+: (connect: )?)?/, ''),
    oauth?.trustedHosts,
  );
  const speaks = kind === 'protocol' ? 'does not speak MCP' : 'cannot be used';
  // Messages about certificates already contain a hint.
  const next = /\bset [A-Z_]+/.test(detail)
    ? ''
    : `; ${hintOf(kind, detail, { url, version: protocolVersion, env })}`;
  return `${url} ${speaks} (${detail})${next}`;
}

/**
 * @param {string} kind
 * @param {string} detail
 * @param {object} of
 * @param {string} of.url
 * @param {string | undefined} of.version of the protocol
 * @param {Record<string, string | undefined>} of.env
 */
function hintOf(kind, detail, { url, version, env }) {
  const late = `no answer within ${CONNECT_TIMEOUT_S} s: is it overloaded, or is TARGET_URL not its MCP endpoint?`;
  const isEndpoint = 'is TARGET_URL an MCP endpoint over Streamable HTTP?';
  const hints = /** @type {Record<string, string>} */ ({
    connect: unreachable(url),
    auth: refusedHint(env),
    timeout: late,
    stalled: late,
    http_4xx: 'is the path of TARGET_URL right? It is often /mcp',
    too_large: isEndpoint,
    rate_limited: 'wait, or raise its rate limit',
    http_5xx: "check the server's log",
    process: 'does TARGET_COMMAND run in a shell, and does it need a variable in TARGET_ENV?',
    protocol: version === 'auto' ? isEndpoint : `try TARGET_PROTOCOL=auto, or ${isEndpoint}`,
  });
  if (/connection refused|no such host/.test(detail)) return unreachable(url);
  const ofWords = HINTS.find(([words]) => words.test(detail))?.[1];
  return tlsHint(detail) ?? ofWords ?? hints[kind] ?? 'try TARGET_PROTOCOL=legacy or TARGET_PROTOCOL=modern';
}

/** Hints by the client's message, for any kind of failure. @type {[RegExp, string][]} */
const HINTS = [
  [/^(.*; initialize: )?a redirect /, "set TARGET_URL to the server's final address"],
  [/^no token: .*(metadata|issuer)/, 'set OAUTH_TOKEN_URL to the token endpoint, if you trust it'],
  [
    /^no token: .*authentication methods/,
    'set OAUTH_CLIENT_SECRET or OAUTH_CLIENT_KEY, or choose a method with OAUTH_CLIENT_AUTH',
  ],
  [/^no token: /, 'are OAUTH_CLIENT_ID, its secret or key, OAUTH_SCOPE and OAUTH_RESOURCE right?'],
];

/**
 * Replaces the client's names of options with the names of our variables.
 *
 * @param {string} detail
 * @param {string[]} [trusted]
 */
const inVariables = (detail, trusted = []) =>
  detail
    .replace(/set tokenUrl/, 'set OAUTH_TOKEN_URL')
    .replace(/^oauth: authMethod: /, 'OAUTH_CLIENT_AUTH: ')
    .replace(/^oauth: privateKey: /, 'OAUTH_CLIENT_KEY: ')
    .replace(
      /set trustedHosts: \['(.*?)'\]/,
      (_, host) => `set TARGET_CONFIRM=${[...trusted, host].join(',')} or OAUTH_TOKEN_URL`,
    );

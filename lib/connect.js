/** Set-up's client: it finds out, before any load, whether there is a server that can be called, and who it is. */
import { StreamableHTTPClient } from 'k6/x/mcp';
import { MODERN_VERSION } from '../contract/protocols.js';
import { credentialsOf, oauthOptions } from './credentials.js';
import { TargetError } from './target-error.js';
import { tlsHint } from './tls.js';
import { unreachable } from './unreachable.js';

/** Two attempts of this length and a start of k6 stay under ten seconds. */
const CONNECT_TIMEOUT_S = 4;

/** One schema that is nested too deeply for a call is no reason to know nothing of all others. */
const MAX_NESTING = 10_000;

const VERSIONS = { auto: 'auto', modern: MODERN_VERSION, legacy: 'legacy' };

/**
 * @typedef {object} Connection what a server said of itself
 * @property {'modern' | 'legacy' | null} era null: not MCP
 * @property {string} version of the protocol
 * @property {{name: string, version: string} | null} server
 * @property {Record<string, any>} capabilities
 */

/**
 * @param {import('./config.js').Config} config
 * @param {import('./plan.js').Dialect} dialect
 * @param {boolean} [observe]
 * @returns {import('k6/x/mcp').ClientOptions} what set-up hands to users: no secrets, for k6 shows it
 */
export function clientOptions(config, dialect, observe = false) {
  const { TARGET_URL, TARGET_TIMEOUT, SESSIONS_MODE, CLIENT_CACHE, ACCEPT_ENCODING, era, version } = config;
  const oauth = oauthOptions(config);
  return {
    base_url: TARGET_URL,
    timeout: TARGET_TIMEOUT * 1000,
    protocol: dialect,
    protocolVersion: /** @type {any} */ (version || VERSIONS[era]),
    sessions: /** @type {any} */ (SESSIONS_MODE),
    cache: CLIENT_CACHE,
    observe,
    ...(ACCEPT_ENCODING.length > 0 && { headers: { 'Accept-Encoding': ACCEPT_ENCODING } }),
    ...(oauth && { oauth }),
  };
}

/**
 * @param {import('k6/x/mcp').ClientOptions} options of a run's users
 * @param {Record<string, string | undefined>} env with what the secret source has
 * @returns {{client: StreamableHTTPClient, url: string, connection: Connection}} with a session open where there are any, for the caller to close
 * @throws {TargetError} with the reason and the next thing to try
 */
export function connect(options, env) {
  const { withSecrets, redact } = credentialsOf(env);
  const client = new StreamableHTTPClient(
    withSecrets({
      ...options,
      timeout: CONNECT_TIMEOUT_S * 1000,
      sessions: 'per-vu',
      maxNesting: MAX_NESTING,
    }),
  );
  try {
    const { protocolVersion: version, serverInfo, capabilities } = client.connect();
    const era = version === MODERN_VERSION ? 'modern' : 'legacy';
    const server = serverInfo.name ? serverInfo : null;
    return {
      client,
      url: shown(options.base_url),
      connection: { era: version ? era : null, version, server, capabilities },
    };
  } catch (error) {
    throw new TargetError(redact(whyNot(options, /** @type {any} */ (error))));
  }
}

/** Without a query, which may hold a key. @param {string} url */
const shown = (url) => url.replace(/[?#].*$/, '');

/**
 * @param {import('k6/x/mcp').ClientOptions} options
 * @param {{message: string, kind?: string, status?: number}} error
 */
function whyNot({ base_url: url, oauth, protocolVersion: asked }, { message, kind = '', status }) {
  const said = inVariables(message.replace(/^.*? cannot be used: (dial tcp \S+: (connect: )?)?/, ''));
  const next =
    kind === 'auth' && !status && !tlsHint(said) && oauth ? hintOfToken() : hintOf(kind, said, url, asked);
  const speaks = kind === 'protocol' ? 'does not speak MCP' : 'cannot be used';
  // What is to be trusted says by itself what to try.
  return `${shown(url)} ${speaks} (${said}${/, set [A-Z]/.test(said) ? ')' : `); ${next}`}`;
}

const hintOfToken = () => 'are OAUTH_CLIENT_ID, its secret or key, OAUTH_SCOPE and OAUTH_RESOURCE right?';

/** @param {string} kind @param {string} said @param {string} url @param {string} [asked] a protocol version */
function hintOf(kind, said, url, asked) {
  const late = `no answer within ${CONNECT_TIMEOUT_S} s: is it overloaded, or is TARGET_URL not its MCP endpoint?`;
  const isEndpoint = 'is TARGET_URL an MCP endpoint over Streamable HTTP?';
  const hints = /** @type {Record<string, string>} */ ({
    connect: unreachable(url),
    auth: 'set TARGET_TOKEN, TARGET_HEADERS or OAUTH_CLIENT_ID',
    timeout: late,
    stalled: late,
    http_4xx: 'is the path of TARGET_URL right? It is often /mcp',
    too_large: isEndpoint,
    rate_limited: 'wait, or raise its rate limit',
    http_5xx: "look at the server's own log",
    protocol: asked === 'auto' ? isEndpoint : `try TARGET_PROTOCOL=auto, or ${isEndpoint}`,
  });
  return tlsHint(said) ?? hints[kind] ?? 'try TARGET_PROTOCOL=legacy or TARGET_PROTOCOL=modern';
}

/** The client names its options: what they are called here. @param {string} said */
const inVariables = (said) =>
  said
    .replace(/set tokenUrl/, 'set OAUTH_TOKEN_URL')
    .replace(/set trustedHosts: \['(.*?)'\]/, 'set TARGET_CONFIRM=$1 or OAUTH_TOKEN_URL');

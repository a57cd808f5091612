/**
 * Finds out, once and before any load, how a target wants to be spoken to.
 */
import http from 'k6/http';
import { asText } from '../../contract/as-text.js';
import { LEGACY_VERSIONS, MODERN_VERSION } from '../../contract/protocols.js';
import { fixedAuth } from '../auth/fixed-auth.js';
import { tlsHint } from '../auth/tls.js';
import { unreachable } from '../unreachable.js';
import { AskingClient } from './asking-client.js';
import { serverInfo } from './client.js';
import { MODERN_ERRORS, SERVER_INFO_KEY } from './protocol.js';
import { TargetError } from './target-error.js';

/** Two attempts of this length and a start of k6 stay under ten seconds. */
const CONNECT_TIMEOUT_S = 4;

/** The stream stays open, and k6 hands its text out at the end of this. */
const ENDPOINT_TIMEOUT_MS = 1000;

const KNOWN = [MODERN_VERSION, ...LEGACY_VERSIONS];

/**
 * A modern request first; what only a legacy server answers means initialize.
 *
 * @param {Pick<import('../config.js').Config, 'TARGET_URL' | 'TARGET_TOKEN' | 'TARGET_HEADERS' | 'era' | 'version'>} config
 * @param {import('../auth/auth.js').Auth} [auth]
 * @returns {AskingClient} connected; in the legacy era with a session open, for the caller to close
 * @throws {TargetError} with the reason and the next thing to try
 */
export function connect(config, auth = fixedAuth(config.TARGET_TOKEN, config.TARGET_HEADERS)) {
  const { TARGET_URL: url, era, version: forced } = config;
  const settings = { auth, timeoutS: CONNECT_TIMEOUT_S };
  let [version = ''] = LEGACY_VERSIONS;
  if (era !== 'legacy') {
    const { modern, offered } = discover(url, settings);
    if (modern) return modern;
    if (era === 'modern') {
      const others = offered ? ` (it lists ${listed(offered)})` : '';
      throw new TargetError(
        `${url} does not speak MCP ${MODERN_VERSION}${others}; try TARGET_PROTOCOL=legacy or TARGET_PROTOCOL=auto`,
      );
    }
    if (offered) {
      const common = LEGACY_VERSIONS.find((known) => offered.includes(known));
      if (!common)
        throw new TargetError(`${url} speaks MCP ${listed(offered)} alone; known: ${KNOWN.join(', ')}`);
      version = common;
    }
  }
  return initialize(url, settings, forced || version, forced !== '');
}

/**
 * @param {string} url
 * @param {{auth: import('../auth/auth.js').Auth, timeoutS: number}} settings
 * @param {string} version to ask for
 * @param {boolean} forced
 */
function initialize(url, settings, version, forced) {
  const connection = { url, era: /** @type {const} */ ('legacy'), version, server: null, capabilities: {} };
  const client = new AskingClient(connection, settings);
  const failure = client.open();
  if (failure) {
    if (failure.kind === 'http_4xx' && isHttpSse(client)) {
      throw new TargetError(
        `${url} speaks the HTTP+SSE transport of 2024-11-05, which answers on another stream than the request's and ` +
          'can not be loaded; is there a Streamable HTTP endpoint, often /mcp?',
      );
    }
    throw refusal(url, failure, settings.auth);
  }
  const settled = client.connection.version.slice(0, 40).replace(/[^\w.-]/g, '?');
  if (forced && settled !== version) {
    client.close();
    throw new TargetError(
      `${url} settles on protocol version ${settled} where ${version} is asked for; ` +
        `set TARGET_PROTOCOL=${settled} or leave it unset`,
    );
  }
  if (!LEGACY_VERSIONS.includes(settled)) {
    client.close();
    throw new TargetError(`${url} wants protocol version "${settled}"; known: ${KNOWN.join(', ')}`);
  }
  return client;
}

/**
 * The deprecated transport: a GET opens a stream whose first event names where to POST to.
 *
 * @param {AskingClient} client
 */
function isHttpSse(client) {
  const get = client.makeCall('GET', {}).http;
  const { body } = http.get(client.connection.url, { ...get, timeout: `${ENDPOINT_TIMEOUT_MS}ms` });
  return /^event: ?endpoint$/m.test(String(body ?? '').replaceAll('\r', ''));
}

/**
 * @param {string} url
 * @param {{auth: import('../auth/auth.js').Auth, timeoutS: number}} settings
 * @returns {{modern: AskingClient | null, offered: string[] | null}} offered: the versions of a server that lists them
 */
function discover(url, settings) {
  const connection = {
    url,
    era: /** @type {const} */ ('modern'),
    version: MODERN_VERSION,
    server: null,
    capabilities: {},
  };
  const client = new AskingClient(connection, settings);
  const call = client.makeCall('server/discover', {});
  // Not recorded: that a legacy server refuses this is no failure of it.
  let { answer, response } = client.exchange(call);
  let error = errorOf(response.body);
  if (
    error?.code === MODERN_ERRORS.unsupportedVersion &&
    versionsIn(error.data?.supported)?.includes(MODERN_VERSION)
  ) {
    ({ answer, response } = client.exchange(call));
    error = errorOf(response.body);
  }

  const { failure, result } = answer;
  if (!failure) {
    const offered = versionsIn(result.supportedVersions);
    if (!offered?.includes(MODERN_VERSION)) return { modern: null, offered };
    const server = serverInfo(result._meta?.[SERVER_INFO_KEY] ?? result.serverInfo);
    client.connection = { ...connection, server, capabilities: result.capabilities ?? {} };
    return { modern: client, offered };
  }
  // Nothing that initialize would mend.
  if (failure.kind === 'connect' || [401, 403, 429].includes(response.status))
    throw refusal(url, failure, settings.auth);
  if (response.status >= 300 && response.status < 400) {
    const location = String(response.headers.Location ?? '').slice(0, 200);
    throw new TargetError(`${url} redirects to ${location}; set TARGET_URL to where the server really is`);
  }
  switch (error?.code) {
    case MODERN_ERRORS.headerMismatch:
    case MODERN_ERRORS.missingCapability:
      throw new TargetError(`${url} refuses the modern handshake with ${error.code}: ${failure.detail}`);
    case MODERN_ERRORS.unsupportedVersion:
      return { modern: null, offered: versionsIn(error.data?.supported) };
    default:
      return { modern: null, offered: null };
  }
}

/** @param {unknown} versions @returns {string[] | null} */
const versionsIn = (versions) =>
  Array.isArray(versions) ? versions.map(asText).filter((version) => /^[\w.-]{1,40}$/.test(version)) : null;

/** @param {string[]} versions */
const listed = (versions) => versions.slice(0, 10).join(', ') || 'no version';

/** @param {any} body */
function errorOf(body) {
  try {
    return JSON.parse(body)?.error;
  } catch {
    return undefined;
  }
}

/**
 * @param {string} url
 * @param {import('./answer.js').Failure} failure
 * @param {import('../auth/auth.js').Auth} auth
 */
function refusal(url, { kind, detail }, auth) {
  const next = {
    connect: tlsHint(detail) ?? unreachable(url),
    timeout: `no answer within ${CONNECT_TIMEOUT_S} s: is it overloaded, or is TARGET_URL not its MCP endpoint?`,
    http_4xx: /^HTTP 40[13]/.test(detail)
      ? 'set TARGET_TOKEN, TARGET_HEADERS or OAUTH_CLIENT_ID'
      : 'is the path of TARGET_URL right? It is often /mcp',
    rate_limited: 'wait, or raise its rate limit',
    http_5xx: "look at the server's own log",
    protocol: 'is TARGET_URL an MCP endpoint over Streamable HTTP?',
    jsonrpc: 'try TARGET_PROTOCOL=legacy or TARGET_PROTOCOL=modern',
    tool: '',
    unexpected: '',
  }[kind];
  return new TargetError(
    `${url} ${kind === 'protocol' ? 'does not speak MCP' : 'cannot be used'} (${auth.redact(detail)}); ${next}`,
  );
}

/**
 * Finds out, once and before any load, how a target wants to be spoken to.
 */
import encoding from 'k6/encoding';
import http from 'k6/http';
import { readAnswer } from './answer.js';
import { McpClient, serverInfo } from './client.js';
import {
  LEGACY_VERSIONS,
  MODERN_ERRORS,
  MODERN_META,
  MODERN_VERSION,
  requestHeaders,
  SERVER_INFO_KEY,
} from './protocol.js';
import { TargetError } from './target-error.js';

/** Two attempts of this length and a start of k6 stay under ten seconds. */
const CONNECT_TIMEOUT_S = 4;

/**
 * A modern request first; what only a legacy server answers means initialize.
 *
 * @param {object} target
 * @param {string} target.url
 * @param {string} target.token
 * @param {string} target.era auto, modern or legacy
 * @returns {McpClient} connected; in the legacy era with a session open, for the caller to close
 * @throws {TargetError} with the reason and the next thing to try
 */
export function connect({ url, token, era }) {
  if (era !== 'legacy') {
    const modern = discover(url, token);
    if (modern) return modern;
    if (era === 'modern') {
      throw new TargetError(
        `${url} does not speak MCP ${MODERN_VERSION}; try MCP_ERA=legacy or MCP_ERA=auto`,
      );
    }
  }
  const connection = {
    url,
    era: /** @type {const} */ ('legacy'),
    version: LEGACY_VERSIONS[0] ?? '',
    server: null,
  };
  const client = new McpClient(connection, { token, timeoutS: CONNECT_TIMEOUT_S });
  const failure = client.open();
  if (failure) throw refusal(url, failure);
  if (!LEGACY_VERSIONS.includes(client.connection.version)) {
    throw new TargetError(
      `${url} wants protocol version "${String(client.connection.version).slice(0, 40)}"; ` +
        `known: ${[MODERN_VERSION, ...LEGACY_VERSIONS].join(', ')}`,
    );
  }
  return client;
}

/**
 * @param {string} url
 * @param {string} token
 * @returns {McpClient | null} null: not a modern server
 */
function discover(url, token) {
  const method = 'server/discover';
  const params = {};
  const headers = requestHeaders(
    { era: 'modern', version: MODERN_VERSION, token, session: '', method, params },
    encoding.b64encode,
  );
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { _meta: MODERN_META } });
  const response = http.post(url, body, {
    headers,
    tags: { name: method },
    timeout: `${CONNECT_TIMEOUT_S}s`,
    redirects: 0,
    responseType: 'text',
  });
  const { failure, result } = readAnswer(response, 1);
  if (failure === null) {
    const versions = Array.isArray(result.supportedVersions) ? result.supportedVersions : [MODERN_VERSION];
    if (!versions.includes(MODERN_VERSION)) return null;
    const server = serverInfo(result._meta?.[SERVER_INFO_KEY]);
    const connection = { url, era: /** @type {const} */ ('modern'), version: MODERN_VERSION, server };
    return new McpClient(connection, { token, timeoutS: CONNECT_TIMEOUT_S });
  }
  // Nothing that initialize would mend.
  const hopeless =
    ['connect', 'timeout', 'http_5xx'].includes(failure.kind) || [401, 403, 429].includes(response.status);
  if (hopeless) throw refusal(url, failure);
  if (response.status >= 300 && response.status < 400) {
    const location = String(response.headers.Location ?? '').slice(0, 200);
    throw new TargetError(`${url} redirects to ${location}; set TARGET_URL to where the server really is`);
  }
  const code = errorCode(String(response.body));
  if (code === MODERN_ERRORS.headerMismatch || code === MODERN_ERRORS.missingCapability) {
    throw new TargetError(`${url} refuses the modern handshake with ${code}: ${failure.detail}`);
  }
  return null;
}

/** @param {string} body */
function errorCode(body) {
  try {
    return JSON.parse(body)?.error?.code;
  } catch {
    return undefined;
  }
}

/**
 * @param {string} url
 * @param {import('./answer.js').Failure} failure
 */
function refusal(url, { kind, detail }) {
  const next = {
    connect: 'is the server running, and is TARGET_URL right?',
    timeout: `no answer within ${CONNECT_TIMEOUT_S} s: is it overloaded, or is TARGET_URL not its MCP endpoint?`,
    http_4xx: /^HTTP 40[13]/.test(detail)
      ? 'set TARGET_TOKEN'
      : 'is the path of TARGET_URL right? It is often /mcp',
    rate_limited: 'wait, or raise its rate limit',
    http_5xx: "look at the server's own log",
    protocol: 'is TARGET_URL an MCP endpoint over Streamable HTTP?',
    jsonrpc: 'try MCP_ERA=legacy or MCP_ERA=modern',
    tool: '',
    unexpected: '',
  }[kind];
  return new TargetError(
    `${url} ${kind === 'protocol' ? 'does not speak MCP' : 'cannot be used'} (${detail}); ${next}`,
  );
}

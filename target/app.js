import { localhostOriginValidation } from '@modelcontextprotocol/node';
import { bearerCheck } from './bearer.js';
import { compressed } from './compression.js';
import { faults } from './faults/faults.js';
import { stretch } from './faults/tool-call.js';
import { TOOLS } from './mcp.js';
import { readBody } from './request-body.js';
import { isToolPath, refuseRest } from './rest/endpoint.js';

/** Label for unknown values, and for values that a client could choose freely. */
const OTHER = 'other';

const LISTEN = 'subscriptions/listen';
const METHODS = new Set([
  'initialize',
  'notifications/initialized',
  'notifications/cancelled',
  'ping',
  'server/discover',
  LISTEN,
  'tools/list',
  'tools/call',
  'tasks/get',
  'tasks/update',
  'tasks/cancel',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'prompts/list',
  'prompts/get',
  'completion/complete',
]);
const TOOL_NAMES = new Set(TOOLS.map(({ name }) => name));

/** JSON-RPC error codes. */
const PARSE_ERROR = -32700;
const SERVER_ERROR = -32000;

/** In a JSON body, this text can only be a member of the result: inside a string, the quotes would be escaped. */
const IS_ERROR = '"isError":true';

/** @typedef {(request: Request, options: {parsedBody?: unknown}) => Promise<Response>} Fetch serves one MCP request */
/** @typedef {(request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse) => Promise<void>} Handler */

/**
 * Creates the handler of POST /mcp (with sessions, also GET and DELETE) for authorized requests.
 * @param {Fetch} serve
 * @param {import('./metrics.js').Metrics} metrics
 * @param {Pick<import('./config.js').Config, 'compression'>} config
 * @returns {Handler}
 */
export function createMcpEndpoint(serve, metrics, { compression }) {
  // Starts the series at 0: rate() would miss the first error of a series that begins with it.
  for (const tool of TOOL_NAMES) {
    metrics.toolErrors.inc({ endpoint: tool }, 0);
    metrics.databaseQueries.inc({ tool }, 0);
  }
  return async (request, response) => {
    const start = performance.now();
    const labels = { method: request.method ?? OTHER, endpoint: request.method ?? OTHER };
    const gone = new AbortController();
    response.on('close', () => response.writableFinished || gone.abort());

    /** @type {unknown} */
    let message;
    if (request.method === 'POST') {
      const text = await readBody(request);
      if (text === undefined) {
        // The rest of a body that is too large is not read, so the connection can't be reused.
        response.setHeader('Connection', 'close');
        return refuse({ response, metrics, start, status: 413, message: 'request body too large' });
      }
      message = parse(text);
      if (message === undefined) {
        const refusal = { status: 400, code: PARSE_ERROR, message: 'request body is not JSON' };
        return refuse({ response, metrics, start, ...refusal });
      }
      Object.assign(labels, labelsOf(message));
    }
    const answer = await serve(toRequest(request, gone.signal), { parsedBody: message });
    const stretched =
      faults.stretch_percent > 0 && labels.method === 'tools/call' ? () => stretch(start) : undefined;
    const { size, failed } = await send({ answer, response, gone: gone.signal, compression, stretched });
    if (failed) metrics.toolErrors.inc({ endpoint: labels.endpoint });
    // How long a client keeps an event stream open is not a latency, so it is not observed.
    if ((request.method === 'GET' || labels.method === LISTEN) && answer.ok) return;
    metrics.responseSize.observe({ endpoint: labels.endpoint }, size);
    metrics.observeRequest({ ...labels, status: answer.status }, start);
  };
}

/**
 * Creates the handler of all requests: it authorizes, limits and routes them.
 * @param {object} parts
 * @param {import('./config.js').Config} parts.config
 * @param {import('./metrics.js').Metrics} parts.metrics
 * @param {() => Promise<number>} parts.limit see {@link import('./rate-limit.js').createRateLimit}
 * @param {Handler} parts.endpoint serves MCP
 * @param {Handler} parts.restEndpoint serves POST /tools/{tool}/call
 * @param {() => Promise<import('./health.js').Health>} parts.health
 * @param {() => Promise<string>} parts.renderMetrics
 * @returns {Handler}
 */
export function createApp({ config, metrics, limit, endpoint, restEndpoint, health, renderMetrics }) {
  const hasToken = bearerCheck(config.token);
  const validateOrigin = localhostOriginValidation();

  /**
   * Checks a request's token and the rate limit, and answers those that it refuses.
   * @param {import('node:http').IncomingMessage} request
   * @param {import('node:http').ServerResponse} response
   * @param {(status: number, message: string) => void} refuseWith
   * @returns {Promise<boolean>} whether the request may proceed
   */
  async function admits(request, response, refuseWith) {
    if (!validateOrigin(request, response)) return false;
    if (!hasToken(request)) {
      response.setHeader('WWW-Authenticate', 'Bearer realm="mcp"');
      refuseWith(401, 'a valid bearer token is required');
      return false;
    }
    const wait = await limit();
    if (wait === 0) return true;
    metrics.rateLimitHits.inc();
    response.setHeader('Retry-After', wait);
    refuseWith(429, 'rate limit exceeded');
    return false;
  }

  /** @type {Record<string, Handler>} */
  const routes = {
    async '/mcp'(request, response) {
      const start = performance.now();
      /** @param {number} status @param {string} message */
      const refuseWith = (status, message) => refuse({ response, metrics, start, status, message });
      if (await admits(request, response, refuseWith)) await endpoint(request, response);
    },
    async '/health'(_request, response) {
      const state = await health();
      const status = state.status === 'up' ? 200 : 503;
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(state));
    },
    async '/metrics'(_request, response) {
      const text = await renderMetrics();
      response.writeHead(200, { 'Content-Type': metrics.registry.contentType }).end(text);
    },
  };

  /** @type {Handler} */
  async function callTool(request, response) {
    const start = performance.now();
    /** @param {number} status @param {string} detail */
    const refuseWith = (status, detail) => {
      refuseRest(response, status, detail);
      metrics.observeRequest({ method: OTHER, endpoint: OTHER, status }, start);
    };
    if (await admits(request, response, refuseWith)) await restEndpoint(request, response);
  }

  return async (request, response) => {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    const route = Object.hasOwn(routes, path) ? routes[path] : undefined;
    if (route) await route(request, response);
    else if (isToolPath(path)) await callTool(request, response);
    else response.writeHead(404).end();
  };
}

/**
 * Answers a request with an error before a message was read.
 * @param {object} refusal
 * @param {import('node:http').ServerResponse} refusal.response
 * @param {import('./metrics.js').Metrics} refusal.metrics
 * @param {number} refusal.start when the request arrived, by performance.now()
 * @param {number} refusal.status
 * @param {string} refusal.message
 * @param {number} [refusal.code] JSON-RPC error code
 */
function refuse({ response, metrics, start, status, message, code = SERVER_ERROR }) {
  const text = JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null });
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(text);
  metrics.observeRequest({ method: OTHER, endpoint: OTHER, status }, start);
}

/** @param {string} text */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns labels of bounded cardinality, whatever clients send.
 * @param {any} message
 */
function labelsOf(message) {
  const method = METHODS.has(message?.method) ? message.method : OTHER;
  if (method !== 'tools/call') return { method, endpoint: method };
  const name = message.params?.name;
  return { method, endpoint: TOOL_NAMES.has(name) ? name : OTHER };
}

/**
 * Returns the part of a web Request that the SDK reads if it is given a parsed body. Creating a complete Request
 * (undici's) would take a fifth of the CPU time of a simple call.
 * @param {import('node:http').IncomingMessage} request
 * @param {AbortSignal} signal
 */
function toRequest({ method, url, headers }, signal) {
  const get = (/** @type {string} */ name) => headers[name.toLowerCase()] ?? null;
  return /** @type {Request} */ (/** @type {unknown} */ ({ method, url, headers: { get }, signal }));
}

/**
 * @param {object} parts
 * @param {Response} parts.answer
 * @param {import('node:http').ServerResponse} parts.response
 * @param {AbortSignal} parts.gone
 * @param {string} parts.compression
 * @param {() => Promise<void>} [parts.stretched] the delay of a fault, awaited before the answer is sent
 * @returns {Promise<{size: number, failed: boolean}>} size of the body in bytes, and whether it reports a failed tool
 * call
 */
async function send({ answer, response, gone, compression, stretched }) {
  const headers = Object.fromEntries(answer.headers);
  if (!headers['content-type']?.startsWith('text/event-stream')) {
    const body = await answer.text();
    if (stretched) await stretched();
    const failed = body.includes(IS_ERROR);
    if (compression === 'gzip') {
      const { bytes, headers: more } = await compressed(body, response.req.headers['accept-encoding']);
      const size = bytes.byteLength;
      response.writeHead(answer.status, { ...headers, ...more, 'content-length': size }).end(bytes);
      return { size, failed };
    }
    const size = Buffer.byteLength(body);
    response.writeHead(answer.status, { ...headers, 'content-length': size }).end(body);
    return { size, failed };
  }
  response.writeHead(answer.status, headers);
  // A stream may have no event for a long time, and its client waits for the headers.
  if (response.req.method === 'GET') response.flushHeaders();
  let size = 0;
  let failed = false;
  const reader = /** @type {ReadableStream<Uint8Array>} */ (answer.body).getReader();
  gone.addEventListener('abort', () => reader.cancel().catch(() => {}), { once: true });
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    // A call's answer has one event.
    if (stretched && size === 0) await stretched();
    size += value.byteLength;
    // Each chunk is a complete event.
    failed ||= Buffer.from(value.buffer, value.byteOffset, value.byteLength).includes(IS_ERROR);
    response.write(value);
  }
  response.end();
  return { size, failed };
}

/**
 * A server for what the official SDKs can't be made to do: a behaviour each path, both eras where nothing else is said.
 */
import { createServer } from 'node:http';
import { listen } from './listen.js';

const MODERN = '2026-07-28';

/**
 * @typedef {object} Exchange
 * @property {any} message of the client; undefined on a GET or DELETE
 * @property {import('node:http').IncomingMessage} request
 * @property {import('node:http').ServerResponse} response
 * @property {(result: any) => void} answer the client's request, as JSON
 */

/** @param {Exchange} exchange @param {number} code @param {object} [data] */
function refuse({ message, response }, code, data) {
  const error = { code, message: 'refused', ...(data && { data }) };
  response
    .writeHead(400, { 'Content-Type': 'application/json' })
    .end(JSON.stringify({ jsonrpc: '2.0', id: message.id, error }));
}

/** @param {import('node:http').ServerResponse} response */
const sse = (response) => response.writeHead(200, { 'Content-Type': 'text/event-stream' });

/** @param {Exchange} exchange @param {string} protocolVersion @param {string} [session] */
function initialize({ answer, response }, protocolVersion, session) {
  if (session) response.setHeader('Mcp-Session-Id', session);
  answer({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'scripted', version: '1' } });
}

/** @param {Exchange} exchange */
const discover = ({ answer }) =>
  answer({
    resultType: 'complete',
    supportedVersions: [MODERN],
    capabilities: { tools: {} },
    ttlMs: 0,
    cacheScope: 'private',
  });

/** @param {string[]} supported @returns {(exchange: Exchange) => void} a dual server that lists other versions */
const unsupported = (supported) => (exchange) => {
  const { message } = exchange;
  if (message.params?._meta) refuse(exchange, -32022, { supported, requested: MODERN });
  else if (message.method === 'initialize') initialize(exchange, message.params.protocolVersion);
  else exchange.answer({ tools: [] });
};

/** @param {string} version @returns {(exchange: Exchange) => void} a legacy server that answers this version to any */
const settlesOn = (version) => (exchange) => {
  if (exchange.message.params?._meta) refuse(exchange, -32600);
  else if (exchange.message.method === 'initialize') initialize(exchange, version);
  else exchange.answer({ tools: [] });
};

/** The transport of 2024-11-05. */
const httpSse = (/** @type {Exchange} */ { request, response }) => {
  if (request.method === 'GET') sse(response).write('event: endpoint\r\ndata: /messages?sessionId=1\r\n\r\n');
  else response.writeHead(405).end();
};

let sessions = 0;
/** @type {unknown} id of the request that a stream is still to answer */
let unanswered;

/** @type {Record<string, (exchange: Exchange) => void>} */
const BEHAVIOURS = {
  '2025-03-26': settlesOn('2025-03-26'),
  '2099-01-01': settlesOn('2099-01-01'),
  'http-sse': httpSse,
  'lists-legacy': unsupported(['2025-11-25', '2025-06-18']),
  'lists-unknown': unsupported(['2099-01-01']),
  /** Any method at all has an empty result, server/discover too. */
  vague: (exchange) => {
    if (exchange.message.method === 'initialize') initialize(exchange, '2025-11-25');
    else exchange.answer({});
  },
  pages: (exchange) => {
    const { message, answer } = exchange;
    if (message.method === 'server/discover') return discover(exchange);
    const page = Number(message.params.cursor ?? 0);
    answer({ tools: [{ name: `tool-${page}` }], ...(page < 2 && { nextCursor: String(page + 1) }) });
  },
  'endless-pages': (exchange) => {
    if (exchange.message.method === 'server/discover') discover(exchange);
    else exchange.answer({ tools: [], nextCursor: 'more' });
  },
  /** Resumable, and a resumed stream stays open after the reply. */
  'stays-open': (exchange) => {
    const { message, request, response } = exchange;
    if (request.method === 'GET') {
      const reply = { jsonrpc: '2.0', id: unanswered, result: { content: [] } };
      const last = request.headers['last-event-id'];
      // The first reconnection brings progress alone.
      if (last === 'a') sse(response).write('id: b\nretry: 20\ndata: {"jsonrpc":"2.0","method":"x"}\n\n');
      else sse(response).write(`id: c\ndata: ${JSON.stringify(reply)}\n\n`);
    } else if (message?.method === 'tools/call') {
      unanswered = message.id;
      sse(response).end('id: a\nretry: 50\ndata: \n\n');
    } else settlesOn('2025-11-25')(exchange);
  },
  /** Resumable, and each stream ends. */
  resumes: (exchange) => {
    const { message, request, response } = exchange;
    if (request.method === 'GET') {
      const reply = { jsonrpc: '2.0', id: unanswered, result: { content: [] } };
      const progressed = request.headers['last-event-id'] === 'b';
      sse(response).end(progressed ? `data: ${JSON.stringify(reply)}\n\n` : 'id: b\ndata: {}\n\n');
    } else if (message?.method === 'tools/call') {
      unanswered = message.id;
      sse(response).end('id: a\nretry: 50\ndata: \n\n');
    } else settlesOn('2025-11-25')(exchange);
  },
  /** Every session is gone as soon as it is used. */
  amnesia: (exchange) => {
    const { message, response } = exchange;
    if (message?.params?._meta) return refuse(exchange, -32600);
    if (message?.method === 'initialize') {
      sessions += 1;
      return initialize(exchange, '2025-11-25', `s${sessions}`);
    }
    const known = message?.method === 'notifications/initialized';
    response.writeHead(known ? 202 : 404).end();
  },
  /** Asks for more whatever it gets. */
  asks: (exchange) => {
    if (exchange.message.method === 'server/discover') discover(exchange);
    else exchange.answer({ resultType: 'input_required', requestState: 'again' });
  },
  /** What only a model could answer. */
  samples: (exchange) => {
    if (exchange.message.method === 'server/discover') discover(exchange);
    else {
      const inputRequests = {
        a: { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } },
      };
      exchange.answer({ resultType: 'input_required', inputRequests });
    }
  },
  /** All that an event stream may hold before the reply, and the reply in several lines. */
  'odd-sse': (exchange) => {
    const { message, response } = exchange;
    if (message.params?._meta) return refuse(exchange, -32600);
    if (message.method === 'initialize') return initialize(exchange, '2025-11-25');
    const ping = { jsonrpc: '2.0', id: message.id, method: 'ping' };
    const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1 } };
    sse(response).end(
      `\ufeff: hello\r\nid: 1\r\nretry: 10\r\ndata:\r\n\r\ndata: ${JSON.stringify(ping)}\r\rdata: ${JSON.stringify(progress)}\n\n` +
        `event: message\rdata: {"jsonrpc": "2.0",\rdata: "id": ${message.id},\rdata: "result": {"content": []}}\r\r`,
    );
  },
};

/** @returns {Promise<{url: string, requests: {path: string, method: string}[], close: () => Promise<void>}>} */
export async function startScriptedServer() {
  /** @type {{path: string, method: string}[]} */
  const requests = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const message = body === '' ? undefined : JSON.parse(body);
    const path = (request.url ?? '').slice(1);
    requests.push({ path, method: message?.method ?? request.method });
    const behaviour = BEHAVIOURS[path];
    if (!behaviour) response.writeHead(404).end();
    else if (message && message.id === undefined) response.writeHead(202).end();
    else {
      behaviour({
        message,
        request,
        response,
        answer: (result) =>
          response
            .writeHead(200, { 'Content-Type': 'application/json' })
            .end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result })),
      });
    }
  });
  return { ...(await listen(server)), requests };
}

/** Two servers that do not speak MCP: a gateway with plain JSON-RPC, and tools behind a REST interface with users. */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from './listen.js';

/** @param {import('node:http').ServerResponse} response @param {number} status @param {unknown} body */
function sendJson(response, status, body) {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

/** @type {Record<string, (params: any) => {result: unknown} | {error: {code: number, message: string}}>} */
const METHODS = {
  convert_time: ({ time }) => ({ result: time === undefined ? null : `${time}+1` }),
  'tools/list': () => ({ result: { tools: [{ name: 'add', inputSchema: { type: 'object' } }] } }),
  'tools/call': ({ name, arguments: { a, b } }) =>
    name === 'add' ? { result: { sum: a + b } } : { error: { code: -32602, message: 'no such tool' } },
};

/**
 * @returns {Promise<{url: string, requests: {headers: import('node:http').IncomingHttpHeaders, message: any}[],
 *   close: () => Promise<void>}>}
 */
export async function startGateway() {
  /** @type {{headers: import('node:http').IncomingHttpHeaders, message: any}[]} */
  const requests = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    if (request.url !== '/gateway/rpc' || request.method !== 'POST') return response.writeHead(404).end();
    const message = JSON.parse(body);
    requests.push({ headers: request.headers, message });
    const method = METHODS[message.method];
    const outcome = method
      ? method(message.params)
      : { error: { code: -32601, message: 'Method not found' } };
    sendJson(response, 200, { jsonrpc: '2.0', id: message.id, ...outcome });
  });
  const { url, close } = await listen(server);
  return { url: `${url}/gateway/rpc`, requests, close };
}

/** The users' tools, as in a server with roles. */
const ALLOWED = /** @type {Record<string, string[]>} */ ({
  dev_user: ['list_files', 'read file/of mine', 'broken', 'busy', 'down', 'odd'],
  guest_user: ['list_files'],
});

/** @type {Record<string, (response: import('node:http').ServerResponse) => void>} */
const ODD_TOOLS = {
  broken: (response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>It works</h1>'),
  busy: (response) => sendJson(response, 429, { detail: 'slow down' }),
  down: (response) => sendJson(response, 503, { detail: 'maintenance' }),
  odd: (response) => sendJson(response, 202, { queued: true }),
};

/**
 * @typedef {{user: string, tool: string, body: any}} RestCall
 *
 * @returns {Promise<{url: string, calls: RestCall[], close: () => Promise<void>}>}
 */
export async function startRestServer() {
  /** @type {RestCall[]} */
  const calls = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const [, segment] = /^\/v1\/tools\/([^/]+)\/call$/.exec(request.url ?? '') ?? [];
    if (!segment || request.method !== 'POST') return sendJson(response, 404, { detail: 'no such path' });
    const tool = decodeURIComponent(segment);
    const user = String(request.headers['x-user-id'] ?? '');
    calls.push({ user, tool, body: JSON.parse(body) });
    if (!ALLOWED[user]) return sendJson(response, 401, { detail: 'who are you?' });
    if (!ALLOWED[user].includes(tool)) return sendJson(response, 403, { detail: `not for ${user}` });
    if (ODD_TOOLS[tool]) return ODD_TOOLS[tool](response);
    sendJson(response, 200, { result: { files: ['a', 'b'] } });
  });
  const { url, close } = await listen(server);
  return { url: `${url}/v1`, calls, close };
}

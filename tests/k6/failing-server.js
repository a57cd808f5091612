/**
 * A server that fails on purpose, one way a path: the test subject for telling failures apart over a real socket.
 */
import { createServer } from 'node:http';

/** @typedef {(response: import('node:http').ServerResponse, id: unknown) => void} Behaviour */

/** @param {unknown} value */
const json = (value) => JSON.stringify(value);

/** @param {number} status @param {string} [type] @param {string} [body] @param {Record<string, string>} [headers] @returns {Behaviour} */
const answer =
  (status, type = 'application/json', body = '', headers = {}) =>
  (response) =>
    response.writeHead(status, { 'Content-Type': type, ...headers }).end(body);

/** @type {Record<string, Behaviour>} path -> behaviour; the part of the path before the dash is the failure's kind */
const BEHAVIOURS = {
  'ok-json': (response, id) =>
    response
      .writeHead(200, { 'Content-Type': 'application/json' })
      .end(json({ jsonrpc: '2.0', id, result: {} })),
  'ok-sse': (response, id) =>
    response
      .writeHead(200, { 'Content-Type': 'text/event-stream' })
      .end(
        `: hi\r\nid: 1\r\ndata:\r\n\r\ndata: ${json({ jsonrpc: '2.0', method: 'notifications/progress' })}\r\n\r\n` +
          `event: message\r\ndata: ${json({ jsonrpc: '2.0', id, result: {} })}\r\n\r\n`,
      ),
  'connect-reset': (response) => response.socket?.destroy(),
  'connect-cut': (response) => {
    response
      .writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '1000' })
      .write('{"jsonrpc":');
    setTimeout(() => response.socket?.destroy(), 20);
  },
  'timeout-silent': () => {},
  'timeout-half': (response) =>
    response.writeHead(200, { 'Content-Type': 'application/json' }).write('{"jsonrpc":'),
  'timeout-sse': (response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(': waiting\n\n');
  },
  'http_4xx-401': answer(401, 'text/plain', 'who are you?'),
  'http_4xx-404': answer(
    404,
    'application/json',
    json({ error: { code: -32601, message: 'no such method' } }),
  ),
  'rate_limited-429': answer(429, 'text/plain', 'slow down', { 'Retry-After': '1' }),
  'http_5xx-500': answer(500, 'text/html', '<h1>oops</h1>'),
  'http_5xx-503': answer(503),
  'protocol-html': answer(200, 'text/html', '<!doctype html><h1>Welcome</h1>'),
  'protocol-empty': answer(202),
  'protocol-truncated': answer(200, 'application/json', '{"jsonrpc":"2.0","id":1,"result":{'),
  'protocol-redirect': answer(307, 'text/plain', '', { Location: '/protocol-redirect' }),
  'protocol-binary': (response) =>
    response
      .writeHead(200, { 'Content-Type': 'application/json' })
      .end(Buffer.from([0xff, 0xfe, 0x7b, 0x00])),
  'protocol-id': answer(200, 'application/json', json({ jsonrpc: '2.0', id: 'other', result: {} })),
  'jsonrpc-error': (response, id) =>
    response
      .writeHead(200, { 'Content-Type': 'application/json' })
      .end(json({ jsonrpc: '2.0', id, error: { code: -32602, message: 'bad arguments' } })),
  'tool-error': (response, id) =>
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(
      json({
        jsonrpc: '2.0',
        id,
        result: { isError: true, content: [{ type: 'text', text: '\u001b[31mno such\nplace\u2028' }] },
      }),
    ),
  'unexpected-input': (response, id) =>
    response
      .writeHead(200, { 'Content-Type': 'application/json' })
      .end(json({ jsonrpc: '2.0', id, result: { resultType: 'input_required' } })),
};

export const PATHS = Object.keys(BEHAVIOURS);

/**
 * @returns {Promise<{url: string, close: () => Promise<void>}>} on a free port of 127.0.0.1
 */
export async function startFailingServer() {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const behaviour = BEHAVIOURS[(request.url ?? '').slice(1)];
    const id = body === '' ? undefined : JSON.parse(body).id;
    if (behaviour) behaviour(response, id);
    else response.writeHead(404).end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve(undefined));
      }),
  };
}

/** A server of 2026-07-28 on 127.0.0.1 with one read-only tool, `job`. */
import { createServer } from 'node:http';

/** @typedef {(message: any, response: import('node:http').ServerResponse) => object | undefined | Promise<object | undefined>} Handler */

/**
 * @param {number} port
 * @param {object} server
 * @param {string} server.name
 * @param {object} [server.extensions] for its capabilities
 * @param {Record<string, Handler>} server.methods handlers by method. Each returns a result, or nothing if it answers itself
 */
export function startJobServer(port, { name, extensions, methods }) {
  /** @type {Record<string, Handler>} */
  const handlers = {
    'server/discover': () => ({
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {}, ...(extensions && { extensions }) },
      serverInfo: { name, version: '1.0.0' },
    }),
    'tools/list': () => ({
      resultType: 'complete',
      tools: [{ name: 'job', annotations: { readOnlyHint: true }, inputSchema: { type: 'object' } }],
    }),
    ...methods,
  };
  createServer(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    let body = '';
    for await (const part of request.setEncoding('utf8')) body += part;
    const message = JSON.parse(body);
    const handler = handlers[message.method] ?? (() => ({ resultType: 'complete' }));
    const result = await handler(message, response);
    if (!result) return;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
  }).listen(port, '127.0.0.1');
}

/** An MCP server that lets a client in and whose list of tools never ends, one way a path. */
import { createServer } from 'node:http';
import { listen } from './listen.js';

/** @type {Record<string, (id: number) => object | null>} path -> the result of tools/list; null: no answer */
const LISTS = {
  'new-pages-for-ever': (id) => ({ tools: [], nextCursor: String(id) }),
  'big-pages-for-ever': (id) => ({
    tools: [{ name: `tool-${id}`, description: 'x'.repeat(2 ** 20) }],
    nextCursor: String(id),
  }),
  'silent-list': () => null,
};

const INITIALIZED = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: '\u001b[31mendless', version: '1' },
};

/** @returns {Promise<{url: string, close: () => Promise<void>}>} on a free port of 127.0.0.1 */
export async function startEndlessListServer() {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { id, method } = JSON.parse(body || '{}');
    if (method === 'server/discover') return response.writeHead(404).end();
    if (id === undefined) return response.writeHead(202).end();
    const result = method === 'initialize' ? INITIALIZED : LISTS[(request.url ?? '').slice(1)]?.(id);
    if (!result) return;
    response
      .writeHead(200, { 'Content-Type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
  return listen(server);
}

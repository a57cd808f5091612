/** An MCP server of the official SDK behind a door: a token, a header, a client certificate. */
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { listen } from './listen.js';

function createMcpServer() {
  const server = new McpServer({ name: 'guarded', version: '1.0.0' });
  server.registerTool('whoami', { description: 'Who calls', annotations: { readOnlyHint: true } }, () => ({
    content: [{ type: 'text', text: 'someone who may' }],
  }));
  return server;
}

/**
 * @typedef {import('node:http').IncomingMessage} Request
 * @typedef {import('node:http').ServerResponse} Response
 *
 * @param {object} settings
 * @param {(request: Request) => Promise<string | null> | string | null} [settings.refuse] why not, as the text of a 401
 * @param {Record<string, string>} [settings.challenge] headers of that 401
 * @param {import('node:https').ServerOptions} [settings.tls]
 * @param {Record<string, (origin: string) => unknown>} [settings.documents] path -> JSON that everyone may read
 * @param {number} [settings.port]
 */
export async function startGuardedServer({ refuse, challenge, tls, documents = {}, port }) {
  const mcp = toNodeHandler(createMcpHandler(createMcpServer, { legacy: 'stateless' }));
  /** @param {Request} request @param {Response} response */
  const handle = async (request, response) => {
    const path = request.url ?? '';
    if (documents[path]) {
      response
        .writeHead(200, { 'Content-Type': 'application/json' })
        .end(JSON.stringify(documents[path](url)));
      return;
    }
    const why = await refuse?.(request);
    if (why) response.writeHead(401, { 'Content-Type': 'text/plain', ...challenge }).end(why);
    else if (path === '/mcp') await mcp(request, response);
    else response.writeHead(404).end();
  };
  const server = tls ? createHttpsServer(tls, handle) : createHttpServer(handle);
  const { url, close } = await listen(server, port);
  return { origin: url, url: `${url}/mcp`, close };
}

/** @param {Request} request */
export const bearerOf = (request) => /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';

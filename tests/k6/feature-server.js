/**
 * A server of the official SDK, in both eras, that offers one of everything a client must be able to use and
 * remembers what it was asked.
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  acceptedContent,
  completable,
  createMcpHandler,
  fromJsonSchema,
  inputRequired,
  isLegacyRequest,
  McpServer,
  ResourceTemplate,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { listen } from './listen.js';

/** How long a resource may be kept, ms. */
export const TTL_MS = 60_000;

/** What the server waits before it goes on with an answer whose stream it closed, and what it has clients wait, ms. */
const SLOW_MS = 300;
/** A timer of Node's counts from the beginning of the loop's turn that sets it: it may fire so much early, ms. */
const EARLY_MS = 20;
const RETRY_MS = 100;

/** @type {any} */
const ROUTED_SCHEMA = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    place: { type: 'object', properties: { floor: { type: 'integer', 'x-mcp-header': 'Floor' } } },
  },
};
const ROUTED = fromJsonSchema(ROUTED_SCHEMA);

/** @param {string} value @returns {any} */
const text = (value) => ({ content: [{ type: 'text', text: value }] });

function createMcpServer() {
  const server = new McpServer(
    { name: 'features', version: '1.0.0' },
    {
      capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {}, logging: {} },
      cacheHints: { 'resources/read': { ttlMs: TTL_MS, cacheScope: 'private' } },
    },
  );
  server.registerTool('echo', { inputSchema: z.object({ message: z.string() }) }, ({ message }) =>
    text(message),
  );
  // The SDK checks the Mcp-Param-* headers of modern calls against the arguments.
  server.registerTool('routed', { inputSchema: ROUTED }, (/** @type {any} */ args) =>
    text(JSON.stringify(args)),
  );
  server.registerTool('confirm', { inputSchema: z.object({}) }, (_args, ctx) => {
    const asked = z.object({ sure: z.boolean(), name: z.string().min(3) });
    const given = acceptedContent(ctx.mcpReq.inputResponses, 'sure', asked);
    if (given) return text(`${given.sure} ${given.name.length >= 3}`);
    return inputRequired({
      inputRequests: { sure: inputRequired.elicit({ message: 'Sure?', requestedSchema: asked }) },
    });
  });
  server.registerTool('slow', { inputSchema: z.object({}) }, async (_args, ctx) => {
    ctx.http?.closeSSE?.();
    await new Promise((resolve) => setTimeout(resolve, SLOW_MS + EARLY_MS));
    return text('late');
  });
  server.registerResource('one', 'note://one', {}, (uri) => ({ contents: [{ uri: uri.href, text: 'one' }] }));
  const complete = {
    name: (/** @type {string} */ start) => ['ann', 'bob'].filter((name) => name.startsWith(start)),
  };
  server.registerResource(
    'greeting',
    new ResourceTemplate('greeting://{name}', { list: undefined, complete }),
    {},
    (uri) => ({ contents: [{ uri: uri.href, text: 'hello' }] }),
  );
  server.registerPrompt(
    'greet',
    { argsSchema: z.object({ name: completable(z.string(), complete.name) }) },
    ({ name }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Greet ${name}` } }] }),
  );
  server.server.setRequestHandler('resources/subscribe', () => ({}));
  server.server.setRequestHandler('resources/unsubscribe', () => ({}));
  return server;
}

/** Events of one session, so that a stream can be resumed. */
class Events {
  /** @type {{streamId: string, message: any}[]} */
  #all = [];

  /** @param {string} streamId @param {any} message */
  async storeEvent(streamId, message) {
    this.#all.push({ streamId, message });
    return String(this.#all.length);
  }

  /** @param {string} id @param {{send: (id: string, message: any) => Promise<void>}} sender */
  async replayEventsAfter(id, { send }) {
    const streamId = this.#all[Number(id) - 1]?.streamId ?? '';
    for (let next = Number(id); next < this.#all.length; next += 1) {
      const event = this.#all[next];
      if (event?.streamId === streamId) await send(String(next + 1), event.message);
    }
    return streamId;
  }
}

/**
 * @typedef {object} Recorded
 * @property {string} verb of HTTP
 * @property {any} message
 * @property {import('node:http').IncomingHttpHeaders} headers
 *
 * @returns {Promise<{url: string, requests: Recorded[], openSessions: () => number, close: () => Promise<void>}>}
 */
export async function startFeatureServer() {
  /** @type {Recorded[]} */
  const requests = [];
  /** @type {Map<string, WebStandardStreamableHTTPServerTransport>} */
  const sessions = new Map();

  /** @param {Request} request @param {any} options */
  async function serveLegacy(request, options) {
    const id = request.headers.get('mcp-session-id');
    if (id !== null) {
      const session = sessions.get(id);
      return session
        ? session.handleRequest(request, options)
        : new Response('no such session', { status: 404 });
    }
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: new Events(),
      retryInterval: RETRY_MS,
      onsessioninitialized: (created) => {
        sessions.set(created, transport);
      },
      onsessionclosed: (closed) => {
        sessions.delete(closed);
      },
    });
    await createMcpServer().connect(transport);
    return transport.handleRequest(request, options);
  }

  const modern = createMcpHandler(createMcpServer, { legacy: 'reject' });
  const handle = toNodeHandler({
    fetch: async (request, options) =>
      (await isLegacyRequest(request, options?.parsedBody))
        ? serveLegacy(request, options)
        : modern.fetch(request, options),
  });
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const message = body === '' ? undefined : JSON.parse(body);
    requests.push({ verb: request.method ?? '', message, headers: request.headers });
    await handle(request, response, message);
  });
  const { url, close } = await listen(server);
  return {
    url: `${url}/mcp`,
    requests,
    openSessions: () => sessions.size,
    async close() {
      await modern.close();
      await Promise.all([...sessions.values()].map((transport) => transport.close()));
      await close();
    },
  };
}

/** A small legacy MCP server, stateless, whose offer a test chooses; and a proxy. Both keep what they were sent. */
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { listen } from './listen.js';

/**
 * @typedef {object} Recorded a POST's body
 * @property {string} method
 * @property {any} params
 *
 * @typedef {object} Recorder
 * @property {string} url
 * @property {Recorded[]} requests
 * @property {() => Promise<void>} close
 */

/**
 * @param {(body: string, request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse) => unknown} answer
 * @param {number} [onPort] a free one by default
 * @param {import('node:https').ServerOptions} [tls]
 * @returns {Promise<Recorder>}
 */
async function record(answer, onPort = 0, tls) {
  /** @type {Recorded[]} */
  const requests = [];
  /** @type {import('node:http').RequestListener} */
  const handle = async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    if (body === '') requests.push({ method: `HTTP ${request.method}`, params: {} });
    else requests.push(JSON.parse(body));
    await answer(body, request, response);
  };
  const { url, close } = await listen(tls ? createTlsServer(tls, handle) : createServer(handle), onPort);
  return { url: `${url}/mcp`, requests, close };
}

/**
 * @param {object} offer
 * @param {any[]} [offer.tools]
 * @param {any[]} [offer.resources]
 * @param {any[]} [offer.prompts]
 * @param {string} [offer.name] the server's for itself
 * @param {import('node:https').ServerOptions} [offer.tls]
 * @param {boolean} [offer.closes] the connection after each answer
 * @param {(name: string, args: any) => any} [call] the result of tools/call, or a promise of it; throws: HTTP 500, or the error's `status`
 * @param {number} [port] a free one by default
 * @returns {Promise<Recorder>}
 */
export function startOffering(offer, call = () => ({ content: [] }), port = 0) {
  const { tools, resources, prompts, name: serverName = 'offering', tls, closes } = offer;
  /** @type {Record<string, (params: any) => any>} */
  const methods = {
    initialize: ({ protocolVersion }) => ({
      protocolVersion,
      capabilities: {
        ...(tools && { tools: {} }),
        ...(resources && { resources: {} }),
        ...(prompts && { prompts: {} }),
      },
      serverInfo: { name: serverName, version: '1' },
    }),
    ping: () => ({}),
    'tools/list': () => ({ tools }),
    'tools/call': ({ name, arguments: args }) => call(name, args),
    'resources/list': () => ({ resources }),
    'resources/templates/list': () => ({ resourceTemplates: [] }),
    'resources/read': ({ uri }) => ({ contents: [{ uri, text: 'x' }] }),
    'prompts/list': () => ({ prompts }),
    'prompts/get': () => ({ messages: [] }),
  };
  return record(
    async (body, _, response) => {
      const { id, method, params } = body === '' ? {} : JSON.parse(body);
      if (closes) response.setHeader('Connection', 'close');
      if (id === undefined) return response.writeHead(202).end();
      const found = methods[method];
      let reply;
      try {
        reply = found
          ? { result: await found(params ?? {}) }
          : { error: { code: -32601, message: 'no such method' } };
      } catch (error) {
        const { status = 500 } = /** @type {{status?: number}} */ (error);
        return response.writeHead(status, { 'Content-Type': 'text/plain' }).end(String(error));
      }
      return response
        .writeHead(200, { 'Content-Type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, ...reply }));
    },
    port,
    tls,
  );
}

/** @param {string} url of an MCP server @returns {Promise<Recorder>} */
export function startRecordingProxy(url) {
  return record(async (body, request, response) => {
    const headers = Object.fromEntries(
      Object.entries(request.headers).filter(
        ([name]) => !['host', 'connection', 'content-length'].includes(name),
      ),
    );
    const { method } = request;
    const answer = await fetch(url, {
      method: method ?? 'POST',
      headers: /** @type {Record<string, string>} */ (headers),
      ...(body !== '' && { body }),
    });
    const sent = Buffer.from(await answer.arrayBuffer());
    const kept = [...answer.headers].filter(([name]) => /^(content-type|mcp-)/.test(name));
    response.writeHead(answer.status, Object.fromEntries(kept)).end(sent);
  });
}

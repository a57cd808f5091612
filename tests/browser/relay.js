/** A way to a Prometheus that can be closed, that can refuse a query, and that can change what is answered. */
import { createServer } from 'node:http';

/**
 * @typedef {object} Relay
 * @property {string} url
 * @property {boolean} isOpen closed: every connection is cut
 * @property {(query: string) => string | null} refuse why this query is refused, if it is
 * @property {(answer: string) => string} rewrite
 * @property {() => void} stop
 */

/** @param {string} prometheusUrl @returns {Promise<Relay>} */
export async function startRelay(prometheusUrl) {
  const server = createServer(async (request, response) => {
    if (!relay.isOpen) return void request.socket.destroy();
    const { searchParams } = new URL(request.url ?? '', prometheusUrl);
    const error = relay.refuse(searchParams.get('query') ?? '');
    if (error !== null) {
      const refusal = { status: 'error', errorType: 'execution', error };
      return void response
        .writeHead(422, { 'content-type': 'application/json' })
        .end(JSON.stringify(refusal));
    }
    try {
      const { authorization = '' } = request.headers;
      const answer = await fetch(prometheusUrl + request.url, { headers: { authorization } });
      const text = relay.rewrite(await answer.text());
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
    } catch {
      request.socket.destroy();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  /** @type {Relay} */
  const relay = {
    url: `http://127.0.0.1:${port}`,
    isOpen: true,
    refuse: () => null,
    rewrite: (answer) => answer,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return relay;
}

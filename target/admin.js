/** The primary's admin listener, which answers even if every worker is busy. */
import { createServer } from 'node:http';
import { Registry } from 'prom-client';
import { bearerCheck } from './bearer.js';
import { EnvironmentError } from './environment.js';
import { activeFaults, FaultError, readFaults } from './faults/table.js';
import { log } from './log.js';
import { readBody } from './request-body.js';

/** Upper bound of the body of PUT /admin/faults, bytes. */
const LARGEST_BODY = 4096;

/** @typedef {(request: import('node:http').IncomingMessage) => Promise<Answer>} Handler */
/** @typedef {{status: number, body: string | object, headers?: Record<string, string>}} Answer */

/**
 * Serves GET /metrics, and GET and PUT /admin/faults. The latter require the token and a client on this machine.
 * @param {object} parts
 * @param {Pick<import('./config.js').Config, 'host' | 'adminPort' | 'token'>} parts.config
 * @param {() => Promise<string>} parts.renderMetrics
 * @param {import('./faults/hand-out.js').FaultControl} parts.faults
 * @returns {Promise<string>} its URL
 * @throws {EnvironmentError} if the port is taken
 */
export async function serveAdmin({ config, renderMetrics, faults }) {
  const hasToken = bearerCheck(config.token);
  /** @type {Record<string, Record<string, Handler>>} by path and method */
  const routes = {
    '/metrics': {
      GET: async () => ({
        status: 200,
        body: await renderMetrics(),
        headers: { 'Content-Type': Registry.PROMETHEUS_CONTENT_TYPE },
      }),
    },
    '/admin/faults': { GET: guarded(current), PUT: guarded(replace) },
  };

  /** @param {Handler} handler @returns {Handler} */
  function guarded(handler) {
    return async (request) => {
      if (!isLoopback(request.socket.remoteAddress))
        return refusal(403, 'faults can only be set from the machine (or container) of the target');
      if (hasToken(request)) return handler(request);
      return {
        ...refusal(401, "the target's bearer token is required"),
        headers: { 'WWW-Authenticate': 'Bearer realm="admin"' },
      };
    };
  }

  /** @type {Handler} */
  async function current() {
    return { status: 200, body: activeFaults(faults.values) };
  }

  /** @type {Handler} */
  async function replace(request) {
    const text = await readBody(request, LARGEST_BODY);
    if (text === undefined)
      return {
        ...refusal(413, `the body is larger than ${LARGEST_BODY} bytes`),
        headers: { Connection: 'close' },
      };
    try {
      await faults.set(readFaults(parse(text)));
    } catch (error) {
      if (error instanceof FaultError) return refusal(400, error.message);
      log('error', 'faults could not be set', { error: String(error) });
      return refusal(503, 'lock_hold_ms needs a database table, but the database does not answer');
    }
    return current(request);
  }

  const server = createServer(async (request, response) => {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    const methods = Object.hasOwn(routes, path) ? routes[path] : undefined;
    const handler = methods?.[request.method ?? ''];
    try {
      const { status, body, headers } = handler
        ? await handler(request)
        : methods
          ? {
              ...refusal(405, `valid: ${Object.keys(methods).join(', ')}`),
              headers: { Allow: Object.keys(methods).join(', ') },
            }
          : refusal(404, `valid: ${Object.keys(routes).join(', ')}`);
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(text);
    } catch {
      // The client disconnected while it sent its request.
      response.destroy();
    }
  });
  const { host, adminPort: port } = config;
  await /** @type {Promise<void>} */ (
    new Promise((resolve, reject) => {
      server.once('error', (/** @type {Error & {code?: string}} */ { code }) =>
        reject(
          new EnvironmentError(`HOST and ADMIN_PORT got ${host}:${port} (${code}); valid: a free address`),
        ),
      );
      server.listen(port, host, resolve);
    })
  );
  // Lets the primary exit while clients such as Prometheus keep connections open. Workers do not share these
  // connections.
  server.on('connection', (socket) => socket.unref());
  server.unref();
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  return `http://${host}:${address.port}`;
}

/** @param {number} status @param {string} error @returns {Answer} */
const refusal = (status, error) => ({ status, body: { error } });

/** @param {string | undefined} address */
const isLoopback = (address = '') => /^(::ffff:)?127\.|^::1$/.test(address);

/** @param {string} text @returns {unknown} null if the text is not JSON */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

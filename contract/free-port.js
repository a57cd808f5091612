import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * @param {number} [wanted] 0 = any port
 * @returns {Promise<number>} a port of 127.0.0.1 that was free a moment ago
 * @throws {Error} if the wanted port is in use
 */
export async function freePort(wanted = 0) {
  const server = createServer().listen(wanted, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  await once(server.close(), 'close');
  return port;
}

/**
 * Returns an address for an API without authentication. A web page in the user's browser may post to any
 * address, but cannot list sockets. Only Linux has all of 127.0.0.0/8 by default.
 *
 * @returns {string} a random loopback address; 127.0.0.1 if the system has no others
 */
export function hiddenHost() {
  if (process.platform !== 'linux') return '127.0.0.1';
  return ['127', ...Array.from({ length: 3 }, () => randomInt(1, 255))].join('.');
}

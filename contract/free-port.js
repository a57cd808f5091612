import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * @param {number} [wanted] 0: any
 * @returns {Promise<number>} a port of 127.0.0.1 that was free a moment ago
 * @throws {Error} where the one that is wanted is taken
 */
export async function freePort(wanted = 0) {
  const server = createServer().listen(wanted, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  await once(server.close(), 'close');
  return port;
}

/**
 * For an API that asks nobody who he is: a page in the user's browser may post to any address, and reads no list of sockets. Only Linux has
 * all of 127.0.0.0/8 without being told.
 *
 * @returns {string} an address of this machine's loopback that nobody guesses
 */
export function hiddenHost() {
  if (process.platform !== 'linux') return '127.0.0.1';
  return ['127', ...Array.from({ length: 3 }, () => randomInt(1, 255))].join('.');
}

import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { pipeline } from 'node:stream';

/** An end that closes is not an error: pipeline() closes the other one. */
const ignore = () => {};

/**
 * The stack's Redis by TCP, for clients that need a network in between. Redis takes its password in clear text, so nobody else may ever
 * listen on a port that its clients connect to: the relay holds this one while Redis is down, and while it is cut.
 *
 * @param {string} runDir of a native stack: Redis' socket is in its folder `redis`, which is closed to other users
 */
export async function startRedisRelay(runDir) {
  // A path to the socket may be longer than the system allows for one.
  const folder = openSync(`${runDir}/redis`, 'r');
  const path = `/proc/self/fd/${folder}/redis.sock`;
  /** @type {Set<import('node:net').Socket>} */
  const clients = new Set();
  let isCut = false;
  const server = createServer((client) => {
    if (isCut) {
      client.destroy();
      return;
    }
    clients.add(client);
    client.once('close', () => clients.delete(client));
    const redis = connect({ path });
    pipeline(client, redis, ignore);
    pipeline(redis, client, ignore);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const disconnect = () => {
    for (const client of clients) client.destroy();
  };
  return {
    port: /** @type {import('node:net').AddressInfo} */ (server.address()).port,
    /** Closes every connection, and each new one at once. */
    cut: async () => {
      isCut = true;
      disconnect();
    },
    join: async () => {
      isCut = false;
    },
    stop: async () => {
      server.close();
      disconnect();
      await once(server, 'close');
      closeSync(folder);
    },
  };
}

/** @typedef {Awaited<ReturnType<typeof startRedisRelay>>} RedisRelay */

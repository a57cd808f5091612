import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream';

/** A closed connection is not an error: pipeline() closes the other one. */
const ignore = () => {};

export interface RedisRelay {
  port: number;
  /** Closes all connections, and new ones immediately. */
  cut: () => Promise<void>;
  join: () => Promise<void>;
  stop: () => Promise<void>;
}

/**
 * Serves the stack's Redis over TCP, for tests that disturb the network. Redis clients send the password in
 * clear text, so no other program may ever listen on their port. The relay therefore keeps the port while
 * Redis is down and while the connection is cut.
 *
 * @param runDir of a native stack: Redis' socket is in its folder `redis`, which other users cannot open
 */
export async function startRedisRelay(runDir: string): Promise<RedisRelay> {
  // The path may be longer than the system's limit for sockets: use the folder's file descriptor.
  const folder = openSync(`${runDir}/redis`, 'r');
  const path = `/proc/self/fd/${folder}/redis.sock`;
  const clients = new Set<Socket>();
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
    port: (server.address() as AddressInfo).port,
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

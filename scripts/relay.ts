#!/usr/bin/env node
/**
 * One half of a relay between two network namespaces. The halves are connected by Unix sockets in a folder that both
 * can access:
 *
 *   node scripts/relay.ts in FOLDER HOST:PORT,...    listens on each address and forwards to its socket
 *   node scripts/relay.ts out FOLDER HOST:PORT,...   listens on each socket and forwards to its address
 */
import { rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream';

const [direction, folder = '', addresses = ''] = process.argv.slice(2);

/** A closed connection is not an error: pipeline closes the other end too. */
const ended = () => {};

for (const address of addresses.split(',')) {
  const [, host = '', port] = /^\[?(.*?)\]?:(\d+)$/.exec(address) ?? [];
  const socket = { path: join(folder, `${address}.sock`) };
  const tcp = { host, port: Number(port) };
  const [from, to] = direction === 'out' ? [socket, tcp] : [tcp, socket];
  // A relay that was killed leaves its sockets behind.
  if (from === socket) rmSync(socket.path, { force: true });
  createServer((client) => {
    const server = connect(to);
    pipeline(client, server, ended);
    pipeline(server, client, ended);
  }).listen(from);
}

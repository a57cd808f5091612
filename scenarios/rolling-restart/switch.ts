/** HAProxy in front of two servers. The second one is not used until the switch. */
import { connect } from 'node:net';
import { join } from 'node:path';
import { startHaproxy } from '../../cli/trials/haproxy.ts';
import { newFolder, type ServerProcess } from '../../cli/trials/server-process.ts';
import { freePort } from '../../contract/free-port.js';

export interface Switch extends ServerProcess {
  /** Sends new calls to the second server. Existing calls of the first one are not cut. */
  toSecond: () => Promise<void>;
}

/** Timeout of a command to HAProxy. */
const COMMAND_MS = 5000;

/** @param program path to HAProxy @param addresses host:port of both */
export async function startSwitch(program: string, addresses: readonly [string, string]): Promise<Switch> {
  const port = await freePort();
  const folder = newFolder();
  const socket = join(folder, 'admin');
  const url = `http://127.0.0.1:${port}`;
  const server = await startHaproxy(program, switchConfig(port, socket, addresses), { url }, folder);
  return {
    ...server,
    toSecond: async () => {
      await command(socket, 'set server servers/second state ready');
      await command(socket, 'set server servers/first state drain');
    },
  };
}

/** @param socket path of the command socket, in a folder that only this user can access */
export const switchConfig = (
  port: number,
  socket: string,
  [first, second]: readonly [string, string],
) => `global
  maxconn 8000
  stats socket ${socket} mode 600 level admin
defaults
  mode http
  timeout connect 5s
  # Streams are silent for as long as nothing happens.
  timeout client 1h
  timeout server 1h
  # Each request goes to the server of that moment, not where its connection's last one went.
  option http-keep-alive
  no option prefer-last-server
frontend mcp
  bind 127.0.0.1:${port}
  default_backend servers
backend servers
  server first ${first}
  server second ${second} disabled
`;

/** @throws {Error} with HAProxy's answer if it rejects the command */
function command(socket: string, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const client = connect(socket, () => client.end(`${text}\n`));
    client.setTimeout(COMMAND_MS, () => client.destroy(new Error('HAProxy does not answer')));
    client.setEncoding('utf8').on('data', (part) => {
      answer += part;
    });
    client.once('error', reject);
    client.once('end', () => (answer.trim() ? reject(new Error(`HAProxy: ${answer.trim()}`)) : resolve()));
  });
}

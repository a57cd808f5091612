import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '../../experiments/server-process.js';
import { toolPath } from '../../experiments/tool-path.js';
import { freePort } from '../../tests/lab.js';

/**
 * Starts HAProxy in front of a server. It serves so few connections at a time, and accepts no more until one of them ends.
 *
 * @param backlog connections that may wait to be accepted
 */
export async function startNarrowDoor(
  server: URL,
  { connections, backlog }: { connections: number; backlog: number },
) {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-load-lab-door-'));
  const file = join(folder, 'haproxy.cfg');
  const url = Object.assign(new URL(server), { port: String(await freePort()) });
  writeFileSync(
    file,
    `defaults
  mode http
  timeout connect 5s
  timeout client 65s
  timeout server 65s
frontend door
  bind ${url.host}
  maxconn ${connections}
  backlog ${backlog}
  option httpclose
  default_backend server
backend server
  server server ${server.host}
`,
  );
  const door = await startServer('HAProxy', {
    file: toolPath('haproxy'),
    args: ['-db', '-f', file],
    url: url.href,
  });
  const stop = async () => {
    await door.stop();
    rmSync(folder, { recursive: true });
  };
  return { url: url.href, stop };
}

import { toolPath } from '../../cli/tool-path.ts';
import { startHaproxy } from '../../cli/trials/haproxy.ts';
import { freePort } from '../../tests/lab.js';

/**
 * Starts HAProxy in front of a server. It serves a limited number of connections at a time. Further connections wait.
 *
 * @param backlog how many connections may wait to be accepted
 */
export async function startNarrowDoor(
  server: URL,
  { connections, backlog }: { connections: number; backlog: number },
) {
  const url = Object.assign(new URL(server), { port: String(await freePort()) });
  const config = `defaults
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
`;
  return startHaproxy(toolPath('haproxy'), config, { url: url.href });
}

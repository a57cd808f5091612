/** HAProxy in front of several instances of one server: least connections, health checks, no affinity. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../contract/free-port.js';
import { startServer } from '../server-process.js';

/**
 * @typedef {object} Balancer
 * @property {string} url that takes the requests
 * @property {string} metrics host and port that Prometheus scrapes
 * @property {number} pid
 * @property {() => Promise<Record<string, {requests: number, up: boolean}>>} servers what each instance was given so far
 * @property {() => Promise<void>} stop
 */

/**
 * @param {string} program HAProxy's
 * @param {number[]} ports of the instances, on 127.0.0.1
 * @returns {Promise<Balancer>}
 */
export async function startBalancer(program, ports) {
  const [port, statsPort] = [await freePort(), await freePort()];
  const stats = `http://127.0.0.1:${statsPort}`;
  const server = await startHaproxy(program, balancerConfig({ port, statsPort, ports }), {
    url: `http://127.0.0.1:${port}`,
    ready: `${stats}/metrics`,
  });
  const servers = async () => readStats(await (await fetch(`${stats}/stats;csv`)).text());
  return { ...server, metrics: `127.0.0.1:${statsPort}`, servers };
}

/**
 * @param {string} program HAProxy's
 * @param {string} config
 * @param {{url: string, ready?: string}} where it takes requests, and shows that it is up
 * @returns {Promise<import('../server-process.js').ServerProcess>}
 */
export async function startHaproxy(program, config, where) {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-load-lab-haproxy-'));
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, config);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    // -db: in the foreground, one process.
    const server = await startServer('HAProxy', { file: program, args: ['-db', '-f', file], ...where });
    const stop = async () => {
      await server.stop();
      remove();
    };
    return { ...server, stop };
  } catch (error) {
    remove();
    throw error;
  }
}

/**
 * @param {{port: number, statsPort: number, ports: number[]}} where
 * @returns {string} a configuration that needs no root, no user and no folder of HAProxy's own
 */
export function balancerConfig({ port, statsPort, ports }) {
  const servers = ports.map((each, index) => `  server instance-${index + 1} 127.0.0.1:${each}`);
  return `global
  maxconn 8000
defaults
  mode http
  timeout connect 5s
  timeout client 65s
  timeout server 65s
  # Each request goes where the fewest are, not where its connection's last one went.
  option http-keep-alive
  no option prefer-last-server
  http-reuse always
frontend mcp
  bind 127.0.0.1:${port}
  default_backend instances
backend instances
  balance leastconn
  option httpchk GET /health
  http-check expect status 200
  default-server check inter 10s fastinter 1s downinter 1s
${servers.join('\n')}
frontend watch
  bind 127.0.0.1:${statsPort}
  http-request use-service prometheus-exporter if { path /metrics }
  stats enable
  stats uri /stats
`;
}

/**
 * @param {string} csv HAProxy's table of proxies and servers; its first line names the columns
 * @returns {Record<string, {requests: number, up: boolean}>} by instance
 */
export function readStats(csv) {
  const [head = '', ...lines] = csv.replace(/^# /, '').trim().split('\n');
  const columns = head.split(',');
  const rows = lines.map((line) => {
    const cells = line.split(',');
    return Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? '']));
  });
  const instances = rows.filter(({ svname = '' }) => svname.startsWith('instance-'));
  return Object.fromEntries(
    instances.map(({ svname = '', req_tot, status = '' }) => [
      svname,
      { requests: Number(req_tot), up: status.startsWith('UP') },
    ]),
  );
}

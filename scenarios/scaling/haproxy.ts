/** HAProxy in front of several instances of one server: least connections, health checks, no affinity. */
import { startHaproxy } from '../../cli/trials/haproxy.ts';
import type { ServerProcess } from '../../cli/trials/server-process.ts';
import { freePort } from '../../contract/free-port.js';

interface Balancer extends ServerProcess {
  /** host:port, scraped by Prometheus. */
  metrics: string;
  /** Requests sent to each instance so far. */
  requests: () => Promise<Record<string, number>>;
}

/**
 * @param program path to HAProxy
 * @param ports ports of the instances on 127.0.0.1
 */
export async function startBalancer(program: string, ports: number[]): Promise<Balancer> {
  const [port, statsPort] = [await freePort(), await freePort()];
  const stats = `http://127.0.0.1:${statsPort}`;
  const server = await startHaproxy(program, balancerConfig(port, statsPort, ports), {
    url: `http://127.0.0.1:${port}`,
    ready: `${stats}/metrics`,
  });
  const requests = async () => requestsIn(await (await fetch(`${stats}/stats;csv`)).text());
  return { ...server, metrics: `127.0.0.1:${statsPort}`, requests };
}

/** A configuration that needs neither root nor a user or folder for HAProxy. */
export function balancerConfig(port: number, statsPort: number, ports: number[]): string {
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
 * @param csv HAProxy's table of proxies and servers; its first line names the columns
 * @returns requests by instance
 */
export function requestsIn(csv: string): Record<string, number> {
  const lines = csv.replace(/^# /, '').trim().split('\n');
  const [columns = [], ...rows] = lines.map((line) => line.split(','));
  const cell = (row: string[], column: string) => row[columns.indexOf(column)] ?? '';
  const instances = rows.filter((row) => cell(row, 'svname').startsWith('instance-'));
  return Object.fromEntries(instances.map((row) => [cell(row, 'svname'), Number(cell(row, 'req_tot'))]));
}

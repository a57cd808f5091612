/** HAProxy in front of several instances of one server: least connections, health checks, no affinity. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServerProcess, startServer } from '../../cli/trials/server-process.ts';
import { freePort } from '../../contract/free-port.js';

export interface InstanceStats {
  /** Requests that HAProxy has sent to the instance so far. */
  requests: number;
  up: boolean;
}

export interface Balancer {
  url: string;
  /** host:port, scraped by Prometheus. */
  metrics: string;
  pid: number;
  /** By instance. */
  servers: () => Promise<Record<string, InstanceStats>>;
  stop: () => Promise<void>;
}

/**
 * @param program path to HAProxy
 * @param ports of the instances, on 127.0.0.1
 */
export async function startBalancer(program: string, ports: number[]): Promise<Balancer> {
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
 * @param program path to HAProxy
 * @param endpoints url: of its frontend; ready: answers once HAProxy is up, by default the url
 */
export async function startHaproxy(
  program: string,
  config: string,
  endpoints: { url: string; ready?: string },
): Promise<ServerProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-load-lab-haproxy-'));
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, config);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    // -db: in the foreground, one process.
    const server = await startServer('HAProxy', { file: program, args: ['-db', '-f', file], ...endpoints });
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

/** A configuration that needs neither root nor a user or folder for HAProxy. */
export function balancerConfig({
  port,
  statsPort,
  ports,
}: {
  port: number;
  statsPort: number;
  ports: number[];
}): string {
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
 * @returns the statistics by instance
 */
export function readStats(csv: string): Record<string, InstanceStats> {
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

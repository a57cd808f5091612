/** The server from the inside: utilization, saturation and errors (USE) of each resource, a row each. Signals alone, so that it fits any server. */
import { dashboard } from './dashboard.ts';
import { NOT_EXPORTED, row, signal, timeSeries } from './panels.ts';
import { ofServer } from './queries.ts';

/** Four signals are a line. */
const ROWS: Record<string, string[]> = {
  CPU: ['cpu:ratio', 'worker_cpu:ratio', 'eventloop_lag:seconds', 'cpu_throttled:ratio'],
  'Connection pool': [
    ...['pool_utilization:ratio', 'pool_connections_in_use:count', 'pool_waiting:count', 'pool_wait:seconds'],
  ],
  Cache: ['cache_server_cpu:ratio', 'cache_hit:ratio', 'cache_time:seconds', 'redis_evictions:rate'],
  Database: [
    ...['db_connections:ratio', 'db_query_rate:rate', 'db_query_duration:seconds', 'db_locks:count'],
    ...['db_running:count', 'db_io:count', 'db_transactions:rate', 'deadlocks:rate'],
  ],
  'Upstream services and rate limits': [
    ...['upstream:seconds', 'upstream_timeouts:rate', 'breaker_open:rate', 'rate_limited:rate'],
  ],
  Runtime: ['memory:bytes', 'heap:ratio', 'gc:ratio', 'sessions:count'],
  Host: [
    ...['host_cpu:ratio', 'cpu_pressure:ratio', 'host_memory:ratio', 'cpu_steal:ratio'],
    ...['disk_busy:ratio', 'disk_io:bytes_rate', 'network:bytes_rate', 'tcp_retransmits:rate'],
  ],
};

const WAITS = {
  request: 'request:seconds',
  'pool wait': 'pool_wait:seconds',
  query: 'db_query_duration:seconds',
  'cache command': 'cache_time:seconds',
  'upstream call': 'upstream:seconds',
};

export const server = () =>
  dashboard({
    uid: 'mcp-server',
    title: 'Server',
    description: 'Utilization, saturation and errors of each resource of the server and of its host.',
    panels: [
      timeSeries({
        width: 24,
        height: 9,
        title: 'Where a request spends its time',
        description:
          'Mean duration of a request in the server, and of one of each thing that it may wait for. The line that rises with the request is where to look.',
        unit: 's',
        namesOnly: true,
        noValue: NOT_EXPORTED,
        lines: Object.entries(WAITS).map(([legend, name]) => ({ expr: ofServer(`signal:${name}`), legend })),
      }),
      ...Object.entries(ROWS).flatMap(([title, names]) => [row(title), ...names.map((name) => signal(name))]),
    ],
  });

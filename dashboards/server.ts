/**
 * The server's resources by the USE method (utilization, saturation, errors), one row each. Uses signals only, so it
 * works for any server.
 */

import { MAX_OF_ONE_CORE, MIN_UTILIZATION, SATURATING, titleOf } from '../contract/signals.js';
import { dashboard } from './dashboard.ts';
import { barGauge, NOT_EXPORTED, row, signal, timeSeries } from './panels.ts';
import { goodput, ofServer, peaksOf, targetRate } from './queries.ts';

/** A row has four signals. */
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

const RESOURCES = SATURATING.map((name) => ({
  name: titleOf(name, 'ratio'),
  series: ofServer(`signal:${name}:ratio`),
}));
/** Utilization law, as in analysis/bottleneck/nearest.ts. */
const fullAt = `scalar(max_over_time((${goodput()})[$__range:$__interval])) / ((${peaksOf(RESOURCES)}) >= ${MIN_UTILIZATION} < ${MAX_OF_ONE_CORE})`;

const half = { width: 12, height: 9 };

export const server = () =>
  dashboard({
    uid: 'mcp-server',
    title: 'Server',
    description: 'Utilization, saturation and errors of each resource of the server and its host.',
    panels: [
      timeSeries({
        width: 24,
        height: 9,
        title: 'Request time by component',
        description:
          'Mean duration of a request in the server, and of the operations that it may wait for. The line that rises with the request duration shows the cause.',
        unit: 's',
        namesOnly: true,
        noValue: NOT_EXPORTED,
        lines: Object.entries(WAITS).map(([legend, name]) => ({ expr: ofServer(`signal:${name}`), legend })),
      }),
      timeSeries({
        ...half,
        title: 'Offered and answered rate',
        description:
          "The phase's target rate in iterations per second, and successful requests per second. While calls wait, the successful rate is the capacity of the server.",
        unit: 'reqps',
        namesOnly: true,
        lines: [
          { expr: targetRate(), legend: 'offered', color: 'text', dashed: true },
          { expr: goodput(), legend: 'answered', color: 'green' },
        ],
      }),
      barGauge({
        ...half,
        title: 'Rate at which each resource saturates',
        description:
          'The highest successful rate divided by the highest utilization of each resource. The shortest bar is the resource that saturates first.',
        unit: 'reqps',
        noValue: NOT_EXPORTED,
        expr: `sort(${fullAt})`,
        legend: '{{resource}}',
      }),
      ...Object.entries(ROWS).flatMap(([title, names]) => [row(title), ...names.map((name) => signal(name))]),
    ],
  });

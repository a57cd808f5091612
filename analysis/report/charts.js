/**
 * Which charts a report has, in their order: data. Signals that nobody named here come last, so that none is missing.
 *
 * @typedef {object} ClientChart
 * @property {string} title
 * @property {string} description
 * @property {string} unit Grafana's id
 * @property {{series: string, name: string, color?: string, dashed?: boolean}[]} lines by their names in the timeline's `client`
 * @property {string} [family] beginning of the names of more lines, named after what follows it
 * @property {boolean} [stacked]
 * @property {number} [max] of the axis
 * @property {'p95_ms' | 'p99_ms'} [objective] whose limits are drawn where they hold
 *
 * @typedef {{title: string, signals: string[]}} SignalGroup
 *
 * @typedef {object} StackedSignals signals that are parts of a whole
 * @property {string} group that it is the first of
 * @property {string} title
 * @property {string} description
 * @property {string} unit
 * @property {number} max
 * @property {{signal: string, name: string}[]} lines from the lowest
 */

/** @type {ClientChart[]} */
export const CLIENT_CHARTS = [
  {
    title: 'Latency',
    description:
      'Answered requests, from histograms over a few seconds: up to 9 % off, where the tables are exact. Dashed: the limits for p99.',
    unit: 'ms',
    lines: [
      { series: 'p99', name: 'p99', color: 'orange' },
      { series: 'p95', name: 'p95', color: 'yellow' },
      { series: 'p50', name: 'p50', color: 'green' },
      { series: 'mean', name: 'mean', color: 'gray', dashed: true },
    ],
    objective: 'p99_ms',
  },
  {
    title: 'Load',
    description:
      'Iterations that were due, made, and dropped because no user was free; and the requests that they sent.',
    unit: 'suffix:/s',
    lines: [
      { series: 'offered', name: 'offered', color: 'text', dashed: true },
      { series: 'requests', name: 'requests', color: 'super-light-blue' },
      { series: 'iterations', name: 'achieved', color: 'blue' },
      { series: 'dropped', name: 'dropped', color: 'red' },
    ],
  },
  {
    title: 'Failure share',
    description: 'Failed requests, of all requests.',
    unit: 'percentunit',
    lines: [{ series: 'failed', name: 'failed', color: 'red' }],
  },
  {
    title: 'Failures by kind',
    description: 'Failed requests per second, each of exactly one kind.',
    unit: 'suffix:/s',
    lines: [],
    family: 'failures_',
    stacked: true,
  },
  {
    title: 'Users',
    description: 'Virtual users of the load generator. More of them for the same load: answers take longer.',
    unit: 'short',
    lines: [{ series: 'vus', name: 'users', color: 'blue' }],
  },
];

/** @type {StackedSignals} */
export const PROCESSOR_SHARES = {
  group: 'Machine',
  title: 'Where the processors went',
  description: "Each part's share of all the machine's CPU, as the machine's own process table says it.",
  unit: 'percentunit',
  max: 1,
  lines: [
    { signal: 'target_process_cpu', name: 'target' },
    { signal: 'db_cpu', name: 'database' },
    { signal: 'cache_cpu', name: 'cache' },
    { signal: 'generator_cpu', name: 'load generator' },
    { signal: 'stack_cpu', name: 'rest of the stack' },
    { signal: 'other_cpu', name: 'anything else' },
  ],
};

/** @type {SignalGroup[]} */
export const SIGNAL_GROUPS = [
  {
    title: 'Load generator',
    signals: ['generator_cpu', 'generator_wait', 'generator_allowed', 'generator_memory'],
  },
  {
    title: 'Machine',
    signals: [
      'host_cpu',
      'cpu_steal',
      'cpu_pressure',
      'host_memory',
      'network',
      'tcp_retransmits',
      'disk_io',
      'disk_busy',
    ],
  },
  {
    title: 'Server',
    signals: [
      'request',
      'cpu',
      'worker_cpu',
      'eventloop_lag',
      'gc',
      'memory',
      'heap',
      'workers',
      'sessions',
      'busiest_thread',
      'cpu_wait',
      'connections_in',
      'connections_unread',
      'accept_queue',
      'listen_overflows',
      'send_queue',
      'open_files',
      'open_files_count',
      'threads',
      'restarts',
      'cpu_throttled',
      'memory_utilization',
      'oom_kills',
      'major_faults',
      'server_disk_io',
      'container_network',
      'rate_limited',
      'tool_errors',
    ],
  },
  {
    title: 'Connection pool',
    signals: ['pool_utilization', 'pool_connections_in_use', 'pool_waiting', 'pool_wait'],
  },
  {
    title: 'Database',
    signals: [
      'db_clients_waiting',
      'db_query_duration',
      'db_query_rate',
      'db_transactions',
      'db_running',
      'db_locks',
      'db_io',
      'deadlocks',
      'db_connections',
      'db_clients',
    ],
  },
  {
    title: 'Cache',
    signals: [
      'cache_hit',
      'cache_lookups',
      'cache_time',
      'cache_server_cpu',
      'redis_memory',
      'redis_evictions',
    ],
  },
  { title: 'Upstream', signals: ['upstream', 'upstream_calls', 'upstream_timeouts', 'breaker_open'] },
];

/** Of signals that no recording rule makes, and that no dashboard draws. @type {Record<string, {title: string, description: string}>} */
export const OWN_SIGNALS = {
  generator_wait: {
    title: 'Generator waiting for CPU',
    description:
      "Of the time that k6's threads wanted to run, the share in which they waited for a processor.",
  },
  generator_allowed: {
    title: 'Generator CPU, of its limit',
    description: 'CPU that k6 took, of what it may take: its affinity, its quota, GOMAXPROCS.',
  },
};

/** How a unit of the timeline is called by Grafana. @type {Record<string, string>} */
export const UNITS = {
  milliseconds: 'ms',
  seconds: 's',
  ratio: 'percentunit',
  rate: 'suffix:/s',
  count: 'short',
  bytes: 'bytes',
  bytes_rate: 'Bps',
};

/**
 * How each signal is drawn, by the name that its recording rule gives it after `signal:`.
 *
 * @typedef {object} DrawnSignal
 * @property {string} title
 * @property {string} description what it is, and how to read it
 * @property {string} unit Grafana's id of the unit
 * @property {number} [max] of the axis
 * @property {import('./panels.js').Step[]} [steps]
 */

/** From this share of the machine's CPU on, k6 measures itself as well as the server. */
export const GENERATOR_SATURATED = 0.8;

/** Purple means one thing on every dashboard: do not believe the figures. */
export const GENERATOR_STEPS = [
  { color: 'green', value: null },
  { color: 'orange', value: 0.6 },
  { color: 'purple', value: GENERATOR_SATURATED },
];

/** @param {number} orange @param {number} red @returns {import('./panels.js').Step[]} */
export const steps = (orange, red) => [
  { color: 'green', value: null },
  { color: 'orange', value: orange },
  { color: 'red', value: red },
];

/** Of a figure that is neither good nor bad. */
export const NEUTRAL = [{ color: 'blue', value: null }];

/** Of a share of failed requests: orange from the first in 10,000. */
export const FAILURE_STEPS = steps(0.0001, 0.01);

/** @type {Record<string, DrawnSignal>} */
export const SIGNALS = {
  'cpu:ratio': {
    title: 'Target CPU',
    description: "CPU that the server under test takes, of all the machine's cores.",
    unit: 'percentunit',
    max: 1,
  },
  'worker_cpu:ratio': {
    title: 'Worker CPU',
    description:
      'What a process of the server takes of one core, on average. At 100% its one thread can do no more, whatever ' +
      'else is idle.',
    unit: 'percentunit',
    steps: steps(0.7, 0.9),
  },
  'memory:bytes': {
    title: 'Target memory',
    description:
      'Resident memory of all processes of the server under test. What grows and never falls is a leak.',
    unit: 'bytes',
  },
  'eventloop_lag:seconds': {
    title: 'Event-loop lag',
    description:
      "How late the worst worker's event loop runs, 99th percentile. It grows when one thread has more to do than " +
      'a core can, even with CPU left on the machine.',
    unit: 's',
    steps: steps(0.05, 0.2),
  },
  'gc:ratio': {
    title: 'Garbage collection',
    description: 'Share of the time of a process that serves requests in which it collects garbage.',
    unit: 'percentunit',
    steps: steps(0.05, 0.1),
  },
  'heap:ratio': {
    title: 'Heap',
    description:
      'Heap in use, of the most that it may grow to, in the worst worker. Near 100% the collector runs all the time, and then the worker ends.',
    unit: 'percentunit',
    max: 1,
    steps: steps(0.7, 0.9),
  },
  'open_files_count:count': {
    title: 'Open files and connections',
    description:
      'Files and connections that the processes of the server have open. What grows and never falls is a leak.',
    unit: 'short',
  },
  'open_files:ratio': {
    title: 'Open files',
    description: "Open files and connections of the server's process, of the most that it may have.",
    unit: 'percentunit',
    max: 1,
    steps: steps(0.7, 0.9),
  },
  'cpu_throttled:ratio': {
    title: 'CPU throttled',
    description:
      "Scheduling periods in which the server's container had used up its CPU limit and had to stand still.",
    unit: 'percentunit',
    max: 1,
    steps: steps(0.05, 0.25),
  },
  'container_network:bytes_rate': {
    title: 'Container network',
    description: "Bytes per second that the server's container sends and receives.",
    unit: 'Bps',
  },
  'pool_used:ratio': {
    title: 'Pool used',
    description: "Connections of the server's database pool in use, of its size. At 100% requests queue.",
    unit: 'percentunit',
    max: 1,
    steps: [
      { color: 'green', value: null },
      { color: 'red', value: 0.8 },
    ],
  },
  'pool_in_use:count': {
    title: 'Pool connections in use',
    description:
      "Connections of the server's database pool in use. What grows without load is connections that are never given back.",
    unit: 'short',
  },
  'pool_waiting:count': {
    title: 'Pool waiting',
    description:
      'Requests that wait for a connection of the pool. Anything that stays above zero is a bottleneck.',
    unit: 'short',
  },
  'pool_wait:seconds': {
    title: 'Wait for the pool',
    description: 'How long a request waited for a connection of the pool, on average.',
    unit: 's',
  },
  'db_statement:seconds': {
    title: 'Statement time',
    description:
      'How long a statement took as the server sees it, on average, without the wait for a connection.',
    unit: 's',
  },
  'db_queries:rate': {
    title: 'Statements',
    description: 'Statements per second that the server runs.',
    unit: 'cps',
  },
  'cache_hit:ratio': {
    title: 'Cache hit ratio',
    description: 'Lookups that the cache answered, of all lookups.',
    unit: 'percentunit',
    max: 1,
  },
  'cache_lookups:rate': {
    title: 'Cache lookups',
    description: 'Lookups per second in the cache, hits and misses.',
    unit: 'cps',
  },
  'cache_time:seconds': {
    title: 'Cache time',
    description: 'How long a command to the cache took as the server sees it, on average.',
    unit: 's',
  },
  'request:seconds': {
    title: 'Time in the server',
    description:
      'How long the server itself says that a request took, on average. Where clients wait longer, the rest is before or beside it.',
    unit: 's',
  },
  'upstream:seconds': {
    title: 'Upstream latency',
    description: 'How long services behind the server take to answer it, on average.',
    unit: 's',
  },
  'upstream_calls:rate': {
    title: 'Upstream calls',
    description: 'Calls per second to services behind the server.',
    unit: 'cps',
  },
  'rate_limited:rate': {
    title: 'Rate limited',
    description: 'Requests per second that the server refused with 429.',
    unit: 'reqps',
  },
  'breaker_open:rate': {
    title: 'Breaker trips',
    description:
      'Times per second that a circuit breaker opened, and calls were refused without being tried.',
    unit: 'cps',
  },
  'upstream_timeouts:rate': {
    title: 'Upstream timeouts',
    description: 'Calls per second to services behind the server that got no answer in time.',
    unit: 'cps',
  },
  'tool_errors:rate': {
    title: 'Tool errors',
    description: 'Tool calls per second that the server answered with an error, refused input among them.',
    unit: 'cps',
  },
  'workers:count': {
    title: 'Workers',
    description:
      'Processes that serve requests. One that is gone is made anew: a dip is a crash, and what it had to do failed.',
    unit: 'short',
  },
  'sessions:count': {
    title: 'Sessions',
    description:
      'Open sessions of the server. Those that nobody uses any more have to go away by themselves.',
    unit: 'short',
  },
  'deadlocks:rate': {
    title: 'Deadlocks',
    description: 'Statements per second that the database ended to break a deadlock.',
    unit: 'cps',
  },
  'db_connections:ratio': {
    title: 'Database connections',
    description: 'Connections to the database, of the most that it allows.',
    unit: 'percentunit',
    max: 1,
    steps: steps(0.7, 0.9),
  },
  'db_clients:count': {
    title: 'Database clients',
    description: 'Connections to the database, of the server alone.',
    unit: 'short',
  },
  'db_running:count': {
    title: 'Statements on a CPU',
    description:
      'Statements that run at this moment and wait for nothing. More of them than cores: the database is short of CPU.',
    unit: 'short',
  },
  'db_io:count': {
    title: 'Statements waiting for I/O',
    description: 'Statements that wait for a disk at this moment.',
    unit: 'short',
  },
  'db_locks:count': {
    title: 'Database locks',
    description: 'Locks that statements wait for.',
    unit: 'short',
  },
  'db_transactions:rate': {
    title: 'Database transactions',
    description: 'Transactions per second of the database, rolled back ones among them.',
    unit: 'cps',
  },
  'cache_server_cpu:ratio': {
    title: 'Redis CPU',
    description: 'CPU that Redis takes, of one core. Its commands have one thread: at 100% they queue.',
    unit: 'percentunit',
    steps: steps(0.7, 0.9),
  },
  'redis_memory:bytes': {
    title: 'Redis memory',
    description: 'Memory that Redis uses for data.',
    unit: 'bytes',
  },
  'redis_evictions:rate': {
    title: 'Redis evictions',
    description: 'Keys per second that Redis gave up for want of memory.',
    unit: 'cps',
  },
  'host_cpu:ratio': {
    title: 'Host CPU',
    description: 'CPU in use on the machine, by everything that runs there, the generator included.',
    unit: 'percentunit',
    max: 1,
    steps: steps(0.8, 0.95),
  },
  'host_memory:ratio': {
    title: 'Host memory',
    description: 'Memory in use on the machine, without what the kernel can give back.',
    unit: 'percentunit',
    max: 1,
    steps: steps(0.8, 0.9),
  },
  'network:bytes_rate': {
    title: 'Network',
    description: 'Bytes per second that the machine sends and receives, over loopback, too.',
    unit: 'Bps',
  },
  'disk_io:bytes_rate': {
    title: 'Disk',
    description: "Bytes per second that the machine's disks read and write.",
    unit: 'Bps',
  },
  'disk_busy:ratio': {
    title: 'Disk busy',
    description:
      'Share of the time in which the busiest disk had something to do. At 100% requests may queue, but disks that do much at once have not reached their end yet.',
    unit: 'percentunit',
    max: 1,
  },
  'cpu_steal:ratio': {
    title: 'CPU stolen',
    description: "Share of the machine's CPU that the host of a virtual machine gave to others.",
    unit: 'percentunit',
    max: 1,
    steps: steps(0.05, 0.2),
  },
  'cpu_pressure:ratio': {
    title: 'CPU pressure',
    description:
      'Share of the time in which something on the machine was ready to run and had to wait for a CPU (PSI, some).',
    unit: 'percentunit',
    max: 1,
  },
  'tcp_retransmits:rate': {
    title: 'TCP retransmits',
    description: 'Segments per second that were sent again because nobody confirmed them.',
    unit: 'cps',
  },
  'generator_cpu:ratio': {
    title: 'Generator CPU',
    description:
      "CPU that k6 takes, of all the machine's cores. Above the upper line its figures are not trustworthy.",
    unit: 'percentunit',
    max: 1,
    steps: GENERATOR_STEPS,
  },
  'generator_memory:bytes': {
    title: 'Generator memory',
    description: 'Resident memory of k6.',
    unit: 'bytes',
  },
};

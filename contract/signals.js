/**
 * The catalogue of signals: metrics of a server, its database, its cache and its machine under load. Each
 * signal is a Prometheus recording rule `signal:NAME:UNIT` (provisioning/prometheus/rules). A test compares
 * the rules with this list.
 *
 * @typedef {object} Signal
 * @property {string} title title in charts and tables
 * @property {string} description what the signal measures and how to interpret it
 * @property {[orange: number, red: number] | [red: number]} [steps] thresholds of the colors on charts
 * @property {true} [ofServer] the utilization of a limited resource of the server: progress and charts show
 *   the highest
 * @property {true} [saturates] the load can saturate the resource; it is saturated at 1
 * @property {true} [above1] a ratio that may exceed 1, such as the CPU of several threads in cores
 */
import { MACHINE_SIGNALS } from './machine-signals.js';

/**
 * @type {Record<string, Signal>} by NAME:UNIT, in the order of the charts; UNIT: ratio, bytes, seconds,
 *   count, rate (per second), bytes_rate
 */
export const SIGNALS = {
  'cpu:ratio': {
    title: 'Server CPU',
    description: "CPU usage of the server, as a share of the machine's cores.",
    ofServer: true,
  },
  'worker_cpu:ratio': {
    title: 'CPU per worker',
    description:
      'Mean CPU usage per server process, as a share of one core. At 100%, a single-threaded process is saturated, even if other cores are idle.',
    steps: [0.7, 0.9],
    ofServer: true,
    saturates: true,
    above1: true,
  },
  'busiest_thread:ratio': {
    title: 'Busiest thread',
    description:
      "Share of time in which the server's busiest thread runs or waits for a CPU. At 100%, an event loop or an interpreter lock is saturated, even if other cores are idle.",
    steps: [0.7, 0.9],
    ofServer: true,
    saturates: true,
    above1: true,
  },
  'busiest_thread_cpu:ratio': {
    title: 'CPU of the busiest thread',
    description: "CPU usage of the server's busiest thread, as a share of one core.",
    above1: true,
  },
  'busiest_process:ratio': {
    title: 'Busiest process',
    description:
      'CPU usage of the busiest process of each server program, as a share of one core. If a process with many threads stays at 100%, a lock limits it, such as the interpreter lock of CPython or Ruby.',
    saturates: true,
    above1: true,
  },
  'peer_cpu:ratio': {
    title: 'CPU of connected programs',
    description:
      "CPU usage of local programs that the server is connected to, such as a database or a browser, as a share of the machine's cores.",
  },
  'cpu_wait:ratio': {
    title: 'CPU wait',
    description: 'Seconds per second in which server threads are ready to run but wait for a CPU.',
    above1: true,
  },
  'connections_in:count': {
    title: 'Client connections',
    description: 'Established client connections.',
  },
  'connections_unread:count': {
    title: 'Unread connections',
    description:
      'Client connections with data that the server has not read yet. If the number stays above zero, the reading thread is busy or blocked.',
  },
  'send_queue:bytes': {
    title: 'Send queue',
    description: 'Bytes that the server sent but clients have not acknowledged.',
  },
  'accept_queue:ratio': {
    title: 'Accept queue utilization',
    description:
      'Connections waiting to be accepted, as a share of the backlog. When the queue is full, new connections wait a second or more.',
    steps: [0.5, 0.9],
    ofServer: true,
    saturates: true,
  },
  'listen_overflows:rate': {
    title: 'Accept queue overflows',
    description:
      'Connections per second that arrived while an accept queue was full. Includes all servers in the network namespace.',
  },
  'memory:bytes': {
    title: 'Server memory',
    description:
      'Resident memory of all server processes. Memory that grows and never falls indicates a leak.',
  },
  'memory_utilization:ratio': {
    title: 'Memory limit utilization',
    description:
      "Memory usage of the server's cgroup, excluding reclaimable memory, as a share of its limit. At 100%, the kernel kills a process.",
    steps: [0.8, 0.95],
    ofServer: true,
    saturates: true,
  },
  'oom_kills:count': {
    title: 'Out-of-memory kills',
    description: "Processes that the kernel killed because the server's cgroup reached its memory limit.",
  },
  'major_faults:rate': {
    title: 'Major page faults',
    description: "The server's page faults per second that required a disk read.",
  },
  'server_disk_io:bytes_rate': {
    title: 'Server disk throughput',
    description: 'Bytes per second that server processes read from disk and write to disk.',
  },
  'threads:count': { title: 'Threads', description: 'Threads of all server processes.' },
  'restarts:count': {
    title: 'Restarts',
    description:
      "Number of times that another process took over the server's port since the start of the run.",
  },
  'eventloop_lag:seconds': {
    title: 'Event loop lag',
    description:
      '99th percentile of the event loop lag in the slowest worker. The lag grows if one thread has more work than one core can do, even if other cores are idle.',
    steps: [0.05, 0.2],
  },
  'gc:ratio': {
    title: 'Garbage collection',
    description: 'Share of time that a server process spends in garbage collection.',
    steps: [0.05, 0.1],
    above1: true,
  },
  'heap:ratio': {
    title: 'Heap utilization',
    description:
      'Heap usage of the fullest worker, as a share of its limit. Near 100%, the garbage collector runs constantly until the worker crashes.',
    steps: [0.7, 0.9],
    ofServer: true,
    saturates: true,
  },
  'open_files_count:count': {
    title: 'Open file descriptors',
    description:
      'Open files and connections of the server. A number that grows and never falls indicates a leak.',
  },
  'open_files:ratio': {
    title: 'File descriptor utilization',
    description: 'Open files and connections of a server process, as a share of its limit.',
    steps: [0.7, 0.9],
    ofServer: true,
    saturates: true,
  },
  'cpu_throttled:ratio': {
    title: 'CPU throttling',
    description: "Share of scheduling periods in which the server's container reached its CPU limit.",
    steps: [0.05, 0.25],
  },
  'container_network:bytes_rate': {
    title: 'Container network',
    description: "Bytes per second that the server's container sends and receives.",
  },
  'pool_utilization:ratio': {
    title: 'Pool utilization',
    description:
      "Connections in use in the server's database pool, as a share of the pool size. At 100%, requests wait for a connection.",
    steps: [0.8],
    ofServer: true,
    saturates: true,
  },
  'pool_connections_in_use:count': {
    title: 'Pool connections in use',
    description:
      "Connections in use in the server's database pool. If the number grows without load, connections are not returned.",
  },
  'pool_waiting:count': {
    title: 'Requests waiting for the pool',
    description:
      'Requests waiting for a pool connection. If the number stays above zero, the pool is a bottleneck.',
  },
  'pool_wait:seconds': {
    title: 'Pool wait',
    description: 'Mean time that a request waits for a pool connection.',
  },
  'db_query_duration:seconds': {
    title: 'Query duration',
    description: 'Mean query duration, measured by the server, without the wait for a connection.',
  },
  'db_query_rate:rate': { title: 'Query rate', description: "The server's database queries per second." },
  'cache_hit:ratio': {
    title: 'Cache hit ratio',
    description: 'Share of cache lookups that are hits.',
  },
  'cache_lookups:rate': {
    title: 'Cache lookups',
    description: 'Cache lookups per second, both hits and misses.',
  },
  'cache_time:seconds': {
    title: 'Cache command duration',
    description: 'Mean duration of a cache command, measured by the server.',
  },
  'request:seconds': {
    title: 'Request duration in the server',
    description:
      'Mean request duration, measured by the server. If clients measure more, the difference is spent outside the server.',
  },
  'upstream:seconds': {
    title: 'Upstream latency',
    description: "Mean duration of the server's calls to upstream services.",
  },
  'upstream_calls:rate': {
    title: 'Upstream calls',
    description: "The server's calls per second to upstream services.",
  },
  'rate_limited:rate': {
    title: 'Rate-limited requests',
    description: 'Requests per second that the server rejected with status 429.',
  },
  'breaker_open:rate': {
    title: 'Circuit breaker trips',
    description:
      'Circuit breakers that opened, per second. An open circuit breaker rejects calls without trying them.',
  },
  'upstream_timeouts:rate': {
    title: 'Upstream timeouts',
    description: "The server's calls per second to upstream services that timed out.",
  },
  'tool_errors:rate': {
    title: 'Tool errors',
    description: 'Tool calls per second that the server answered with an error.',
  },
  'workers:count': {
    title: 'Workers',
    description:
      'Processes that serve requests. A crashed worker is replaced, so a dip indicates a crash and failed requests.',
  },
  'sessions:count': {
    title: 'Sessions',
    description: 'Open sessions on the server. Unused sessions should expire.',
  },
  'deadlocks:rate': {
    title: 'Deadlocks',
    description: 'Queries per second that the database cancelled to resolve a deadlock.',
  },
  'db_connections:ratio': {
    title: 'Database connection utilization',
    description: 'Connections to the database, as a share of its limit.',
    steps: [0.7, 0.9],
    ofServer: true,
    saturates: true,
  },
  'db_clients:count': {
    title: "Server's database connections",
    description: "The server's connections to the database.",
  },
  'db_clients_waiting:ratio': {
    title: 'Database connections waiting',
    description:
      "Share of the server's open database connections that wait for an answer. Inferred from TCP connections.",
  },
  'db_running:count': {
    title: 'Running queries',
    description:
      'Queries that run without waiting. If there are more than the machine has cores, the database is short of CPU.',
  },
  'db_io:count': { title: 'Queries waiting for I/O', description: 'Queries waiting for disk I/O.' },
  'db_locks:count': { title: 'Queries waiting for a lock', description: 'Queries waiting for a lock.' },
  'db_transactions:rate': {
    title: 'Database transactions',
    description: 'Transactions per second, including rollbacks.',
  },
  'cache_server_cpu:ratio': {
    title: 'Redis CPU',
    description:
      'CPU usage of Redis, as a share of one core. Redis runs commands on one thread: at 100%, commands queue.',
    steps: [0.7, 0.9],
    ofServer: true,
    saturates: true,
    above1: true,
  },
  'redis_memory:bytes': { title: 'Redis memory', description: 'Memory that Redis uses for data.' },
  'redis_evictions:rate': {
    title: 'Redis evictions',
    description: 'Keys per second that Redis evicted because it was out of memory.',
  },
  ...MACHINE_SIGNALS,
};

/** @param {'ofServer' | 'saturates'} mark @returns {string[]} names of the marked ratios, without the unit */
const marked = (mark) =>
  Object.keys(SIGNALS).flatMap((name) => (SIGNALS[name]?.[mark] ? [name.replace(/:ratio$/, '')] : []));

export const UTILIZATION = marked('ofServer');
export const SATURATING = marked('saturates');

/**
 * @param {string} name a signal's name
 * @param {string} unit
 * @returns {string} the title in charts and tables
 */
export function titleOf(name, unit) {
  const words = name.replaceAll('_', ' ');
  return SIGNALS[`${name}:${unit}`]?.title ?? words.replace(/^./, (first) => first.toUpperCase());
}

/** Below this utilization a resource is far from its limit. */
export const MIN_UTILIZATION = 0.1;
/** A process above this CPU usage, in cores, is not limited to one core. The margin is the error of a rate. */
export const MAX_OF_ONE_CORE = 1.15;

/**
 * The catalogue of signals: metrics of a server, its database, its cache and its machine under load. Each
 * signal is a Prometheus recording rule `signal:NAME:UNIT` (provisioning/prometheus/rules). A test compares
 * the rules with this list.
 *
 * @typedef {object} Signal
 * @property {string} title in charts and tables
 * @property {string} description what it measures and how to interpret it
 * @property {[orange: number, red: number] | [red: number]} [steps] thresholds of the colors on charts
 * @property {true} [ofServer] the utilization of a limited resource of the server: progress and charts show
 *   the highest
 * @property {true} [saturates] the load can saturate it; it is saturated at 1
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
    description: "CPU that the server uses, of all the machine's cores.",
    ofServer: true,
  },
  'worker_cpu:ratio': {
    title: 'CPU per worker',
    description:
      'CPU that a process of the server uses, of one core, on average. At 100% a process with one thread is saturated, even if other cores are idle.',
    steps: [0.7, 0.9],
    ofServer: true,
    saturates: true,
    above1: true,
  },
  'busiest_thread:ratio': {
    title: 'Busiest thread',
    description:
      'Time in which the busiest thread of the server runs or waits for a CPU. At 100% an event loop or an interpreter lock is saturated, even if other cores are idle.',
    steps: [0.7, 0.9],
    ofServer: true,
    saturates: true,
    above1: true,
  },
  'busiest_thread_cpu:ratio': {
    title: 'CPU of the busiest thread',
    description: 'CPU that the busiest thread of the server uses, of one core.',
    above1: true,
  },
  'busiest_process:ratio': {
    title: 'Busiest process',
    description:
      'CPU that the busiest process of each program of the server uses, of one core. A process that stays at 100% with many threads is held by a lock, as CPython and Ruby have one.',
    saturates: true,
    above1: true,
  },
  'peer_cpu:ratio': {
    title: 'CPU of connected programs',
    description:
      "CPU of the programs of this machine that the server is connected to, of all the machine's cores: its database, a browser, another server.",
  },
  'cpu_wait:ratio': {
    title: 'CPU wait',
    description: 'Seconds per second in which threads of the server are ready to run and wait for a CPU.',
    above1: true,
  },
  'connections_in:count': {
    title: 'Client connections',
    description: 'Established connections of clients to the server.',
  },
  'connections_unread:count': {
    title: 'Unread connections',
    description:
      'Connections of clients with bytes that the server has not read yet. If it stays above zero, the thread that reads them is busy or blocked.',
  },
  'send_queue:bytes': {
    title: 'Send queue',
    description: 'Bytes that the server sent and that were not acknowledged.',
  },
  'accept_queue:ratio': {
    title: 'Accept queue utilization',
    description:
      'Connections that wait to be accepted by the server, of the backlog. When the queue is full, new connections wait a second or more.',
    steps: [0.5, 0.9],
    ofServer: true,
    saturates: true,
  },
  'listen_overflows:rate': {
    title: 'Accept queue overflows',
    description:
      'Connections per second that found an accept queue full. All servers of the network namespace are counted.',
  },
  'memory:bytes': {
    title: 'Server memory',
    description:
      'Resident memory of all processes of the server. Memory that grows and never falls is a leak.',
  },
  'memory_utilization:ratio': {
    title: 'Memory limit utilization',
    description:
      "Memory of the server's cgroup in use, of its limit, without what the kernel can reclaim. At 100% the kernel ends a process.",
    steps: [0.8, 0.95],
    ofServer: true,
    saturates: true,
  },
  'oom_kills:count': {
    title: 'Out-of-memory kills',
    description: "Processes that the kernel ended because the server's cgroup reached its memory limit.",
  },
  'major_faults:rate': {
    title: 'Major page faults',
    description: 'Page faults of the server per second that had to read from disk.',
  },
  'server_disk_io:bytes_rate': {
    title: 'Server disk throughput',
    description: 'Bytes per second that the processes of the server read from disk and write to it.',
  },
  'threads:count': { title: 'Threads', description: 'Threads of all processes of the server.' },
  'restarts:count': {
    title: 'Restarts',
    description: "Times that another process took over the server's port since the run began.",
  },
  'eventloop_lag:seconds': {
    title: 'Event loop lag',
    description:
      'Event loop lag of the worst worker, 99th percentile. It grows when one thread has more to do than one core can, even with CPU left on the machine.',
    steps: [0.05, 0.2],
  },
  'gc:ratio': {
    title: 'Garbage collection',
    description: 'Time that a process of the server spends in garbage collection.',
    steps: [0.05, 0.1],
    above1: true,
  },
  'heap:ratio': {
    title: 'Heap utilization',
    description:
      'Heap in use, of its limit, in the worst worker. Near 100% the collector runs all the time, then the worker ends.',
    steps: [0.7, 0.9],
    ofServer: true,
    saturates: true,
  },
  'open_files_count:count': {
    title: 'Open file descriptors',
    description:
      'Files and connections that the server has open. A count that grows and never falls is a leak.',
  },
  'open_files:ratio': {
    title: 'File descriptor utilization',
    description: "Open files and connections of the server's process, of its limit.",
    steps: [0.7, 0.9],
    ofServer: true,
    saturates: true,
  },
  'cpu_throttled:ratio': {
    title: 'CPU throttling',
    description: "Scheduling periods in which the server's container had used up its CPU limit.",
    steps: [0.05, 0.25],
  },
  'container_network:bytes_rate': {
    title: 'Container network',
    description: "Bytes per second that the server's container sends and receives.",
  },
  'pool_utilization:ratio': {
    title: 'Pool utilization',
    description:
      "Connections of the server's database pool in use, of its size. At 100% requests wait for a connection.",
    steps: [0.8],
    ofServer: true,
    saturates: true,
  },
  'pool_connections_in_use:count': {
    title: 'Pool connections in use',
    description:
      "Connections of the server's database pool in use. A count that grows without load means that connections are not returned.",
  },
  'pool_waiting:count': {
    title: 'Requests waiting for the pool',
    description:
      'Requests that wait for a connection of the pool. If it stays above zero, the pool is a bottleneck.',
  },
  'pool_wait:seconds': {
    title: 'Pool wait',
    description: 'Mean time that a request waits for a connection of the pool.',
  },
  'db_query_duration:seconds': {
    title: 'Query duration',
    description: 'Mean duration of a query as the server sees it, without the wait for a connection.',
  },
  'db_query_rate:rate': { title: 'Query rate', description: 'Queries per second that the server runs.' },
  'cache_hit:ratio': {
    title: 'Cache hit ratio',
    description: 'Lookups that the cache answered, of all lookups.',
  },
  'cache_lookups:rate': {
    title: 'Cache lookups',
    description: 'Lookups per second in the cache, hits and misses.',
  },
  'cache_time:seconds': {
    title: 'Cache command duration',
    description: 'Mean duration of a command to the cache as the server sees it.',
  },
  'request:seconds': {
    title: 'Request duration in the server',
    description:
      'Mean duration of a request as the server sees it. If clients wait longer, the rest is spent outside of it.',
  },
  'upstream:seconds': {
    title: 'Upstream latency',
    description: 'Mean duration of calls to services behind the server.',
  },
  'upstream_calls:rate': {
    title: 'Upstream calls',
    description: 'Calls per second to services behind the server.',
  },
  'rate_limited:rate': {
    title: 'Rate-limited requests',
    description: 'Requests per second that the server refused with 429.',
  },
  'breaker_open:rate': {
    title: 'Circuit breaker trips',
    description:
      'Circuit breakers that opened, per second. Calls are refused without being tried until they close.',
  },
  'upstream_timeouts:rate': {
    title: 'Upstream timeouts',
    description: 'Calls per second to services behind the server that timed out.',
  },
  'tool_errors:rate': {
    title: 'Tool errors',
    description: 'Tool calls per second that the server answered with an error.',
  },
  'workers:count': {
    title: 'Workers',
    description:
      'Processes that serve requests. One that ends is replaced: a dip is a crash, and its requests failed.',
  },
  'sessions:count': {
    title: 'Sessions',
    description: 'Open sessions of the server. Unused sessions have to expire.',
  },
  'deadlocks:rate': {
    title: 'Deadlocks',
    description: 'Queries per second that the database ended to break a deadlock.',
  },
  'db_connections:ratio': {
    title: 'Database connection utilization',
    description: 'Connections to the database, of its limit.',
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
      "The server's connections to the database that wait for an answer, of those that are open. Inferred from the connections.",
  },
  'db_running:count': {
    title: 'Running queries',
    description:
      'Queries that run and wait for nothing. If there are more of them than cores, the database is short of CPU.',
  },
  'db_io:count': { title: 'Queries waiting for I/O', description: 'Queries that wait for a disk.' },
  'db_locks:count': { title: 'Queries waiting for a lock', description: 'Queries that wait for a lock.' },
  'db_transactions:rate': {
    title: 'Database transactions',
    description: 'Transactions per second, rolled back ones included.',
  },
  'cache_server_cpu:ratio': {
    title: 'Redis CPU',
    description: 'CPU that Redis uses, of one core. Its commands run on one thread: at 100% they queue.',
    steps: [0.7, 0.9],
    ofServer: true,
    saturates: true,
    above1: true,
  },
  'redis_memory:bytes': { title: 'Redis memory', description: 'Memory that Redis uses for data.' },
  'redis_evictions:rate': {
    title: 'Redis evictions',
    description: 'Keys per second that Redis evicted for want of memory.',
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
 * @returns {string} its title in charts and tables
 */
export function titleOf(name, unit) {
  const words = name.replaceAll('_', ' ');
  return SIGNALS[`${name}:${unit}`]?.title ?? words.replace(/^./, (first) => first.toUpperCase());
}

/** Below this utilization a resource is far from its limit. */
export const MIN_UTILIZATION = 0.1;
/** A process that exceeds one core by more than the error of a rate is not limited to one core. */
export const MAX_OF_ONE_CORE = 1.15;

/** How each signal is drawn, by the name that its recording rule gives it after `signal:`. */

/** From `value` on; null: the lowest step. */
export interface Step {
  color: string;
  value: number | null;
}

interface DrawnSignal {
  title: string;
  /** What it is, and how to read it. */
  description: string;
  /** Grafana's id of the unit. */
  unit: string;
  /** Of the axis. */
  max?: number;
  steps?: Step[];
}

/** From this share of the machine's CPU on, k6 measures its own waiting. As GENERATOR_CPU_LIMIT in analysis/findings/trust-rules.ts. */
export const GENERATOR_SATURATED = 0.8;

export const steps = (orange: number, red: number): Step[] => [
  { color: 'green', value: null },
  { color: 'orange', value: orange },
  { color: 'red', value: red },
];
/** Purple always means: the figures are not trustworthy. */
export const GENERATOR_STEPS: Step[] = [
  { color: 'green', value: null },
  { color: 'orange', value: 0.6 },
  { color: 'purple', value: GENERATOR_SATURATED },
];
/** Of a failure rate: orange from the first failure in 10,000. */
export const FAILURE_STEPS = steps(0.0001, 0.01);
/** Neither good nor bad. */
export const NEUTRAL: Step[] = [{ color: 'blue', value: null }];

const UNITS: Record<string, string> = {
  ratio: 'percentunit',
  bytes: 'bytes',
  seconds: 's',
  count: 'short',
  rate: 'ops',
  bytes_rate: 'Bps',
};
/** Ratios of one core: several cores may be in use. */
const OF_ONE_CORE = [
  ...['worker_cpu:ratio', 'busiest_thread:ratio', 'busiest_thread_cpu:ratio', 'busiest_process:ratio'],
  ...['cpu_wait:ratio', 'cache_server_cpu:ratio'],
];

const CATALOGUE: Record<string, [title: string, description: string, steps?: Step[]]> = {
  'cpu:ratio': ['Server CPU', "CPU that the server uses, of all the machine's cores."],
  'worker_cpu:ratio': [
    'CPU per worker',
    'CPU that a process of the server uses, of one core, on average. At 100% a process with one thread is saturated, even if other cores are idle.',
    steps(0.7, 0.9),
  ],
  'busiest_thread:ratio': [
    'Busiest thread',
    'Time in which the busiest thread of the server runs or waits for a CPU. At 100% an event loop or an interpreter lock is saturated, even if other cores are idle.',
    steps(0.7, 0.9),
  ],
  'busiest_thread_cpu:ratio': [
    'CPU of the busiest thread',
    'CPU that the busiest thread of the server uses, of one core.',
  ],
  'busiest_process:ratio': [
    'Busiest process',
    'CPU that the busiest process of each program of the server uses, of one core. A process that stays at 100% with many threads is held by a lock, as CPython and Ruby have one.',
  ],
  'peer_cpu:ratio': [
    'CPU of connected programs',
    "CPU of the programs of this machine that the server is connected to, of all the machine's cores: its database, a browser, another server.",
  ],
  'cpu_wait:ratio': [
    'CPU wait',
    'Seconds per second in which threads of the server are ready to run and wait for a CPU.',
  ],
  'connections_in:count': ['Client connections', 'Established connections of clients to the server.'],
  'connections_unread:count': [
    'Unread connections',
    'Connections of clients with bytes that the server has not read yet. If it stays above zero, the thread that reads them is busy or blocked.',
  ],
  'send_queue:bytes': ['Send queue', 'Bytes that the server sent and that were not acknowledged.'],
  'accept_queue:ratio': [
    'Accept queue utilization',
    'Connections that wait to be accepted by the server, of the backlog. When the queue is full, new connections wait a second or more.',
    steps(0.5, 0.9),
  ],
  'listen_overflows:rate': [
    'Accept queue overflows',
    'Connections per second that found an accept queue full. All servers of the network namespace are counted.',
  ],
  'memory:bytes': [
    'Server memory',
    'Resident memory of all processes of the server. Memory that grows and never falls is a leak.',
  ],
  'memory_utilization:ratio': [
    'Memory limit utilization',
    "Memory of the server's cgroup in use, of its limit, without what the kernel can reclaim. At 100% the kernel ends a process.",
    steps(0.8, 0.95),
  ],
  'oom_kills:count': [
    'Out-of-memory kills',
    "Processes that the kernel ended because the server's cgroup reached its memory limit.",
  ],
  'major_faults:rate': [
    'Major page faults',
    'Page faults of the server per second that had to read from disk.',
  ],
  'server_disk_io:bytes_rate': [
    'Server disk throughput',
    'Bytes per second that the processes of the server read from disk and write to it.',
  ],
  'threads:count': ['Threads', 'Threads of all processes of the server.'],
  'restarts:count': [
    'Restarts',
    "Times that another process took over the server's port since the run began.",
  ],
  'eventloop_lag:seconds': [
    'Event loop lag',
    'Event loop lag of the worst worker, 99th percentile. It grows when one thread has more to do than one core can, even with CPU left on the machine.',
    steps(0.05, 0.2),
  ],
  'gc:ratio': [
    'Garbage collection',
    'Time that a process of the server spends in garbage collection.',
    steps(0.05, 0.1),
  ],
  'heap:ratio': [
    'Heap utilization',
    'Heap in use, of its limit, in the worst worker. Near 100% the collector runs all the time, then the worker ends.',
    steps(0.7, 0.9),
  ],
  'open_files_count:count': [
    'Open file descriptors',
    'Files and connections that the server has open. A count that grows and never falls is a leak.',
  ],
  'open_files:ratio': [
    'File descriptor utilization',
    "Open files and connections of the server's process, of its limit.",
    steps(0.7, 0.9),
  ],
  'cpu_throttled:ratio': [
    'CPU throttling',
    "Scheduling periods in which the server's container had used up its CPU limit.",
    steps(0.05, 0.25),
  ],
  'container_network:bytes_rate': [
    'Container network',
    "Bytes per second that the server's container sends and receives.",
  ],
  'pool_utilization:ratio': [
    'Pool utilization',
    "Connections of the server's database pool in use, of its size. At 100% requests wait for a connection.",
    [
      { color: 'green', value: null },
      { color: 'red', value: 0.8 },
    ],
  ],
  'pool_connections_in_use:count': [
    'Pool connections in use',
    "Connections of the server's database pool in use. A count that grows without load means that connections are not returned.",
  ],
  'pool_waiting:count': [
    'Requests waiting for the pool',
    'Requests that wait for a connection of the pool. If it stays above zero, the pool is a bottleneck.',
  ],
  'pool_wait:seconds': ['Pool wait', 'Mean time that a request waits for a connection of the pool.'],
  'db_query_duration:seconds': [
    'Query duration',
    'Mean duration of a query as the server sees it, without the wait for a connection.',
  ],
  'db_query_rate:rate': ['Query rate', 'Queries per second that the server runs.'],
  'cache_hit:ratio': ['Cache hit ratio', 'Lookups that the cache answered, of all lookups.'],
  'cache_lookups:rate': ['Cache lookups', 'Lookups per second in the cache, hits and misses.'],
  'cache_time:seconds': [
    'Cache command duration',
    'Mean duration of a command to the cache as the server sees it.',
  ],
  'request:seconds': [
    'Request duration in the server',
    'Mean duration of a request as the server sees it. If clients wait longer, the rest is spent outside of it.',
  ],
  'upstream:seconds': ['Upstream latency', 'Mean duration of calls to services behind the server.'],
  'upstream_calls:rate': ['Upstream calls', 'Calls per second to services behind the server.'],
  'rate_limited:rate': ['Rate-limited requests', 'Requests per second that the server refused with 429.'],
  'breaker_open:rate': [
    'Circuit breaker trips',
    'Circuit breakers that opened, per second. Calls are refused without being tried until they close.',
  ],
  'upstream_timeouts:rate': [
    'Upstream timeouts',
    'Calls per second to services behind the server that timed out.',
  ],
  'tool_errors:rate': ['Tool errors', 'Tool calls per second that the server answered with an error.'],
  'workers:count': [
    'Workers',
    'Processes that serve requests. One that ends is replaced: a dip is a crash, and its requests failed.',
  ],
  'sessions:count': ['Sessions', 'Open sessions of the server. Unused sessions have to expire.'],
  'deadlocks:rate': ['Deadlocks', 'Queries per second that the database ended to break a deadlock.'],
  'db_connections:ratio': [
    'Database connection utilization',
    'Connections to the database, of its limit.',
    steps(0.7, 0.9),
  ],
  'db_clients:count': ["Server's database connections", "The server's connections to the database."],
  'db_clients_waiting:ratio': [
    'Database connections waiting',
    "The server's connections to the database that wait for an answer, of those that are open. Inferred from the connections.",
  ],
  'db_running:count': [
    'Running queries',
    'Queries that run and wait for nothing. If there are more of them than cores, the database is short of CPU.',
  ],
  'db_io:count': ['Queries waiting for I/O', 'Queries that wait for a disk.'],
  'db_locks:count': ['Queries waiting for a lock', 'Queries that wait for a lock.'],
  'db_transactions:rate': ['Database transactions', 'Transactions per second, rolled back ones included.'],
  'cache_server_cpu:ratio': [
    'Redis CPU',
    'CPU that Redis uses, of one core. Its commands run on one thread: at 100% they queue.',
    steps(0.7, 0.9),
  ],
  'redis_memory:bytes': ['Redis memory', 'Memory that Redis uses for data.'],
  'redis_evictions:rate': ['Redis evictions', 'Keys per second that Redis evicted for want of memory.'],
  'host_cpu:ratio': [
    'Host CPU',
    'CPU in use on the machine, by all processes, the generator included.',
    steps(0.8, 0.95),
  ],
  'host_memory:ratio': [
    'Host memory',
    'Memory in use on the machine, without what the kernel can reclaim.',
    steps(0.8, 0.9),
  ],
  'network:bytes_rate': [
    'Host network',
    'Bytes per second that the machine sends and receives, loopback included.',
  ],
  'disk_io:bytes_rate': ['Disk throughput', "Bytes per second that the machine's disks read and write."],
  'disk_busy:ratio': [
    'Disk utilization',
    'Time in which the busiest disk had something to do. Disks that work in parallel may have room at 100%.',
  ],
  'process_starts:rate': ['Processes started', 'Processes and threads that were started on the machine.'],
  'cpu_steal:ratio': ['CPU steal', "The machine's CPU that the hypervisor gave to others.", steps(0.05, 0.2)],
  'cpu_pressure:ratio': [
    'CPU pressure',
    'Time in which a process was ready to run and had to wait for a CPU (PSI, some).',
  ],
  'tcp_retransmits:rate': [
    'TCP retransmits',
    'Segments per second that were sent again because they were not acknowledged.',
  ],
  'generator_cpu:ratio': [
    'Generator CPU',
    "CPU that k6 uses, of all the machine's cores. Above the purple line its latencies are not trustworthy.",
    GENERATOR_STEPS,
  ],
  'generator_memory:bytes': ['Generator memory', 'Resident memory of k6.'],
};

export const SIGNALS: Record<string, DrawnSignal> = Object.fromEntries(
  Object.entries(CATALOGUE).map(([name, [title, description, steps]]) => {
    const unit = name.split(':')[1] ?? '';
    return [
      name,
      {
        title,
        description,
        unit: name === 'rate_limited:rate' ? 'reqps' : (UNITS[unit] ?? ''),
        ...(unit === 'ratio' && !OF_ONE_CORE.includes(name) && name !== 'gc:ratio' && { max: 1 }),
        ...(steps && { steps }),
      },
    ];
  }),
);

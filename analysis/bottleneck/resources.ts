/**
 * The rules of bottleneck attribution as data: what can limit a run, and how it shows. `rules-table.ts`
 * renders them as a table.
 *
 * Resources are checked by the USE method (Gregg, Systems Performance, 2.5.9): utilization, saturation,
 * errors. Each cause has readings. A cause that holds makes its resource a suspect. Resources that a suspect
 * `explains` are its symptoms: if slow statements fill a pool, the database is reported, not the pool.
 *
 * A threshold has the unit of its series. The series is a signal (docs/signals.md), `client.*`, or a derived
 * series (derived.ts).
 */

import { MAX_OF_ONE_CORE } from '../../contract/signals.js';
import { BOTTLENECK } from '../limits.ts';
import type { Part } from './parts.ts';

export interface Reading {
  series: string;
  role: 'utilization' | 'saturation' | 'errors';
  /** Holds at or above this value. */
  least?: number;
  /** Holds at or above this multiple of the baseline. */
  times?: number;
  /** Holds at or above the baseline plus this value. */
  more?: number;
  /** Holds at or below the baseline minus this value. */
  fallen?: number;
  /** Holds at or below this share of the baseline, or without any samples. */
  share?: number;
  /** Inverts the reading: it holds only if the values are known to be below the threshold. */
  not?: true;
  /**
   * Also requires a value above the 90th percentile of the baseline's points, because means of few requests
   * scatter.
   */
  usual?: true;
  /** The value is the duration of one round trip, to which a late thread adds at most its own delay. */
  once?: true;
}

export interface Cause {
  id: string;
  /** At least one of these must hold. */
  any?: Reading[];
  /** All of these must hold as well. */
  all?: Reading[];
  /** None of these may hold; an unknown reading does not hold. */
  unless?: Reading[];
  /** Also requires an operation that blocks the thread (blocking-tool.ts). */
  tool?: true;
  /** Alternative to `any` and `all`: the machine has no CPU left, and this series is the largest consumer. */
  topConsumer?: string;
  /**
   * Text after the colon of the statement. {series} is its level in the phase, {series.from} its level in the
   * baseline, {series.destination} the peer of its connections, {series.program} its program, {tool} the
   * operation that blocks the thread. Clauses are separated by `;`; a clause with an unknown value is left
   * out.
   */
  says: string;
  /** Recommended action. */
  hint: string;
  /** Resources that are full because of this cause. */
  explains?: string[];
  /** Like `explains`, but only for resources that reached their limit after this cause. */
  leadsTo?: string[];
  /**
   * Resources that look slow because of this cause. They are its symptoms, unless one of their own causes has
   * `isRootCause`.
   */
  slows?: string[];
  /**
   * Series (a 99th percentile) that bounds how much this cause slows a round trip: a round trip takes several
   * turns of the event loop, and most of them are less late.
   */
  within?: string;
  /** The readings cannot be a side effect of another slow resource. */
  isRootCause?: true;
  /**
   * Parts of a request's time that the cause affects. The cause is dropped if these parts account for less
   * than BOTTLENECK.minPart of the added time.
   */
  parts?: Part[];
}

export interface Resource {
  id: string;
  /** Name of the resource in a sentence, after "the". */
  subject: string;
  /** The most specific cause first. */
  causes: Cause[];
  /** Fills up whenever something is slow, so it is a symptom of any resource that was full earlier. */
  pilesUp?: true;
  /** Kinds of failures that the resource causes; absent if it may cause any kind. */
  failures?: string[];
  /** Signals without which the resource cannot be assessed reliably. */
  needs: string[];
}

export const FULL_HOST = { series: 'host_cpu', role: 'utilization', least: BOTTLENECK.fullCpu } as Reading;
/** A thread that always waits for CPU looks like one that is always busy. */
const NO_CPU_LEFT = { series: 'host_cpu', role: 'utilization', least: 0.97 } as Reading;
/** A process that uses one core, although it could use more. */
const ONE_CORE = { series: 'busiest_process', role: 'utilization', least: 0.85, more: 0.1 } as Reading;
/** Threads that do not wait for a lock use more than one core, or all of the machine. */
const MORE_THAN_ONE_CORE = [
  { series: 'busiest_process', role: 'utilization', least: MAX_OF_ONE_CORE } as Reading,
  FULL_HOST,
];
/**
 * Signals of the CPU that each part of the run uses, as a share of the machine, with the part's name in a
 * sentence.
 */
export const CONSUMERS = {
  server_cpu: 'the server',
  generator_cpu: 'k6',
  db_cpu: 'the database',
  cache_cpu: 'the cache',
  connected_cpu: 'what it is connected to',
  stack_cpu: 'Prometheus and the exporters',
  unconnected_cpu: 'other programs',
};

/** Cache misses go to the database. If the database is hardly queried, the cache is not the cause. */
const DATABASE_LEFT_ALONE = {
  series: 'db_queries_per_request',
  role: 'errors',
  share: 0.5,
} as Reading;

/** Statements take as long as in the baseline, or there are none. */
const CALM_DATABASE = {
  series: 'db_query_duration',
  role: 'saturation',
  times: 2,
  more: 0.005,
  not: true,
} as Reading;
const EVERYTHING_SLOW = [
  ...['generator', 'target_cpu', 'database', 'pool', 'cache', 'upstream', 'network'],
  ...['server_thread', 'accept_queue'],
];
/** Requests arrive, but the server does not read them. */
const UNREAD = {
  series: 'connections_unread',
  role: 'saturation',
  least: 2,
  more: 2,
} as Reading;

export const RESOURCES: Resource[] = [
  {
    id: 'host_cpu',
    subject: 'host CPU',
    causes: [
      {
        id: 'other processes',
        topConsumer: 'unconnected_cpu',
        says: 'they used {unconnected_cpu} of it (baseline {unconnected_cpu.from});{host_cpu} of it was in use, {server_cpu} by the server',
        hint: 'stop other programs on the machine, or use a dedicated machine',
        // The thread that accepts connections is late as well, but no signal shows it.
        explains: ['network'],
        slows: [...EVERYTHING_SLOW, 'memory_gc'],
        within: 'eventloop_lag',
        isRootCause: true,
      },
      {
        id: 'stolen',
        any: [{ series: 'cpu_steal', role: 'saturation', least: 0.1, more: 0.05 }],
        // Stolen time makes calls late. Calls that pile up wait for something else.
        unless: [{ series: 'requests_in_flight', role: 'saturation', least: 10, times: 10 }],
        says: 'the hypervisor gave {cpu_steal} of it to other machines',
        hint: 'use a machine whose CPU is not shared',
        slows: [...EVERYTHING_SLOW, 'memory_gc'],
        within: 'eventloop_lag',
        isRootCause: true,
      },
    ],
    needs: ['host_cpu', 'other_cpu'],
  },
  {
    id: 'generator',
    subject: 'load generator',
    causes: [
      {
        id: 'greedy',
        topConsumer: 'generator_cpu',
        any: [{ series: 'generator_cpu', role: 'utilization', least: 0.8, more: 0.1 }],
        says: "k6 used {generator_cpu} of the machine's CPU (baseline {generator_cpu.from})",
        hint: 'run k6 on a separate machine: latencies include its own waiting, and it takes CPU from the server',
        within: 'eventloop_lag',
        explains: ['network'],
        slows: EVERYTHING_SLOW,
        isRootCause: true,
      },
      {
        id: 'CPU allowance',
        any: [{ series: 'generator_allowed', role: 'utilization', least: 0.8, more: 0.1 }],
        says: 'k6 used {generator_allowed} of its allowed CPU (baseline {generator_allowed.from})',
        hint: 'give k6 more processors (affinity, cgroup, GOMAXPROCS), or offer less load',
        slows: ['network'],
      },
      {
        id: 'starved',
        all: [{ series: 'generator_share', role: 'saturation', least: 0.3, more: 0.1 }],
        any: [{ series: 'time_in_generator', role: 'saturation', least: 0.003, more: 0.002, once: true }],
        says: "answers waited {generator_delay} for k6, {generator_share} of a call's time",
        hint: 'give k6 more CPU, or run it on a separate machine: latencies include its own waiting',
        parts: ['generator'],
        explains: ['network'],
      },
    ],
    needs: ['generator_cpu', 'generator_delay', 'request'],
  },
  {
    id: 'memory_gc',
    subject: 'memory',
    causes: [
      {
        id: 'limit',
        any: [
          { series: 'memory_utilization', role: 'utilization', least: 0.95, more: 0.02 },
          { series: 'oom_kills', role: 'errors', least: 1, more: 1 },
        ],
        says: "{memory_utilization} of the server's memory limit was in use (baseline {memory_utilization.from});the kernel killed {oom_kills} processes for lack of memory",
        hint: 'raise the memory limit of its cgroup (container), or find what uses the memory',
        explains: ['server_process', 'target_cpu', 'network'],
        slows: EVERYTHING_SLOW,
        isRootCause: true,
      },
      {
        id: 'garbage collection',
        any: [{ series: 'gc', role: 'saturation', least: 0.2, more: 0.1 }],
        says: "garbage collection took {gc} of a process's time (baseline {gc.from})",
        hint: 'reduce what a request allocates and keeps; a larger heap needs fewer collections',
        explains: ['target_cpu'],
        within: 'eventloop_lag',
        slows: EVERYTHING_SLOW,
      },
      {
        id: 'heap',
        any: [{ series: 'heap', role: 'utilization', least: 0.9, more: 0.1 }],
        says: '{heap} of the heap limit was in use (baseline {heap.from})',
        hint: 'find what uses the heap, or raise its limit',
        explains: ['target_cpu'],
        within: 'eventloop_lag',
        slows: EVERYTHING_SLOW,
      },
      {
        id: 'memory',
        any: [{ series: 'host_memory', role: 'utilization', least: 0.97, more: 0.02 }],
        says: "{host_memory} of the machine's memory was in use (baseline {host_memory.from})",
        hint: 'find what uses the memory, or use a machine with more memory',
        slows: EVERYTHING_SLOW,
      },
    ],
    needs: ['gc', 'heap'],
  },
  {
    id: 'cache',
    subject: 'cache',
    causes: [
      {
        id: 'off',
        any: [{ series: 'cache_lookups_per_request', role: 'errors', share: 0.2 }],
        unless: [DATABASE_LEFT_ALONE],
        says: 'the server hardly used it any more (baseline {cache_lookups_per_request.from} lookups per request);a request spent {time_in_database} in the database (baseline {time_in_database.from})',
        hint: 'find out why the server stopped using its cache',
        parts: ['cache', 'database', 'pool'],
        explains: ['database', 'pool', 'target_cpu'],
        isRootCause: true,
      },
      {
        id: 'misses',
        any: [{ series: 'cache_hit', role: 'errors', fallen: 0.3 }],
        unless: [DATABASE_LEFT_ALONE],
        says: 'its hit rate was {cache_hit} (baseline {cache_hit.from});a request spent {time_in_database} in the database (baseline {time_in_database.from})',
        hint: 'find out why entries are missing: lifetime, keys, evictions, or an unavailable cache',
        parts: ['cache', 'database', 'pool'],
        explains: ['database', 'pool', 'target_cpu'],
        isRootCause: true,
      },
      {
        id: 'server CPU',
        topConsumer: 'cache_cpu',
        any: [{ series: 'cache_server_cpu', role: 'utilization', least: 0.9, more: 0.1 }],
        says: 'its single thread was busy {cache_server_cpu} of the time;a command took {cache_time} (baseline {cache_time.from})',
        hint: 'find slow commands, send fewer commands, or shard the keys',
        parts: ['cache'],
        slows: EVERYTHING_SLOW,
        isRootCause: true,
      },
      {
        id: 'slow',
        any: [{ series: 'cache_time', role: 'saturation', times: 3, more: 0.002, once: true }],
        says: 'a command took {cache_time} (baseline {cache_time.from})',
        hint: 'check for slow commands, large values, and the network to the cache',
        parts: ['cache'],
      },
    ],
    needs: ['cache_hit', 'cache_time', 'cache_lookups'],
  },
  {
    id: 'server_thread',
    subject: "server's thread",
    causes: [
      {
        id: 'blocking tool',
        tool: true,
        any: [
          { series: 'busiest_thread', role: 'utilization', least: 0.9, more: 0.1 },
          { series: 'eventloop_lag', role: 'saturation', least: 0.05, times: 2 },
          UNREAD,
        ],
        says: '{tool}',
        hint: 'move the tool off the thread that serves other calls: use an async client, a thread pool or a worker process',
        explains: ['target_cpu', 'accept_queue'],
        slows: EVERYTHING_SLOW,
        isRootCause: true,
      },
      {
        id: 'blocked',
        any: [UNREAD],
        // A busy thread is not blocked.
        unless: [
          { series: 'busiest_thread', role: 'utilization', least: 0.6 },
          { series: 'busiest_process', role: 'utilization', least: 0.6 },
        ],
        says: '{connections_unread} connections had unread requests, while its busiest thread was busy only {busiest_thread} of the time',
        hint: 'find calls that block the thread that reads requests: synchronous I/O, a sleep or a lock in an asynchronous handler',
        slows: ['pool', 'network', 'accept_queue'],
      },
    ],
    needs: ['busiest_thread', 'connections_unread'],
  },
  {
    id: 'target_cpu',
    subject: 'target CPU',
    causes: [
      {
        id: 'CPU quota',
        any: [{ series: 'cpu_throttled', role: 'saturation', least: 0.2, more: 0.1 }],
        says: 'its CPU quota was exhausted in {cpu_throttled} of the scheduling periods (baseline {cpu_throttled.from});{host_cpu} of the host CPU was in use',
        hint: 'raise the CPU limit of its cgroup (container), or profile what a request computes',
        slows: EVERYTHING_SLOW,
        isRootCause: true,
      },
      {
        id: 'worker thread',
        any: [{ series: 'worker_cpu', role: 'utilization', least: 0.9, more: 0.1 }],
        says: 'a worker used {worker_cpu} of a core (baseline {worker_cpu.from});its event-loop lag was {eventloop_lag} (p99)',
        hint: 'profile what a request computes; more workers help if the machine has idle cores',
        within: 'eventloop_lag',
        slows: EVERYTHING_SLOW,
        isRootCause: true,
      },
      {
        id: 'single thread',
        any: [{ series: 'busiest_thread', role: 'utilization', least: 0.9, more: 0.1 }],
        // A thread that waits for CPU counts as busy, whatever the other threads do.
        unless: [{ series: 'cpu_of_crowding_threads', role: 'utilization', least: 0.3 }, NO_CPU_LEFT],
        says: "its busiest thread was busy {busiest_thread} of the time (baseline {busiest_thread.from}), with {host_cpu} of the machine's CPU in use",
        hint: 'the server runs in one thread: more workers help if the machine has idle cores; profile what a request computes',
        slows: EVERYTHING_SLOW,
        isRootCause: true,
      },
      {
        id: 'interpreter lock',
        any: [ONE_CORE],
        all: [{ series: 'cpu_of_other_threads', role: 'utilization', least: 0.4 }],
        unless: MORE_THAN_ONE_CORE,
        says: "{busiest_process.program} used at most {busiest_process} of a core (baseline {busiest_process.from}) with {threads} threads, while {host_cpu} of the machine's CPU was in use",
        hint: 'a lock lets only one thread run at a time, such as the interpreter lock of CPython and Ruby: more processes help if the machine has idle cores; profile what a request computes',
        slows: EVERYTHING_SLOW,
        isRootCause: true,
      },
      {
        id: 'one core',
        any: [ONE_CORE],
        unless: MORE_THAN_ONE_CORE,
        says: "{busiest_process.program} used at most {busiest_process} of a core (baseline {busiest_process.from}), while {host_cpu} of the machine's CPU was in use",
        hint: 'one thread does the work: more processes help if the machine has idle cores; profile what a request computes',
        slows: EVERYTHING_SLOW,
        isRootCause: true,
      },
      {
        id: 'one process per call',
        any: [{ series: 'process_starts', role: 'saturation', least: 10, times: 2 }],
        all: [
          FULL_HOST,
          { series: 'server_cpu', role: 'utilization', least: 0.4 },
          { series: 'requests_per_start', role: 'saturation', least: 2, not: true },
        ],
        says: "processes and threads were started at {process_starts}, one per {requests_per_start} calls;the server used {server_cpu} of the machine's CPU;{host_cpu} was in use in total",
        hint: 'reuse a process for several calls, or replace the program with a library',
        explains: ['network'],
        slows: EVERYTHING_SLOW,
        isRootCause: true,
      },
      {
        id: 'machine',
        topConsumer: 'server_cpu',
        says: "it used {server_cpu} of the machine's CPU;{host_cpu} was in use in total;its event-loop lag was {eventloop_lag} (p99)",
        hint: 'profile what a request computes, or use a machine with more cores',
        within: 'eventloop_lag',
        explains: ['network'],
        slows: EVERYTHING_SLOW,
        isRootCause: true,
      },
      {
        id: 'event loop',
        any: [{ series: 'eventloop_lag', role: 'saturation', least: 0.05, times: 2 }],
        says: 'its event-loop lag was {eventloop_lag} (p99; baseline {eventloop_lag.from});a worker used {worker_cpu} of a core',
        hint: 'find what blocks the thread, such as a long synchronous computation',
        within: 'eventloop_lag',
        slows: EVERYTHING_SLOW,
      },
    ],
    needs: ['host_cpu', 'other_cpu'],
  },
  {
    id: 'database',
    subject: 'database',
    causes: [
      {
        id: 'locks',
        any: [{ series: 'db_locks', role: 'saturation', least: 1, more: 1 }],
        says: '{db_locks} statements waited for locks;a statement took {db_query_duration} (baseline {db_query_duration.from})',
        hint: 'find rows that many requests change, and transactions that lock them for long',
        parts: ['database', 'pool'],
        explains: ['pool'],
        isRootCause: true,
      },
      {
        id: 'connections',
        any: [{ series: 'db_connections', role: 'utilization', least: 0.9, more: 0.05 }],
        says: '{db_connections} of its maximum connections were open',
        hint: 'use smaller pools or a pooler, or raise the limit',
        parts: ['database', 'pool'],
        explains: ['pool'],
        isRootCause: true,
      },
      {
        id: 'CPU',
        topConsumer: 'db_cpu',
        says: "it used {db_cpu} of the machine's CPU;{db_running} statements ran concurrently;a statement took {db_query_duration} (baseline {db_query_duration.from})",
        hint: 'find the most expensive statements, and missing indexes',
        parts: ['database', 'pool'],
        explains: ['pool'],
        slows: EVERYTHING_SLOW,
        isRootCause: true,
      },
      {
        id: 'I/O',
        any: [{ series: 'db_io', role: 'saturation', least: 1, more: 1 }],
        says: '{db_io} statements waited for I/O;the disk was busy {disk_busy} of the time',
        hint: 'give its cache more memory, read fewer rows, or use a faster disk',
        parts: ['database', 'pool'],
        explains: ['pool'],
        isRootCause: true,
      },
      {
        id: 'slow statements',
        any: [{ series: 'db_query_duration', role: 'saturation', times: 2, more: 0.005, once: true }],
        says: 'a statement took {db_query_duration} (baseline {db_query_duration.from});{db_busy} ran concurrently',
        hint: 'find what changed in the statements, their plans, or the amount of data',
        parts: ['database', 'pool'],
        slows: ['pool'],
        within: 'db_query_duration',
      },
    ],
    needs: ['db_query_duration', 'db_query_rate', 'db_locks'],
  },
  {
    id: 'connected_program',
    subject: 'program behind the server',
    causes: [
      {
        id: 'CPU',
        topConsumer: 'connected_cpu',
        says: "{connected_cpu.program}, to which the server is connected, used {connected_cpu} of the machine's CPU (baseline {connected_cpu.from}), the server {server_cpu}",
        hint: 'find the most expensive statements or calls that the server sends to it',
        explains: ['network'],
        slows: EVERYTHING_SLOW,
        isRootCause: true,
      },
    ],
    needs: ['peer_cpu', 'host_cpu'],
  },
  {
    id: 'pool',
    subject: 'connection pool',
    causes: [
      {
        id: 'leak',
        all: [
          { series: 'pool_idle_in_use', role: 'utilization', least: 0.5 },
          { series: 'time_held_idle', role: 'saturation', least: 0.01, times: 3, once: true },
        ],
        any: [
          { series: 'pool_utilization', role: 'utilization', least: 0.95, more: 0.05 },
          { series: 'pool_waiting', role: 'saturation', least: 1, more: 1 },
        ],
        says: '{pool_utilization} in use, {pool_waiting} requests waiting;of {pool_connections_in_use} connections in use, only {db_busy} ran a statement',
        hint: 'find connections that are not returned to the pool, and transactions that stay open',
        parts: ['pool'],
      },
      {
        id: 'too small',
        all: [CALM_DATABASE],
        any: [
          { series: 'pool_waiting', role: 'saturation', least: 1, more: 1 },
          { series: 'pool_wait', role: 'saturation', least: 0.01, times: 3 },
          { series: 'pool_utilization', role: 'utilization', least: 0.95, more: 0.05 },
        ],
        says: '{pool_utilization} in use, {pool_waiting} requests waiting;mean wait {pool_wait} while the database ran {db_busy} statements',
        hint: 'use a larger pool, or hold connections for a shorter time',
        parts: ['pool'],
        isRootCause: true,
      },
      {
        id: 'full',
        any: [
          { series: 'pool_waiting', role: 'saturation', least: 1, more: 1 },
          { series: 'pool_wait', role: 'saturation', least: 0.01, times: 3 },
          { series: 'pool_utilization', role: 'utilization', least: 0.95, more: 0.05 },
        ],
        says: '{pool_utilization} in use, {pool_waiting} requests waiting;mean wait {pool_wait} while the database ran {db_busy} statements',
        hint: 'find what holds the connections; a larger pool only helps if the database can handle more statements',
        parts: ['pool'],
      },
      {
        id: 'observed externally',
        all: [CALM_DATABASE, { series: 'requests_per_db_client', role: 'saturation', least: 3, times: 3 }],
        any: [{ series: 'db_clients_waiting', role: 'utilization', least: 0.5, more: 0.1 }],
        says: 'connections to {db_clients.destination} stayed at {db_clients} while {requests_in_flight} requests were in flight (baseline {requests_in_flight.from}): this looks like a pool of {db_clients}',
        hint: 'use a larger pool, or hold connections for a shorter time',
        parts: ['pool'],
        isRootCause: true,
      },
    ],
    needs: ['pool_utilization', 'pool_waiting', 'db_query_duration'],
  },
  {
    id: 'upstream',
    subject: 'upstream service',
    causes: [
      {
        id: 'slow',
        any: [
          { series: 'upstream', role: 'saturation', times: 1.5, more: 0.05, once: true },
          { series: 'upstream_timeouts_per_request', role: 'errors', least: 0.01, more: 0.01 },
        ],
        says: 'a call to it took {upstream} (baseline {upstream.from});{upstream_timeouts} calls timed out',
        hint: 'check that service; a shorter timeout or a cache in front of it keeps requests from waiting',
        parts: ['upstream'],
      },
      {
        id: 'breaker',
        any: [{ series: 'breaker_open', role: 'errors', least: 0.05, more: 0.05 }],
        says: 'the circuit breaker in front of it opened {breaker_open}',
        hint: 'check that service',
        parts: ['upstream'],
      },
    ],
    failures: ['tool', 'http_5xx', 'jsonrpc'],
    needs: ['upstream', 'upstream_calls'],
  },
  {
    id: 'open_files',
    subject: 'file descriptors',
    causes: [
      {
        id: 'limit',
        any: [{ series: 'open_files', role: 'utilization', least: 0.95, more: 0.05 }],
        says: '{open_files} of the limit were open (baseline {open_files.from});{connections_in} client connections',
        hint: 'raise the limit (ulimit -n, LimitNOFILE), or find files and connections that are not closed',
        explains: ['accept_queue', 'network', 'server_thread'],
        // A server that cannot accept a connection retries immediately.
        leadsTo: ['target_cpu'],
        isRootCause: true,
      },
    ],
    pilesUp: true,
    needs: ['open_files'],
  },
  {
    id: 'accept_queue',
    subject: 'accept queue',
    causes: [
      {
        id: 'overflows',
        all: [{ series: 'listen_overflows', role: 'errors', least: 0.5, more: 0.5 }],
        any: [{ series: 'accept_queue', role: 'utilization', least: 0.5, more: 0.1 }],
        says: 'new connections were refused at {listen_overflows} because it was full;{accept_queue} of it was in use',
        hint: "raise the backlog (the server's and net.core.somaxconn), keep connections open, or accept connections sooner",
        explains: ['network'],
      },
    ],
    pilesUp: true,
    failures: ['connect', 'timeout'],
    needs: ['listen_overflows', 'accept_queue'],
  },
  {
    id: 'server_process',
    subject: 'server process',
    causes: [
      {
        id: 'restarts',
        any: [{ series: 'restarts', role: 'errors', least: 1, more: 1 }],
        says: 'it was replaced {restarts} times',
        hint: "check the server's log for the reason",
        explains: ['network'],
        isRootCause: true,
      },
    ],
    failures: ['connect', 'timeout'],
    needs: ['restarts'],
  },
  {
    id: 'rate_limiter',
    subject: 'rate limiter',
    causes: [
      {
        id: 'refusals',
        any: [
          { series: 'refused_per_request', role: 'errors', least: 0.01, more: 0.01 },
          { series: 'rate_limited_per_request', role: 'errors', least: 0.01, more: 0.01 },
        ],
        says: '{refused_per_request} of the requests were answered with 429',
        hint: 'offer less load, or raise the limit if it is not meant for this load',
        parts: [],
        isRootCause: true,
      },
    ],
    failures: ['rate_limited'],
    needs: [],
  },
  {
    id: 'network',
    subject: 'network',
    causes: [
      {
        id: 'slow',
        any: [
          { series: 'time_on_the_way', role: 'saturation', times: 2, more: 0.01, usual: true, once: true },
        ],
        says: 'a request spent {time_on_the_way} in the network (baseline {time_on_the_way.from})',
        hint: 'check the network: proxies, distance, packet loss',
        parts: ['way'],
      },
    ],
    failures: ['connect', 'timeout'],
    needs: ['request', 'generator_delay'],
  },
];

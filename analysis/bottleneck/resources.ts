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
  role: 'utilisation' | 'saturation' | 'errors';
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
   * Also requires a value above the 90th percentile of the baseline's points: means of few requests scatter.
   */
  usual?: true;
  /** The duration of one round trip: a late thread adds at most its own delay to it. */
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
  /** One operation must block the thread as well (blocking-tool.ts). */
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
  /** Resources that are full because of this cause if they reached their limit after it. */
  leadsTo?: string[];
  /**
   * Resources that look slow because of this cause. They are its symptoms, unless one of their own causes is
   * `itself`.
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
   * Parts of a request's time that the cause affects. It is dropped if they hold less than BOTTLENECK.minPart
   * of the added time.
   */
  parts?: Part[];
}

export interface Resource {
  id: string;
  /** Name of the resource in a sentence, after "the". */
  subject: string;
  /** The most specific cause first. */
  causes: Cause[];
  /** Fills up whenever something is slow: any resource that reached its limit earlier explains it. */
  pilesUp?: true;
  /** Kinds of failures that the resource causes; absent if it may cause any kind. */
  failures?: string[];
  /** Signals without which the resource cannot be assessed reliably. */
  needs: string[];
}

export const FULL_HOST = { series: 'host_cpu', role: 'utilisation', least: BOTTLENECK.fullCpu } as Reading;
/** A thread that always waits for CPU looks like one that is always busy. */
const NO_CPU_LEFT = { series: 'host_cpu', role: 'utilisation', least: 0.97 } as Reading;
/** A process that uses one core, although it could use more. */
const ONE_CORE = { series: 'busiest_process', role: 'utilisation', least: 0.85, more: 0.1 } as Reading;
/** Threads that do not wait for a lock use more than one core, or all of the machine. */
const MORE_THAN_ONE_CORE = [
  { series: 'busiest_process', role: 'utilisation', least: MAX_OF_ONE_CORE } as Reading,
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
        says: 'they took {unconnected_cpu} of it after {unconnected_cpu.from};{host_cpu} of it was in use, and the server had {server_cpu}',
        hint: 'end what else runs on the machine, or run the test where nothing else does',
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
        says: 'the hypervisor gave {cpu_steal} of it to others',
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
        any: [{ series: 'generator_cpu', role: 'utilisation', least: 0.8, more: 0.1 }],
        says: "k6 took {generator_cpu} of the machine's CPU after {generator_cpu.from}",
        hint: 'give k6 a machine of its own: its own waiting is in the latencies, and what it takes the server lacks',
        within: 'eventloop_lag',
        explains: ['network'],
        slows: EVERYTHING_SLOW,
        isRootCause: true,
      },
      {
        id: 'its share of the CPU',
        any: [{ series: 'generator_allowed', role: 'utilisation', least: 0.8, more: 0.1 }],
        says: 'k6 used {generator_allowed} of the CPU that it may use, after {generator_allowed.from}',
        hint: 'give k6 more processors (affinity, cgroup, GOMAXPROCS), or offer less',
        slows: ['network'],
      },
      {
        id: 'starved',
        all: [{ series: 'generator_share', role: 'saturation', least: 0.3, more: 0.1 }],
        any: [{ series: 'time_in_generator', role: 'saturation', least: 0.003, more: 0.002, once: true }],
        says: 'what arrived waited {generator_delay} until k6 took it up, {generator_share} of what a call took',
        hint: 'give k6 more CPU, or a machine of its own: its own waiting is in the latencies',
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
          { series: 'memory_utilization', role: 'utilisation', least: 0.95, more: 0.02 },
          { series: 'oom_kills', role: 'errors', least: 1, more: 1 },
        ],
        says: "{memory_utilization} of the server's memory limit was in use after {memory_utilization.from};the kernel ended {oom_kills} processes for it",
        hint: 'raise the limit of its cgroup (container), or look for what grows',
        explains: ['server_process', 'target_cpu', 'network'],
        slows: EVERYTHING_SLOW,
        isRootCause: true,
      },
      {
        id: 'garbage collection',
        any: [{ series: 'gc', role: 'saturation', least: 0.2, more: 0.1 }],
        says: 'collecting garbage took {gc} of the time of a process after {gc.from}',
        hint: 'look for what a request allocates and keeps; a larger heap makes collections rarer',
        explains: ['target_cpu'],
        within: 'eventloop_lag',
        slows: EVERYTHING_SLOW,
      },
      {
        id: 'heap',
        any: [{ series: 'heap', role: 'utilisation', least: 0.9, more: 0.1 }],
        says: "{heap} of the heap's limit was in use after {heap.from}",
        hint: 'look for what grows in the heap, or raise its limit',
        explains: ['target_cpu'],
        within: 'eventloop_lag',
        slows: EVERYTHING_SLOW,
      },
      {
        id: 'memory',
        any: [{ series: 'host_memory', role: 'utilisation', least: 0.97, more: 0.02 }],
        says: "{host_memory} of the machine's memory was in use after {host_memory.from}",
        hint: 'look for what grows, or use a machine with more memory',
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
        says: 'it was hardly asked any more after {cache_lookups_per_request.from} lookups a request;a request spent {time_in_database} in the database after {time_in_database.from}',
        hint: 'find out why the server has stopped using its cache',
        parts: ['cache', 'database', 'pool'],
        explains: ['database', 'pool', 'target_cpu'],
        isRootCause: true,
      },
      {
        id: 'misses',
        any: [{ series: 'cache_hit', role: 'errors', fallen: 0.3 }],
        unless: [DATABASE_LEFT_ALONE],
        says: 'it answered {cache_hit} of the lookups after {cache_hit.from};a request spent {time_in_database} in the database after {time_in_database.from}',
        hint: 'find out why entries are gone: lifetime, keys, evictions, or a cache that is away',
        parts: ['cache', 'database', 'pool'],
        explains: ['database', 'pool', 'target_cpu'],
        isRootCause: true,
      },
      {
        id: 'server CPU',
        topConsumer: 'cache_cpu',
        any: [{ series: 'cache_server_cpu', role: 'utilisation', least: 0.9, more: 0.1 }],
        says: 'its one thread was busy {cache_server_cpu} of the time;a command took {cache_time} after {cache_time.from}',
        hint: 'look for slow commands, ask for less, or spread keys over several servers',
        parts: ['cache'],
        slows: EVERYTHING_SLOW,
        isRootCause: true,
      },
      {
        id: 'slow',
        any: [{ series: 'cache_time', role: 'saturation', times: 3, more: 0.002, once: true }],
        says: 'a command took {cache_time} after {cache_time.from}',
        hint: 'look at slow commands, at the size of values, and at the way to the cache',
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
          { series: 'busiest_thread', role: 'utilisation', least: 0.9, more: 0.1 },
          { series: 'eventloop_lag', role: 'saturation', least: 0.05, times: 2 },
          UNREAD,
        ],
        says: '{tool}',
        hint: 'run that tool outside of the thread that serves the others: an async client, a thread pool, a worker process',
        explains: ['target_cpu', 'accept_queue'],
        slows: EVERYTHING_SLOW,
        isRootCause: true,
      },
      {
        id: 'blocked',
        any: [UNREAD],
        // A busy thread is not blocked.
        unless: [
          { series: 'busiest_thread', role: 'utilisation', least: 0.6 },
          { series: 'busiest_process', role: 'utilisation', least: 0.6 },
        ],
        says: '{connections_unread} connections had requests that it had not read, while its busiest thread was busy {busiest_thread} of the time',
        hint: 'look for calls that block the thread that reads requests: synchronous I/O, a sleep or a lock in an asynchronous handler',
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
        says: 'its CPU quota was used up in {cpu_throttled} of the scheduling periods after {cpu_throttled.from};{host_cpu} of the machine was in use',
        hint: 'raise the CPU limit of its cgroup (container), or profile what a request computes',
        slows: EVERYTHING_SLOW,
        isRootCause: true,
      },
      {
        id: 'worker thread',
        any: [{ series: 'worker_cpu', role: 'utilisation', least: 0.9, more: 0.1 }],
        says: 'a worker used {worker_cpu} of a core after {worker_cpu.from};its event loop ran {eventloop_lag} late (p99)',
        hint: 'profile what a request computes; more workers help where the machine has cores left',
        within: 'eventloop_lag',
        slows: EVERYTHING_SLOW,
        isRootCause: true,
      },
      {
        id: 'single thread',
        any: [{ series: 'busiest_thread', role: 'utilisation', least: 0.9, more: 0.1 }],
        // A thread that waits for CPU counts as busy, whatever the other threads do.
        unless: [{ series: 'cpu_of_crowding_threads', role: 'utilisation', least: 0.3 }, NO_CPU_LEFT],
        says: 'its busiest thread was busy {busiest_thread} of the time after {busiest_thread.from}, with {host_cpu} of the machine in use',
        hint: 'the server runs in one thread: more workers help where the machine has cores left; profile what a request computes',
        slows: EVERYTHING_SLOW,
        isRootCause: true,
      },
      {
        id: 'interpreter lock',
        any: [ONE_CORE],
        all: [{ series: 'cpu_of_other_threads', role: 'utilisation', least: 0.4 }],
        unless: MORE_THAN_ONE_CORE,
        says: '{busiest_process.program} used {busiest_process} of a core and no more, after {busiest_process.from}, over {threads} threads, with {host_cpu} of the machine in use',
        hint: 'a lock lets one thread run at a time, as that of the interpreter of CPython and Ruby: more processes help where the machine has cores left; profile what a request computes',
        slows: EVERYTHING_SLOW,
        isRootCause: true,
      },
      {
        id: 'one core',
        any: [ONE_CORE],
        unless: MORE_THAN_ONE_CORE,
        says: '{busiest_process.program} used {busiest_process} of a core and no more, after {busiest_process.from}, with {host_cpu} of the machine in use',
        hint: 'one thread does the work: more processes help where the machine has cores left; profile what a request computes',
        slows: EVERYTHING_SLOW,
        isRootCause: true,
      },
      {
        id: 'a process a call',
        any: [{ series: 'process_starts', role: 'saturation', least: 10, times: 2 }],
        all: [
          FULL_HOST,
          { series: 'server_cpu', role: 'utilisation', least: 0.4 },
          { series: 'requests_per_start', role: 'saturation', least: 2, not: true },
        ],
        says: 'processes and threads were started at {process_starts}, one for {requests_per_start} calls;the server took {server_cpu} of a machine of which {host_cpu} was in use',
        hint: 'keep a process for several calls, or use a library in place of a program',
        explains: ['network'],
        slows: EVERYTHING_SLOW,
        isRootCause: true,
      },
      {
        id: 'machine',
        topConsumer: 'server_cpu',
        says: 'it took {server_cpu} of a machine of which {host_cpu} was in use;its event loop ran {eventloop_lag} late (p99)',
        hint: 'profile what a request computes, or use a machine with more cores',
        within: 'eventloop_lag',
        explains: ['network'],
        slows: EVERYTHING_SLOW,
        isRootCause: true,
      },
      {
        id: 'event loop',
        any: [{ series: 'eventloop_lag', role: 'saturation', least: 0.05, times: 2 }],
        says: 'its event loop ran {eventloop_lag} late (p99) after {eventloop_lag.from};a worker used {worker_cpu} of a core',
        hint: 'find what blocks the thread: work that is done in one go',
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
        says: '{db_locks} statements waited for locks of others;a statement took {db_query_duration} after {db_query_duration.from}',
        hint: 'look for rows that many requests change, and for transactions that hold them for long',
        parts: ['database', 'pool'],
        explains: ['pool'],
        isRootCause: true,
      },
      {
        id: 'connections',
        any: [{ series: 'db_connections', role: 'utilisation', least: 0.9, more: 0.05 }],
        says: '{db_connections} of the connections that it allows were open',
        hint: 'smaller pools, a pooler, or a higher limit',
        parts: ['database', 'pool'],
        explains: ['pool'],
        isRootCause: true,
      },
      {
        id: 'CPU',
        topConsumer: 'db_cpu',
        says: "it took {db_cpu} of the machine's CPU;{db_running} statements ran at a time;a statement took {db_query_duration} after {db_query_duration.from}",
        hint: 'look for the statements that cost the most, and for missing indexes',
        parts: ['database', 'pool'],
        explains: ['pool'],
        slows: EVERYTHING_SLOW,
        isRootCause: true,
      },
      {
        id: 'I/O',
        any: [{ series: 'db_io', role: 'saturation', least: 1, more: 1 }],
        says: '{db_io} statements waited for I/O;the disk was busy {disk_busy} of the time',
        hint: 'more memory for its cache, fewer rows read, or a faster disk',
        parts: ['database', 'pool'],
        explains: ['pool'],
        isRootCause: true,
      },
      {
        id: 'slow statements',
        any: [{ series: 'db_query_duration', role: 'saturation', times: 2, more: 0.005, once: true }],
        says: 'a statement took {db_query_duration} after {db_query_duration.from};{db_busy} ran at a time',
        hint: 'look for what changed in the statements, their plans, or the amount of data',
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
        says: "{connected_cpu.program}, to which it is connected, took {connected_cpu} of the machine's CPU after {connected_cpu.from}, the server {server_cpu}",
        hint: 'look at what it is asked for: the statements or calls that cost the most',
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
          { series: 'pool_idle_in_use', role: 'utilisation', least: 0.5 },
          { series: 'time_held_idle', role: 'saturation', least: 0.01, times: 3, once: true },
        ],
        any: [
          { series: 'pool_utilization', role: 'utilisation', least: 0.95, more: 0.05 },
          { series: 'pool_waiting', role: 'saturation', least: 1, more: 1 },
        ],
        says: '{pool_utilization} in use and {pool_waiting} requests waiting;of {pool_connections_in_use} connections in use {db_busy} ran a statement: the others were held, or never given back',
        hint: 'look for connections that are taken and not given back, and for transactions that are left open',
        parts: ['pool'],
      },
      {
        id: 'too small',
        all: [CALM_DATABASE],
        any: [
          { series: 'pool_waiting', role: 'saturation', least: 1, more: 1 },
          { series: 'pool_wait', role: 'saturation', least: 0.01, times: 3 },
          { series: 'pool_utilization', role: 'utilisation', least: 0.95, more: 0.05 },
        ],
        says: '{pool_utilization} in use and {pool_waiting} requests waiting;a request waited {pool_wait} while the database ran {db_busy} statements',
        hint: 'a larger pool, or connections that are held for a shorter time',
        parts: ['pool'],
        isRootCause: true,
      },
      {
        id: 'full',
        any: [
          { series: 'pool_waiting', role: 'saturation', least: 1, more: 1 },
          { series: 'pool_wait', role: 'saturation', least: 0.01, times: 3 },
          { series: 'pool_utilization', role: 'utilisation', least: 0.95, more: 0.05 },
        ],
        says: '{pool_utilization} in use and {pool_waiting} requests waiting;a request waited {pool_wait} while the database ran {db_busy} statements',
        hint: 'look for what holds the connections; a larger pool only helps where the database can do more',
        parts: ['pool'],
      },
      {
        id: 'observed externally',
        all: [CALM_DATABASE, { series: 'requests_per_db_client', role: 'saturation', least: 3, times: 3 }],
        any: [{ series: 'db_clients_waiting', role: 'utilisation', least: 0.5, more: 0.1 }],
        says: 'connections to {db_clients.destination} stayed at {db_clients} while {requests_in_flight} requests were in flight after {requests_in_flight.from}: looks like a pool of {db_clients}',
        hint: 'a larger pool, or connections that are held for a shorter time',
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
        says: 'a call to it took {upstream} after {upstream.from};{upstream_timeouts} calls got no answer in time',
        hint: 'look at that service; a shorter timeout, or a cache in front of it, keeps requests from waiting',
        parts: ['upstream'],
      },
      {
        id: 'breaker',
        any: [{ series: 'breaker_open', role: 'errors', least: 0.05, more: 0.05 }],
        says: 'the circuit breaker in front of it opened {breaker_open}',
        hint: 'look at that service',
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
        any: [{ series: 'open_files', role: 'utilisation', least: 0.95, more: 0.05 }],
        says: '{open_files} of the limit were open after {open_files.from};{connections_in} connections of clients',
        hint: 'raise the limit (ulimit -n, LimitNOFILE), or look for files and connections that are not closed',
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
        any: [{ series: 'accept_queue', role: 'utilisation', least: 0.5, more: 0.1 }],
        says: 'new connections found it full at {listen_overflows};{accept_queue} of it was in use',
        hint: "a larger backlog (the server's and net.core.somaxconn), connections that are kept open, or a server that accepts sooner",
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
        hint: "look at the server's log of that time for what ended it",
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
        hint: 'offer less, or raise the limit where it is not meant for this load',
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
        says: 'a request was {time_on_the_way} on the way, after {time_on_the_way.from}',
        hint: 'look at what is between the two: proxies, distance, lost packets',
        parts: ['way'],
      },
    ],
    failures: ['connect', 'timeout'],
    needs: ['request', 'generator_delay'],
  },
];

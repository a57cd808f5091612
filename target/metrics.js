import { getHeapStatistics } from 'node:v8';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { measureCollections } from './garbage-collections.js';

/**
 * State of a worker's connection pool.
 * @typedef {{used: number, idle: number, waiting: number, size: number}} PoolState
 */

const MILLISECOND = 0.001;
const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const QUERY_BUCKETS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1];
const ACQUIRE_BUCKETS = [0.0001, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2];
const CACHE_BUCKETS = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5];
const UPSTREAM_BUCKETS = [0.1, 0.25, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 2];
const AUTHORITY_BUCKETS = [0.1, 0.5, 1, 1.5, 2, 2.5, 3, 4, 5, 7.5, 10];
const SIZE_BUCKETS = [256, 1024, 4096, 16_384, 65_536, 262_144];

/** Sampling interval of the event-loop delay, ms. */
export const LAG_RESOLUTION = 10;

/** The metrics of one worker. {@link import('./cluster-metrics.js')} sums them over all workers. */
export class Metrics {
  #requestRate = new RateWindow();
  #requestDuration;

  constructor() {
    this.registry = new Registry();
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: LAG_RESOLUTION });
    measureCollections(this.registry);

    new Gauge({
      name: 'heap_used_ratio',
      help: 'Used share of the heap limit, in the worker with the highest share.',
      aggregator: 'max',
      registers,
      collect() {
        const { used_heap_size, heap_size_limit } = getHeapStatistics();
        this.set(used_heap_size / heap_size_limit);
      },
    });

    const rate = this.#requestRate;
    this.#requestDuration = new Histogram({
      name: 'request_duration_seconds',
      help: 'Time from a request to the end of its answer. method: JSON-RPC method, else HTTP method; endpoint: tool, else the method; status: HTTP status.',
      labelNames: ['method', 'endpoint', 'status'],
      buckets: REQUEST_BUCKETS,
      registers,
    });
    new Gauge({
      name: 'requests_per_second',
      help: `Requests answered a second, over the last ${WINDOW_SECONDS} whole seconds.`,
      registers,
      collect() {
        this.set(rate.perSecond());
      },
    });
    this.responseSize = new Histogram({
      name: 'response_size_bytes',
      help: 'Size of an answer, without HTTP headers.',
      labelNames: ['endpoint'],
      buckets: SIZE_BUCKETS,
      registers,
    });
    this.toolErrors = new Counter({
      name: 'tool_errors_total',
      help: 'Tool calls answered with isError, including calls with invalid input.',
      labelNames: ['endpoint'],
      registers,
    });
    this.accessDenied = new Counter({
      name: 'access_denied_total',
      help: "Calls of POST /tools/{tool}/call refused with 403, by the caller's role.",
      labelNames: ['endpoint', 'role'],
      registers,
    });
    this.rateLimitHits = new Counter({
      name: 'rate_limit_hits_total',
      help: 'Requests refused with 429.',
      registers,
    });
    this.sessionsActive = new Gauge({
      name: 'sessions_active',
      help: 'Open sessions of legacy clients.',
      registers,
    });
    this.subscriptionsActive = new Gauge({
      name: 'subscriptions_active',
      help: 'Resources that sessions are subscribed to, and streams of subscriptions/listen.',
      registers,
    });

    this.databaseQueryDuration = new Histogram({
      name: 'database_query_duration_seconds',
      help: 'Time of one statement, without the wait for a connection.',
      labelNames: ['query_type'],
      buckets: QUERY_BUCKETS,
      registers,
    });
    this.databaseQueries = new Counter({
      name: 'database_queries_total',
      help: 'Statements that tools ran, without those that begin or end a transaction or write behind.',
      labelNames: ['tool'],
      registers,
    });
    this.databaseDeadlocks = new Counter({
      name: 'database_deadlocks_total',
      help: 'Statements that PostgreSQL ended to break a deadlock.',
      registers,
    });
    this.poolAcquireDuration = new Histogram({
      name: 'pool_acquire_duration_seconds',
      help: 'Time that requests waited for a connection of the pool, including failed requests.',
      buckets: ACQUIRE_BUCKETS,
      registers,
    });

    this.cacheHits = new Counter({
      name: 'cache_hits_total',
      help: 'Look-ups that Redis answered.',
      labelNames: ['tool'],
      registers,
    });
    this.cacheMisses = new Counter({
      name: 'cache_misses_total',
      help: 'Look-ups that the database had to answer, including those while Redis was unavailable.',
      labelNames: ['tool'],
      registers,
    });

    this.cacheRequestDuration = new Histogram({
      name: 'cache_request_duration_seconds',
      help: 'Duration of a Redis command, including failed commands.',
      buckets: CACHE_BUCKETS,
      registers,
    });

    this.upstreamRequestDuration = new Histogram({
      name: 'upstream_request_duration_seconds',
      help: 'Duration of a call to the weather service, including failed calls.',
      buckets: UPSTREAM_BUCKETS,
      registers,
    });
    this.upstreamTimeouts = new Counter({
      name: 'upstream_timeouts_total',
      help: 'Calls to the weather service that timed out.',
      registers,
    });
    this.authorityRequestDuration = new Histogram({
      name: 'authority_request_duration_seconds',
      help: 'Duration of a call to the certificate authority, including refused and failed calls. order: issue or renew.',
      labelNames: ['order'],
      buckets: AUTHORITY_BUCKETS,
      registers,
    });
    this.authorityRefusals = new Counter({
      name: 'authority_refusals_total',
      help: 'Certificates that the authority refused because there were too many for their domain.',
      registers,
    });
    this.circuitBreakerTrips = new Counter({
      name: 'circuit_breaker_trips_total',
      help: 'Times that a circuit breaker opened.',
      labelNames: ['breaker'],
      registers,
    });
    this.circuitBreakerOpen = new Gauge({
      name: 'circuit_breaker_open',
      help: '1 while the circuit breaker of any worker refuses calls.',
      labelNames: ['breaker'],
      aggregator: 'max',
      registers,
    });

    // Starts the series at 0: rate() would miss the first event of a series that begins with it.
    this.cacheHits.inc({ tool: 'get_user' }, 0);
    this.cacheMisses.inc({ tool: 'get_user' }, 0);
  }

  /**
   * Counts an answered request.
   * @param {{method: string, endpoint: string, status: number}} labels
   * @param {number} start when it arrived, by performance.now()
   */
  observeRequest(labels, start) {
    this.#requestRate.add();
    this.#requestDuration.observe(labels, (performance.now() - start) / 1000);
  }

  /**
   * Registers a function that returns the pool's state; it is called whenever metrics are collected.
   * @param {() => PoolState} read
   */
  watchPool(read) {
    const registers = [this.registry];
    new Gauge({
      name: 'pool_connections',
      help: 'Number of used and idle database connections, and of requests waiting for a connection.',
      labelNames: ['state'],
      registers,
      collect() {
        const { used, idle, waiting } = read();
        this.set({ state: 'used' }, used);
        this.set({ state: 'idle' }, idle);
        this.set({ state: 'waiting' }, waiting);
      },
    });
    new Gauge({
      name: 'pool_size',
      help: 'Maximum number of open database connections.',
      registers,
      collect() {
        this.set(read().size);
      },
    });
  }
}

const WINDOW_SECONDS = 5;

/** Counts events in whole seconds. */
class RateWindow {
  // One slot more than the window, for the current, incomplete second.
  #slots = Array.from({ length: WINDOW_SECONDS + 1 }, () => ({ second: 0, count: 0 }));

  add() {
    const second = Math.floor(Date.now() * MILLISECOND);
    const slot = /** @type {{second: number, count: number}} */ (this.#slots[second % this.#slots.length]);
    if (slot.second !== second) {
      slot.second = second;
      slot.count = 0;
    }
    slot.count++;
  }

  perSecond() {
    const now = Math.floor(Date.now() * MILLISECOND);
    return (
      this.#slots
        .filter(({ second }) => second < now && second >= now - WINDOW_SECONDS)
        .reduce((sum, { count }) => sum + count, 0) / WINDOW_SECONDS
    );
  }
}

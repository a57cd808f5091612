/**
 * Series that follow from those of the timeline, point by point.
 *
 * By Little's law (L = lambda W) what is in a system at a time is what arrives a second, times how long each stays: statements
 * a second times the mean time of one is how many run at a time, and how many requests wait for a connection, divided by the
 * requests a second, is how long one of them waits on average.
 *
 * @typedef {object} Derived
 * @property {string} unit
 * @property {string[]} from series that it needs
 * @property {(values: number[]) => number} of a point's value, of theirs
 * @property {string} [unless] there is none where this one is
 * @property {true} [any] the first of them that there is
 * @property {true} [idle] nothing where the first is 0: what does not happen takes no time, and has no samples of it
 */
import { seriesOf } from '../timeline.js';

const MS = 1000;

/** @type {Record<string, Derived>} */
export const DERIVED = {
  // Of a request, how long its answer waits for k6 to take it up.
  time_in_generator: { unit: 'seconds', from: ['generator_delay'], of: ([ms = 0]) => ms / MS },
  generator_share: {
    unit: 'ratio',
    from: ['generator_delay', 'client.mean'],
    of: ([delay = 0, mean = 0]) => (mean > 0 ? Math.min(1, delay / mean) : Number.NaN),
  },
  // By Little's law, of means.
  requests_in_flight: {
    unit: 'count',
    from: ['client.requests', 'client.mean'],
    of: ([requests = 0, mean = 0]) => (requests * mean) / MS,
  },
  requests_per_db_client: {
    unit: 'count',
    from: ['requests_in_flight', 'db_clients'],
    of: ([requests = 0, clients = 0]) => (clients > 0 ? requests / clients : Number.NaN),
  },
  // What is neither the server's nor k6's.
  time_on_the_way: {
    unit: 'seconds',
    from: ['outside', 'time_in_generator'],
    of: ([outside = 0, generator = 0]) => Math.max(0, outside - generator),
  },
  // How much longer a request takes for its client than for the server.
  outside: {
    unit: 'seconds',
    from: ['client.mean', 'request'],
    of: ([mean = 0, own = 0]) => mean / MS - own,
  },
  // Statements that the server has under way.
  db_busy: {
    unit: 'count',
    from: ['db_query_rate', 'db_query_duration'],
    idle: true,
    of: ([rate = 0, time = 0]) => rate * time,
  },
  // Of the connections in use, those without a statement to run.
  pool_idle_in_use: {
    unit: 'ratio',
    from: ['pool_connections_in_use', 'db_busy'],
    of: ([used = 0, busy = 0]) => (used > 0 ? Math.max(0, 1 - busy / used) : 0),
  },
  // As the machine counts it, or else as the server says: a server without CPU says it late.
  server_cpu: { unit: 'ratio', from: ['target_process_cpu', 'cpu'], any: true, of: ([value = 0]) => value },
  // Of the machine, where the processes that run there could not be told apart.
  cpu_of_the_rest: {
    unit: 'ratio',
    from: ['host_cpu', 'server_cpu', 'generator_cpu'],
    unless: 'db_cpu',
    of: ([host = 0, own = 0, generator = 0]) => Math.max(0, host - own - generator),
  },
  cache_lookups_per_request: perRequest('cache_lookups'),
  db_queries_per_request: perRequest('db_query_rate'),
  upstream_timeouts_per_request: perRequest('upstream_timeouts'),
  rate_limited_per_request: perRequest('rate_limited'),
  refused_per_request: perRequest('client.failures_rate_limited'),
  // How long a request has a connection without a statement to run.
  time_held_idle: {
    unit: 'seconds',
    from: ['pool_connections_in_use', 'db_busy', 'client.requests'],
    of: ([used = 0, busy = 0, requests = 0]) =>
      requests > 0 ? Math.max(0, used - busy) / requests : Number.NaN,
  },
  // Seconds of a request, on average over all of them, that are spent in each place.
  time_in_pool: { ...perRequest('pool_waiting'), unit: 'seconds' },
  time_in_database: { ...perRequest('db_busy'), unit: 'seconds' },
  time_in_cache: timeIn('cache_lookups', 'cache_time'),
  time_in_upstream: timeIn('upstream_calls', 'upstream'),
};

/** @param {string} series @returns {Derived} */
function perRequest(series) {
  return {
    unit: 'ratio',
    from: [series, 'client.requests'],
    of: ([events = 0, requests = 0]) => (requests > 0 ? events / requests : Number.NaN),
  };
}

/** @param {string} calls a second @param {string} time of one @returns {Derived} */
function timeIn(calls, time) {
  return {
    unit: 'seconds',
    from: [calls, time, 'client.requests'],
    idle: true,
    of: ([rate = 0, seconds = 0, requests = 0]) => (requests > 0 ? (rate * seconds) / requests : Number.NaN),
  };
}

/** Reads a timeline by the names that rules have: a signal's, `client.<name>`, or a derived one's. */
export class Reader {
  /** @type {Map<string, import('../timeline.js').TimeSeries | null>} */
  #known = new Map();
  #timeline;

  /** @param {import('../timeline.js').Timeline} timeline */
  constructor(timeline) {
    this.#timeline = timeline;
  }

  /** @param {string} name @returns {import('../timeline.js').TimeSeries | null} null: there are no samples */
  series(name) {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const found = this.#find(name);
    this.#known.set(name, found);
    return found;
  }

  /** @param {string} name */
  #find(name) {
    const derived = DERIVED[name];
    if (!derived) return seriesOf(this.#timeline, name) ?? null;
    const all = derived.from.map((each) => this.series(each));
    const sources = derived.any ? all.filter((source) => source !== null).slice(0, 1) : all;
    if (sources.length === 0) return null;
    if (sources.some((source) => source === null) || (derived.unless && this.series(derived.unless)))
      return null;
    const values = Array.from({ length: this.#timeline.count }, (_, point) => {
      const at = sources.map((source) => source?.values[point] ?? null);
      if (derived.idle && at[0] === 0) return 0;
      if (at.some((value) => value === null)) return null;
      const value = derived.of(/** @type {number[]} */ (at));
      return Number.isFinite(value) ? value : null;
    });
    return { unit: derived.unit, values };
  }

  /** @param {string} name @returns {string[]} the signals that are behind it */
  static signalsOf(name) {
    const derived = DERIVED[name];
    if (derived) return [...new Set(derived.from.flatMap(Reader.signalsOf))];
    return name.startsWith('client.') ? [] : [name];
  }
}

/**
 * Series that follow from those of the timeline, point by point.
 *
 * By Little's law (L = lambda W) what is in a system at a time is what arrives a second, times how long each stays: statements
 * a second times the mean time of one is how many run at a time, and how many requests wait for a connection, divided by the
 * requests a second, is how long one of them waits on average.
 */

import { seriesOf, type Timeline, type TimeSeries } from '../collect/timeline.ts';
import { BOTTLENECK } from '../limits.ts';

interface Derived {
  unit: string;
  /** Series that it needs. */
  from: string[];
  /** A point's value, of theirs. */
  of: (values: number[]) => number;
  /** There is none where this one is. */
  unless?: string;
  /** Series that count as 0 where they have no samples. */
  optional?: string[];
  /** The first of these series with samples. */
  any?: true;
  /** Nothing where the first is 0: what does not happen takes no time, and has no samples of it. */
  idle?: true;
}

const MS = 1000;

export const DERIVED: Record<string, Derived> = {
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
  requests_per_db_client: quotient('requests_in_flight', 'db_clients', 'count'),
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
  // Of a process' CPU, what its busiest thread does not use.
  cpu_of_other_threads: {
    unit: 'ratio',
    from: ['busiest_process', 'busiest_thread_cpu'],
    of: ([all = 0, busiest = 0]) => (all > 0 ? Math.max(0, 1 - busiest / all) : Number.NaN),
  },
  // The same while the machine has no CPU left: then each thread waits for one.
  cpu_of_crowding_threads: {
    unit: 'ratio',
    from: ['cpu_of_other_threads', 'host_cpu'],
    of: ([others = 0, host = 0]) => (host >= BOTTLENECK.fullCpu ? others : 0),
  },
  // Of a program that the server is connected to, where it is none of the stack's.
  connected_cpu: { unit: 'ratio', from: ['peer_cpu'], unless: 'db_cpu', of: ([value = 0]) => value },
  // Of programs that have nothing to do with the run.
  unconnected_cpu: {
    unit: 'ratio',
    from: ['other_cpu'],
    optional: ['connected_cpu'],
    of: ([other = 0, connected = 0]) => Math.max(0, other - connected),
  },
  // Of the machine, where the processes that run there could not be told apart.
  cpu_of_the_rest: {
    unit: 'ratio',
    from: ['host_cpu', 'server_cpu', 'generator_cpu'],
    unless: 'other_cpu',
    of: ([host = 0, own = 0, generator = 0]) => Math.max(0, host - own - generator),
  },
  requests_per_start: quotient('client.requests', 'process_starts', 'count'),
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

function perRequest(series: string): Derived {
  return quotient(series, 'client.requests', 'ratio');
}

/** @returns not known while the divisor is 0 */
function quotient(dividend: string, divisor: string, unit: string): Derived {
  return {
    unit,
    from: [dividend, divisor],
    of: ([over = 0, under = 0]) => (under > 0 ? over / under : Number.NaN),
  };
}

/** @param calls a second @param time of one */
function timeIn(calls: string, time: string): Derived {
  return {
    unit: 'seconds',
    from: [calls, time, 'client.requests'],
    idle: true,
    of: ([rate = 0, seconds = 0, requests = 0]) => (requests > 0 ? (rate * seconds) / requests : Number.NaN),
  };
}

/** Reads a timeline by the names that rules have: a signal's, `client.<name>`, or a derived one's. */
export class Reader {
  #known: Map<string, TimeSeries | null> = new Map();
  #timeline;

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  /** @returns null: there are no samples */
  series(name: string): TimeSeries | null {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const found = this.#find(name);
    this.#known.set(name, found);
    return found;
  }

  #find(name: string) {
    const derived = DERIVED[name];
    if (!derived) return seriesOf(this.#timeline, name) ?? null;
    const all = derived.from.map((each) => this.series(each));
    const sources = derived.any ? all.filter((source) => source !== null).slice(0, 1) : all;
    if (sources.length === 0) return null;
    if (sources.some((source) => source === null) || (derived.unless && this.series(derived.unless)))
      return null;
    const optional = (derived.optional ?? []).map((each) => this.series(each));
    const values = Array.from({ length: this.#timeline.count }, (_, point) => {
      const at = [
        ...sources.map((source) => source?.values[point] ?? null),
        ...optional.map((source) => source?.values[point] ?? 0),
      ];
      if (derived.idle && at[0] === 0) return 0;
      if (at.some((value) => value === null)) return null;
      const value = derived.of(at as number[]);
      return Number.isFinite(value) ? value : null;
    });
    const program = sources[0]?.program;
    return { unit: derived.unit, values, ...(program && { program }) };
  }

  /** @returns the signals that are behind it */
  static signalsOf(name: string): string[] {
    const derived = DERIVED[name];
    if (derived) return [...new Set(derived.from.flatMap(Reader.signalsOf))];
    return name.startsWith('client.') ? [] : [name];
  }
}

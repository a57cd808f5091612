/**
 * Series that are computed from the timeline's series, point by point.
 *
 * By Little's law (L = lambda W), the mean number of items in a system is their arrival rate times the mean
 * time that each stays. Statements per second times the mean duration of a statement is the number of running
 * statements. The number of requests that wait for a connection, divided by the requests per second, is the
 * mean wait of a request.
 */

import { seriesOf, type Timeline, type TimeSeries } from '../collect/timeline.ts';
import { BOTTLENECK } from '../limits.ts';

interface Derived {
  unit: string;
  /** Series that it is computed from. */
  from: string[];
  /** Computes the value of a point from the values of the `from` series. */
  of: (values: number[]) => number;
  /** The derived series is not available if this series is. */
  unless?: string;
  /** Series that count as 0 at points without samples. */
  optional?: string[];
  /** Use only the first of the `from` series that has samples. */
  any?: true;
  /** The value is 0 if the first series is 0: without events, there are no samples of their duration. */
  idle?: true;
}

const MS = 1000;

export const DERIVED: Record<string, Derived> = {
  // How long the answer to a request waits until k6 processes it.
  time_in_generator: { unit: 'seconds', from: ['generator_delay'], of: ([ms = 0]) => ms / MS },
  generator_share: {
    unit: 'ratio',
    from: ['generator_delay', 'client.mean'],
    of: ([delay = 0, mean = 0]) => (mean > 0 ? Math.min(1, delay / mean) : Number.NaN),
  },
  // By Little's law.
  requests_in_flight: {
    unit: 'count',
    from: ['client.requests', 'client.mean'],
    of: ([requests = 0, mean = 0]) => (requests * mean) / MS,
  },
  requests_per_db_client: quotient('requests_in_flight', 'db_clients', 'count'),
  // Time spent neither in the server nor in k6: on the network.
  time_on_the_way: {
    unit: 'seconds',
    from: ['outside', 'time_in_generator'],
    of: ([outside = 0, generator = 0]) => Math.max(0, outside - generator),
  },
  // Difference between a request's duration as seen by the client and by the server.
  outside: {
    unit: 'seconds',
    from: ['client.mean', 'request'],
    of: ([mean = 0, own = 0]) => mean / MS - own,
  },
  // Statements in progress.
  db_busy: {
    unit: 'count',
    from: ['db_query_rate', 'db_query_duration'],
    idle: true,
    of: ([rate = 0, time = 0]) => rate * time,
  },
  // Share of the connections in use that run no statement.
  pool_idle_in_use: {
    unit: 'ratio',
    from: ['pool_connections_in_use', 'db_busy'],
    of: ([used = 0, busy = 0]) => (used > 0 ? Math.max(0, 1 - busy / used) : 0),
  },
  // Prefers the machine's view (/proc), because a server that lacks CPU reports its own metrics late.
  server_cpu: { unit: 'ratio', from: ['target_process_cpu', 'cpu'], any: true, of: ([value = 0]) => value },
  // Share of a process's CPU time that is not used by its busiest thread.
  cpu_of_other_threads: {
    unit: 'ratio',
    from: ['busiest_process', 'busiest_thread_cpu'],
    of: ([all = 0, busiest = 0]) => (all > 0 ? Math.max(0, 1 - busiest / all) : Number.NaN),
  },
  // The same share, but 0 unless the machine has no CPU left: then every thread waits for CPU.
  cpu_of_crowding_threads: {
    unit: 'ratio',
    from: ['cpu_of_other_threads', 'host_cpu'],
    of: ([others = 0, host = 0]) => (host >= BOTTLENECK.fullCpu ? others : 0),
  },
  // CPU of a program that the server is connected to, unless the stack's own database is monitored.
  connected_cpu: { unit: 'ratio', from: ['peer_cpu'], unless: 'db_cpu', of: ([value = 0]) => value },
  // CPU of programs that are not part of the run.
  unconnected_cpu: {
    unit: 'ratio',
    from: ['other_cpu'],
    optional: ['connected_cpu'],
    of: ([other = 0, connected = 0]) => Math.max(0, other - connected),
  },
  // CPU of everything else on the machine, if individual processes could not be monitored.
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
  // How long a request holds a connection without running a statement.
  time_held_idle: {
    unit: 'seconds',
    from: ['pool_connections_in_use', 'db_busy', 'client.requests'],
    of: ([used = 0, busy = 0, requests = 0]) =>
      requests > 0 ? Math.max(0, used - busy) / requests : Number.NaN,
  },
  // Mean time that a request spends in each place, over all requests.
  time_in_pool: { ...perRequest('pool_waiting'), unit: 'seconds' },
  time_in_database: { ...perRequest('db_busy'), unit: 'seconds' },
  time_in_cache: timeIn('cache_lookups', 'cache_time'),
  time_in_upstream: timeIn('upstream_calls', 'upstream'),
};

function perRequest(series: string): Derived {
  return quotient(series, 'client.requests', 'ratio');
}

/** @returns a series without a value at points where the divisor is 0 */
function quotient(dividend: string, divisor: string, unit: string): Derived {
  return {
    unit,
    from: [dividend, divisor],
    of: ([over = 0, under = 0]) => (under > 0 ? over / under : Number.NaN),
  };
}

/** @param calls series of calls per second @param time series of the duration of one call */
function timeIn(calls: string, time: string): Derived {
  return {
    unit: 'seconds',
    from: [calls, time, 'client.requests'],
    idle: true,
    of: ([rate = 0, seconds = 0, requests = 0]) => (requests > 0 ? (rate * seconds) / requests : Number.NaN),
  };
}

/**
 * Reads the series of a timeline by the names that rules use: a signal, `client.<name>` or a derived series.
 */
export class Reader {
  #known: Map<string, TimeSeries | null> = new Map();
  #timeline;

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  /** @returns null if there are no samples */
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

  /** @returns the signals that the series is computed from */
  static signalsOf(name: string): string[] {
    const derived = DERIVED[name];
    if (derived) return [...new Set(derived.from.flatMap(Reader.signalsOf))];
    return name.startsWith('client.') ? [] : [name];
  }
}

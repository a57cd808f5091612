/**
 * What the output lab measured, by the names of its metrics and by tags, as the analysis asks for it. It has the whole of a run: of several
 * runs the sum.
 */
import { readFileSync } from 'node:fs';
import { Latencies } from './latencies.ts';
import { type Counts, type Measured, type Other, PARTS, type Part, type Threshold } from './measured.ts';
import type { K6Threshold, Metrics, Opening } from './metrics.ts';
import { SparseHistogram } from './sparse-histogram.ts';
import type { Latency, Scope } from './summary.ts';

type Key =
  | 'requests'
  | 'rejected'
  | 'additionalRequests'
  | 'abandoned'
  | 'requestDuration'
  | 'connections'
  | 'reconnections'
  | 'interrupted'
  | 'timeToFirstEvent';
const { metrics: NAMES }: { metrics: Record<Key, { name: string }> } = JSON.parse(
  readFileSync(new URL('../xk6-mcp/names.json', import.meta.url), 'utf8'),
);
const DURATION = NAMES.requestDuration.name;

/** Where the counts of a group have a metric. */
const COUNTED: Record<string, keyof Counts> = {
  [NAMES.requests.name]: 'requests',
  [NAMES.rejected.name]: 'rejected',
  [NAMES.additionalRequests.name]: 'additional',
  [NAMES.abandoned.name]: 'abandoned',
  [NAMES.interrupted.name]: 'interrupted',
  [NAMES.connections.name]: 'connections',
  [NAMES.reconnections.name]: 'reconnections',
  iterations: 'iterations',
  dropped_iterations: 'dropped',
  data_sent: 'bytesSent',
  data_received: 'bytesReceived',
};
const TIME_TO_FIRST_EVENT = NAMES.timeToFirstEvent.name;

type Group = Measured['groups'][number];
/** @property except an operation whose calls are left out */
type Wanted = Scope & { scenario?: string; except?: string };

export class MeasuredMetrics implements Metrics {
  readonly #all: readonly Measured[];
  readonly #groups: Group[];

  /** @param all k6 runs whose phases have different names */
  constructor(all: readonly Measured[]) {
    this.#all = all;
    this.#groups = all.flatMap(({ groups }) => groups);
  }

  /** A script that does not name its phases has k6's scenarios for them. */
  #of({ scenario, phase = scenario, operation, except, class: kind }: Wanted): Group[] {
    return this.#groups.filter(
      (group) =>
        (phase === undefined || group.phase === phase) &&
        (operation === undefined || group.operation === operation) &&
        (except === undefined || group.operation !== except) &&
        (kind === undefined || group.class === kind),
    );
  }

  #others(name: string, scope: Wanted): Other[] {
    return this.#of(scope).flatMap(({ metrics }) => metrics?.[name] ?? []);
  }

  #histogram(name: string, scope: Wanted): SparseHistogram {
    if (name === DURATION) return this.latencies(scope).all;
    const texts =
      name === TIME_TO_FIRST_EVENT
        ? this.#of(scope).map(({ firstEvent }) => firstEvent)
        : this.#others(name, scope).map(({ values }) => values);
    return new SparseHistogram(...texts);
  }

  /** Of calls. */
  latencies(scope: Wanted): Latencies {
    const all = new Latencies();
    for (const group of this.#of(scope)) all.add(group);
    return all;
  }

  opening(scope: Scope): Opening {
    const groups = this.#of(scope);
    const partsOf = groups.flatMap(({ parts }) => parts ?? []);
    const total = (part: Part) => sumOf(partsOf, (parts) => parts[part]);
    return {
      parts: Object.fromEntries(PARTS.map((part) => [part, total(part)])) as Record<Part, number>,
      untilConnected: new SparseHistogram(...groups.map(({ untilConnected }) => untilConnected)),
      closed: sumOf(groups, ({ closedConnections = 0 }) => closedConnections),
      followUps: sumOf(groups, ({ followUps = 0 }) => followUps),
    };
  }

  late(scope: Scope): number {
    return sumOf(this.#of(scope), ({ late = 0 }) => late);
  }

  interruptedSince(scope: Scope): number | null {
    const times = this.#of(scope).flatMap(({ interruptedAt }) => interruptedAt?.[0] ?? []);
    return times.length === 0 ? null : Math.min(...times);
  }

  /** @param name a Counter or Trend @returns 0 without a sample */
  count(name: string, scope: Scope & { scenario?: string } = {}): number {
    const field = COUNTED[name];
    if (field) return sumOf(this.#of(scope), (group) => Number(group[field] ?? 0));
    const sum = sumOf(this.#others(name, scope), (other) => other.sum ?? 0);
    return sum || this.#histogram(name, scope).count;
  }

  /** @param name a Trend in milliseconds @returns latency: null if there are no values */
  latency(scope: Wanted, name = DURATION): { count: number; latency: Latency | null } {
    if (name === DURATION) {
      const latencies = this.latencies(scope);
      return { count: latencies.all.count, latency: latencies.latency };
    }
    const histogram = this.#histogram(name, scope);
    return { count: histogram.count, latency: histogram.latency };
  }

  /** Requests judged as failed or not. */
  failed(scope: Scope): { failed: number; total: number } {
    const groups = this.#of(scope);
    return {
      failed: sumOf(groups, ({ failed = 0 }) => failed),
      total: sumOf(groups, ({ requests = 0 }) => requests),
    };
  }

  /** @param limit milliseconds @returns calls that were not answered within it; null: not all of them were looked at */
  slow(scope: Scope, limit: number): number | null {
    const shares = this.#of(scope).flatMap(({ slow }) => slow?.[String(limit)] ?? []);
    const total = sumOf(shares, (share) => share.total);
    return total === 0 || total !== this.#histogram(DURATION, scope).count
      ? null
      : sumOf(shares, ({ trues }) => trues);
  }

  /** Failures by kind, those that happened, in a fixed order. */
  failures(scope: Scope): Record<string, number> {
    const kinds = new Map<string, number>();
    for (const { failures = {} } of this.#of(scope))
      for (const [kind, count] of Object.entries(failures)) kinds.set(kind, (kinds.get(kind) ?? 0) + count);
    return Object.fromEntries([...kinds].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** @param name a Gauge @returns both 0 without a sample */
  gauge(name: string, { kind, ...scope }: Scope & { kind?: string } = {}): { min: number; max: number } {
    if (name === 'vus_max') return { min: 0, max: Math.max(...this.#all.map(({ vusMax }) => vusMax)) };
    if (kind !== undefined) return this.#failedAt(kind);
    const ranges = this.#others(name, scope).flatMap(({ range }) => (range ? [range] : []));
    return extremes(ranges);
  }

  /** Seconds after the phases' zero. */
  #failedAt(kind: string): { min: number; max: number } {
    const zeroS = this.gauge('mcp_started_seconds').min;
    const times = this.#groups.flatMap(({ failedAt }) => (failedAt?.[kind] ? [failedAt[kind]] : []));
    return extremes(times.map(([first, last]) => [first / 1000 - zeroS, last / 1000 - zeroS]));
  }

  thresholds(): K6Threshold[] {
    return this.#all
      .flatMap(({ thresholds }) => thresholds)
      .map(asK6HasIt)
      .sort((a, b) => (`${a.metric} ${a.expression}` < `${b.metric} ${b.expression}` ? -1 : 1));
  }
}

function asK6HasIt({
  metric,
  threshold: expression,
  passed,
  hasSamples,
  share,
  value,
  doubt,
}: Threshold): K6Threshold {
  const values: K6Threshold['values'] = share
    ? { rate: share.trues / Math.max(1, share.total), passes: share.trues, fails: share.total - share.trues }
    : { count: value ?? null, value: value ?? null };
  return {
    metric,
    expression,
    ok: hasSamples ? passed : null,
    doubt: hasSamples ? null : (doubt ?? 'no samples'),
    values,
  };
}

function extremes(ranges: readonly [least: number, most: number][]): { min: number; max: number } {
  if (ranges.length === 0) return { min: 0, max: 0 };
  return {
    min: Math.min(...ranges.map(([least]) => least)),
    max: Math.max(...ranges.map(([, most]) => most)),
  };
}

function sumOf<T>(all: readonly T[], value: (one: T) => number): number {
  return all.reduce((sum, one) => sum + value(one), 0);
}

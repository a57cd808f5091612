/**
 * A run over time, on one grid of moments: what its clients saw and what the server's signals said. Findings and the report
 * read this, and it is kept beside the run document.
 */

import * as promql from '../dashboards/queries.ts';
import { seriesOfWindows } from './client-series.ts';
import { drawnSeries, stepsOf } from './drawn-series.ts';
import { type Grid, timesOf } from './grid.ts';
import { Latencies } from './latencies.ts';
import { readMeasured } from './measured.ts';
import type { Phase } from './phases.ts';
import type { Prometheus, Series } from './prometheus.ts';
import { validator } from './schemas.ts';
import { within } from './seconds.ts';
import { ALL, LAG_S, ownSignals, RULE_WINDOW_S, STEP_S, type Subject } from './signals.ts';

export interface Timeline {
  schema: 'mcp-load-lab/timeline/1';
  testid: string;
  /** Unix time of the first point. */
  start_s: number;
  /** From one point to the next. */
  step_s: number;
  /** Of points. */
  count: number;
  /** What a rate or a percentile at a point looks back over. */
  window_s: number;
  /**
   * p50, p95, p99, mean (milliseconds), requests, iterations, offered, dropped (rate), failed (ratio), vus (count), and failures_<kind>
   * (rate).
   */
  client: Record<string, TimeSeries>;
  /** The same as charts show it (drawn-series.ts); absent: nothing was kept second by second. */
  drawn?: Record<string, TimeSeries>;
  /** By name, those of the run's own server. */
  signals: Record<string, TimeSeries>;
  /** By phase and name: answers a second over the phase, and how long a call took on average. */
  operations?: Record<string, Record<string, { rate: number; mean_s: number }>>;
}

export interface TimeSeries {
  /** Seconds, milliseconds, ratio, rate, count, bytes or bytes_rate. */
  unit: string;
  /** One a point; null: there was no sample. */
  values: (number | null)[];
  /** Of a signal, the label of its rule. */
  source?: string;
  /** Of a signal about connections, to whom they are. */
  destination?: string;
}

const SCHEMA = 'mcp-load-lab/timeline/1';
const validate = validator('timeline.schema.json');
/** An hour in steps of 2 s: enough for a day, too, and half a megabyte. */
const MOST_POINTS = 1800;
/** Beyond what Prometheus' histograms and k6's clock are good for. */
const DIGITS = 6;

const CLIENT: Record<string, { unit: string; factor?: number; expression: string }> = {
  p50: { unit: 'milliseconds', factor: 1000, expression: promql.exactPercentile(0.5, promql.DURATION) },
  p95: { unit: 'milliseconds', factor: 1000, expression: promql.exactPercentile(0.95, promql.DURATION) },
  p99: { unit: 'milliseconds', factor: 1000, expression: promql.exactPercentile(0.99, promql.DURATION) },
  mean: { unit: 'milliseconds', factor: 1000, expression: promql.exactMean(promql.DURATION) },
  requests: { unit: 'rate', expression: promql.perSecond(promql.REQUESTS) },
  iterations: { unit: 'rate', expression: promql.perSecond(promql.ITERATIONS) },
  offered: { unit: 'rate', expression: promql.targetRate() },
  dropped: {
    unit: 'rate',
    expression: promql.orZero(promql.perSecond(promql.DROPPED), promql.perSecond(promql.ITERATIONS)),
  },
  failed: { unit: 'ratio', expression: promql.share(promql.FAILURES, promql.REQUESTS) },
  vus: { unit: 'count', expression: `sum(${promql.ofRun('vus')})` },
};
const BY_OPERATION = promql.total(promql.DURATION, 'phase, operation');
const FAILURES_BY_KIND = promql.perSecond(promql.FAILURES, 'kind');

/**
 * @param folders of what the output lab wrote, which has the client's half; without any Prometheus does
 * @returns null: no phase took place
 * @throws {PrometheusError}
 */
export async function collectTimeline(
  prometheus: Prometheus,
  subject: Subject,
  phases: Phase[],
  folders: readonly string[] = [],
): Promise<Timeline | null> {
  const grid = gridOf(phases);
  if (!grid) return null;
  const { start_s, step_s, count, window_s } = grid;
  const ask = (expression: string) =>
    prometheus.queryRange(expression, start_s, start_s + (count - 1) * step_s, step_s);
  const half = folders.length
    ? await ofSeconds(folders, grid, phases)
    : { client: await clientOf((expression) => ask(bound(expression, subject.testid, window_s)), grid) };

  const signals: Timeline['signals'] = {};
  for (const { signal, unit, labels, points } of ownSignals(await ask(ALL), subject).own) {
    // A point that stands for a minute is its mean, not what the minute ended with.
    const [mean] = step_s > STEP_S ? await ask(`avg_over_time(${selector(labels)}[${step_s}s])`) : [];
    const { source, destination } = labels;
    const values = onGrid(mean?.points ?? points, grid);
    signals[signal] = { unit, values, ...(source && { source }), ...(destination && { destination }) };
  }
  const timed = folders.length ? timedOf(folders) : await timedByPrometheus(prometheus, subject.testid, grid);
  const operations = operationsOf(timed, phases);
  return { schema: SCHEMA, testid: subject.testid, ...grid, ...half, signals, operations };
}

/** @returns both from one reading, which may be of 100 MB */
export async function ofSeconds(
  folders: readonly string[],
  grid: Grid,
  phases: Phase[],
): Promise<Pick<Timeline, 'client' | 'drawn'>> {
  const lookBack = timesOf(grid).map((toS) => ({ fromS: toS - grid.window_s, toS }));
  const windows = await within(folders, [...lookBack, ...stepsOf(grid)]);
  return {
    client: seriesOfWindows(windows.slice(0, grid.count), grid, phases),
    drawn: drawnSeries(windows.slice(grid.count), grid, phases),
  };
}

/** @param ask Prometheus, of this run */
async function clientOf(
  ask: (expression: string) => Promise<Series[]>,
  grid: Pick<Timeline, 'start_s' | 'step_s' | 'count'>,
): Promise<Timeline['client']> {
  const client: Timeline['client'] = {};
  for (const [name, { unit, factor = 1, expression }] of Object.entries(CLIENT)) {
    const [series] = await ask(expression);
    if (series) client[name] = { unit, values: onGrid(series.points, grid, factor) };
  }
  for (const { labels, points } of await ask(FAILURES_BY_KIND)) {
    client[`failures_${labels.kind}`] = { unit: 'rate', values: onGrid(points, grid) };
  }
  return client;
}

/** Calls of one operation, and their seconds. */
type Timed = { phase: string; operation: string; count: number; sum: number };

function operationsOf(timed: Timed[], phases: Phase[]): NonNullable<Timeline['operations']> {
  const operations: NonNullable<Timeline['operations']> = {};
  for (const { phase, operation, count, sum } of timed) {
    const seconds = phases.find(({ name }) => name === phase)?.duration_s ?? 0;
    if (seconds === 0 || !(count > 0)) continue;
    // The server chose the names: one of them may be an object's own.
    operations[phase] = Object.assign(operations[phase] ?? Object.create(null), {
      [operation]: { rate: digits(count / seconds), mean_s: digits(sum / count) },
    });
  }
  return operations;
}

/** @param folders of what the output lab wrote */
function timedOf(folders: readonly string[]): Timed[] {
  const groups = folders.flatMap((folder) => readMeasured(folder)?.groups ?? []);
  return groups.flatMap(({ phase, operation, ...counts }) => {
    const latencies = new Latencies();
    latencies.add(counts);
    const { count, mean } = latencies.all;
    if (operation === '' || count === 0) return [];
    return [{ phase, operation, count, sum: (count * (mean ?? 0)) / 1000 }];
  });
}

/** For runs without measured.json. */
async function timedByPrometheus(
  prometheus: Prometheus,
  testid: string,
  { start_s, step_s, count }: Pick<Timeline, 'start_s' | 'step_s' | 'count'>,
): Promise<Timed[]> {
  const rangeS = step_s * count;
  const found = await prometheus.query(bound(BY_OPERATION, testid, RULE_WINDOW_S, rangeS), start_s + rangeS);
  return found.flatMap(({ labels: { phase = '', operation = '' }, histogram }) =>
    histogram ? [{ phase, operation, ...histogram }] : [],
  );
}

const digits = (value: number) => Number(value.toPrecision(DIGITS));

/** @returns from the first phase's start until the last one's figures are in */
export function gridOf(
  phases: Pick<Phase, 'start' | 'end'>[],
): Pick<Timeline, 'start_s' | 'step_s' | 'count' | 'window_s'> | null {
  const starts = phases.flatMap(({ start }) => (start === null ? [] : Date.parse(start) / 1000));
  const ends = phases.flatMap(({ end }) => (end === null ? [] : Date.parse(end) / 1000));
  if (starts.length === 0 || ends.length === 0) return null;
  const start_s = Math.floor(Math.min(...starts));
  const lengthS = Math.max(...ends) + LAG_S - start_s;
  const step_s = STEP_S * Math.max(1, Math.ceil(lengthS / (STEP_S * (MOST_POINTS - 1))));
  return {
    start_s,
    step_s,
    count: Math.floor(lengthS / step_s) + 1,
    window_s: Math.max(RULE_WINDOW_S, step_s),
  };
}

function onGrid(
  points: [seconds: number, value: number][],
  { start_s, step_s, count }: Pick<Timeline, 'start_s' | 'step_s' | 'count'>,
  factor: number = 1,
): (number | null)[] {
  const values: (number | null)[] = new Array(count).fill(null);
  for (const [timeS, value] of points) {
    const index = Math.round((timeS - start_s) / step_s);
    if (index >= 0 && index < count) values[index] = digits(value * factor);
  }
  return values;
}

/** @param expression with a dashboard's variables */
export function bound(expression: string, testid: string, windowS: number, rangeS: number = windowS) {
  return expression
    .replaceAll('$__range', `${rangeS}s`)
    .replaceAll('$__rate_interval_ms', String(windowS * 1000))
    .replaceAll('$__rate_interval', `${windowS}s`)
    .replaceAll('"$testid"', JSON.stringify(testid));
}

/** @returns the one series that has them and no others that a signal may have */
function selector({ __name__ = '', ...labels }: Record<string, string>): string {
  const all = { server: '', source: '', testid: '', ...labels };
  const matchers = Object.entries(all).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `${__name__}{${matchers.join(',')}}`;
}

/** @returns the first thing that is wrong, null = a timeline */
export function validateTimeline(document: unknown): string | null {
  return validate(document);
}

/** @param name `client.p99`, or a signal's */
export const seriesOf = (
  { client, signals }: Pick<Timeline, 'client' | 'signals'>,
  name: string,
): TimeSeries | undefined =>
  name.startsWith('client.') ? client[name.slice('client.'.length)] : signals[name];

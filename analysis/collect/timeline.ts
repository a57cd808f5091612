/**
 * The series of a run on one grid of points: the client's measurements and the server's signals. Findings and
 * the report are based on it. It is stored next to the run document.
 */

import { cleanDeep } from '../clean-text.ts';
import type { Phase } from '../judge/phases.ts';
import type { Judged } from '../judge/run.ts';
import { validator } from '../schemas.ts';
import { seriesOfWindows } from './client-series.ts';
import { drawnSeries, stepsOf } from './drawn-series.ts';
import { GENERATOR_UNITS, type GeneratorSignals, generatorIn } from './generator.ts';
import { type Grid, timesOf } from './grid.ts';
import type { Group } from './groups.ts';
import { watchedOverTime } from './host-watch-series.ts';
import { Latencies } from './latencies.ts';
import type { Prometheus } from './prometheus.ts';
import { type Line, sumsWithin, type Within } from './seconds.ts';
import { ALL, LAG_S, ownSignals, RULE_WINDOW_S, STEP_S, type Subject } from './signals.ts';

export interface Timeline {
  schema: 'mcp-load-lab/timeline/1';
  testid: string;
  /** Unix time of the first point. */
  start_s: number;
  /** Seconds between two points. */
  step_s: number;
  /** Number of points. */
  count: number;
  /** Look-back of a rate or a percentile. */
  window_s: number;
  /**
   * p50, p95, p99, mean (milliseconds), requests, answered (by the time of the answer), iterations, offered,
   * dropped (rate), failed (ratio), vus (count), and failures_<kind> (rate).
   */
  client: Record<string, TimeSeries>;
  /** The same for charts (drawn-series.ts); absent without data by second. */
  drawn?: Record<string, TimeSeries>;
  /** Signals of the run's own server, by name. */
  signals: Record<string, TimeSeries>;
  /** By phase and operation: answers per second over the phase, and the mean duration of a call. */
  operations?: Record<string, Record<string, { rate: number; mean_s: number }>>;
}

export interface TimeSeries {
  /** seconds, milliseconds, ratio, rate, count, bytes or bytes_rate. */
  unit: string;
  /** One value per point; null without a sample. */
  values: (number | null)[];
  /** The label `source` of a signal's rule. */
  source?: string;
  /** The peer, if the signal is about connections. */
  destination?: string;
  /**
   * The program, if the signal is about one of the server's programs, or about one that the server is
   * connected to.
   */
  program?: string;
}

type TimelineFacts = Pick<Judged, 'summary' | 'watches' | 'secrets'>;

const SCHEMA = 'mcp-load-lab/timeline/1';
const validate = validator('timeline.schema.json');
/** An hour in steps of 2 s. This is enough for a day as well; the file has about half a megabyte. */
const MAX_POINTS = 1800;
/** More digits than the precision of Prometheus' histograms and k6's clock. */
const DIGITS = 6;

/** @param lines lines of the run's seconds @param signals on the grid @returns null if no phase took place */
export function timelineOf(
  { summary, watches, secrets }: TimelineFacts,
  phases: Phase[],
  lines: readonly Line[],
  signals: Timeline['signals'],
): Timeline | null {
  const grid = gridOf(phases);
  if (!grid || !summary) return null;
  const { generator, ...half } = clientHalf(lines, grid, phases, summary.cores);
  return {
    schema: SCHEMA,
    testid: summary.plan.testid,
    ...grid,
    ...half,
    signals: { ...signals, ...generator, ...watchedOverTime(grid, watches) },
    // The names come from the server.
    operations: cleanDeep(operationsOf(summary.groups, phases), secrets),
  };
}

/**
 * @param cores number of cores that k6 may use; null if unknown
 * @returns all series from a single pass over the seconds; generator: its signals
 */
export function clientHalf(
  lines: readonly Line[],
  grid: Grid,
  phases: Phase[],
  cores: number | null,
): Pick<Timeline, 'client' | 'drawn'> & { generator: Timeline['signals'] } {
  const lookBack = timesOf(grid).map((toS) => ({ fromS: toS - grid.window_s, toS }));
  const windows = sumsWithin(lines, [...lookBack, ...stepsOf(grid)]);
  const atPoints = windows.slice(0, grid.count);
  return {
    client: seriesOfWindows(atPoints, grid, phases),
    drawn: drawnSeries(windows.slice(grid.count), grid, phases),
    generator: generatorOverTime(atPoints, cores),
  };
}

function generatorOverTime(windows: readonly Within[], cores: number | null) {
  const found = windows.map((sums) => generatorIn(sums, cores));
  const known = Object.entries(GENERATOR_UNITS).map(([name, unit]) => {
    const values = found.map((one) => one[name as keyof GeneratorSignals] ?? null);
    return [name, { unit, values: values.map((value) => (value === null ? null : digits(value))) }] as const;
  });
  return Object.fromEntries(known.filter(([, { values }]) => values.some((value) => value !== null)));
}

/** @returns the signals of a server during the phases, on their grid @throws {PrometheusError} */
export async function signalsOverTime(
  prometheus: Prometheus,
  subject: Subject,
  phases: Phase[],
): Promise<Timeline['signals']> {
  const grid = gridOf(phases);
  if (!grid) return {};
  const { start_s, step_s, count } = grid;
  const ask = (expression: string) =>
    prometheus.queryRange(expression, start_s, start_s + (count - 1) * step_s, step_s);
  const signals: Timeline['signals'] = {};
  for (const { signal, unit, labels, points } of ownSignals(await ask(ALL), subject).own) {
    // A point of a coarse grid is the mean over its step, not the last value.
    const [mean] = step_s > STEP_S ? await ask(`avg_over_time(${selector(labels)}[${step_s}s])`) : [];
    const { source, destination, program } = labels;
    const values = onGrid(mean?.points ?? points, grid);
    signals[signal] = {
      unit,
      values,
      ...(source && { source }),
      ...(destination && { destination }),
      // The name comes from the server.
      ...(program && { program: cleanDeep(program, []) }),
    };
  }
  return signals;
}

function operationsOf(groups: readonly Group[], phases: Phase[]): NonNullable<Timeline['operations']> {
  const operations: NonNullable<Timeline['operations']> = {};
  for (const { phase, operation, ...counts } of groups) {
    const seconds = phases.find(({ name }) => name === phase)?.duration_s ?? 0;
    const latencies = new Latencies();
    latencies.add(counts);
    const { count, mean } = latencies.all;
    if (operation === '' || seconds === 0 || mean === null) continue;
    // The names come from the server, so they may collide with members of Object.prototype.
    operations[phase] = Object.assign(operations[phase] ?? Object.create(null), {
      [operation]: { rate: digits(count / seconds), mean_s: digits(mean / 1000) },
    });
  }
  return operations;
}

const digits = (value: number) => Number(value.toPrecision(DIGITS));

/** @returns a grid from the start of the first phase until the figures of the last phase are complete */
export function gridOf(
  phases: Pick<Phase, 'start' | 'end'>[],
): Pick<Timeline, 'start_s' | 'step_s' | 'count' | 'window_s'> | null {
  const starts = phases.flatMap(({ start }) => (start === null ? [] : Date.parse(start) / 1000));
  const ends = phases.flatMap(({ end }) => (end === null ? [] : Date.parse(end) / 1000));
  if (starts.length === 0 || ends.length === 0) return null;
  const start_s = Math.floor(Math.min(...starts));
  const lengthS = Math.max(...ends) + LAG_S - start_s;
  const step_s = STEP_S * Math.max(1, Math.ceil(lengthS / (STEP_S * (MAX_POINTS - 1))));
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
): (number | null)[] {
  const values: (number | null)[] = new Array(count).fill(null);
  for (const [timeS, value] of points) {
    const index = Math.round((timeS - start_s) / step_s);
    if (index >= 0 && index < count) values[index] = digits(value);
  }
  return values;
}

/** @returns a selector of exactly one series: it requires all other labels of signals to be empty */
function selector({ __name__ = '', ...labels }: Record<string, string>): string {
  const all = { server: '', source: '', testid: '', ...labels };
  const matchers = Object.entries(all).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `${__name__}{${matchers.join(',')}}`;
}

/** @returns the first error; null if the document is a timeline */
export function validateTimeline(document: unknown): string | null {
  return validate(document);
}

/** @param name `client.p99`, or a signal's name */
export const seriesOf = (
  { client, signals }: Pick<Timeline, 'client' | 'signals'>,
  name: string,
): TimeSeries | undefined =>
  name.startsWith('client.') ? client[name.slice('client.'.length)] : signals[name];

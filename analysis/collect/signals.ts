/** Server-side signals: what the recording rules `signal:<name>:<unit>` say about each phase. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Phase } from '../judge/phases.ts';
import { round } from '../round.ts';
import type { Prometheus, Series } from './prometheus.ts';

/** One signal in one phase. */
export interface Signal {
  signal: string;
  phase: string;
  /** Ratio, bytes, count, seconds, rate or bytes_rate. */
  unit: string;
  min: number;
  avg: number;
  /** Nearest rank. */
  p95: number;
  max: number;
  samples: number;
}

/** Whose signals are wanted; series without these labels are everybody's. */
export interface Subject {
  /** Generators label their series with it. */
  testid: string;
  /** The label `server` of the rules that watch the server under test; '' = none does. */
  server: string;
}

interface Observations {
  signals: Signal[];
  /** Signals that Prometheus would record of this server but that have no sample in any phase. */
  silent: string[];
  /** Signals with more than one series of one source: no one number stands for them. */
  ambiguous: string[];
}

export const ALL = '{__name__=~"signal:.+:.+"}';

/**
 * Where several rule files give one signal of one server, the first in this list is taken; the label `source` of the rules
 * tells them apart. A rule without it was written for this very server. What the server says of itself goes before what
 * is seen from outside; a container may hold more than the server. What is inferred from its connections is the last.
 */
export const SOURCES = [
  ...['', 'contextforge', 'otel-mcp'],
  ...['hikaricp', 'pgx', 'psycopg', 'sqlalchemy', 'asyncpg', 'node-redis'],
  ...['process', 'jvm', 'cadvisor', 'system', 'connections'],
];
/** How often the rules are evaluated. */
export const STEP_S = 2;
/** The rules look back so far, so the first points of a phase still hold some of the phase before. */
export const RULE_WINDOW_S = 6;
/** Scrape, push and rule follow one another: a phase's last samples come this much later at most. */
const MAX_LAG_S = 6;

/** A signal is of the scrape before it, and a scrape is up to one interval old when a rule reads it. */
export const LAG_S = 2;

/** Too short for what happened in it to be told from what happened just before and after. */
export const isBlurred = (durationS: number) => durationS <= 2 * RULE_WINDOW_S;

/**
 * The points that tell of a phase: those whose look-back lies in it. A phase of 12 s or less has hardly any; of it,
 * the points around its end are read, which hold most of it and some of the phase before.
 */
export function steadyWindow(startS: number, endS: number): { fromS: number; toS: number } {
  if (isBlurred(endS - startS)) return { fromS: (startS + endS) / 2 + LAG_S, toS: endS + LAG_S };
  return { fromS: startS + RULE_WINDOW_S + LAG_S, toS: endS };
}

/** @throws {PrometheusError} */
export async function observeSignals(
  prometheus: Prometheus,
  subject: Subject,
  phases: Phase[],
): Promise<Observations> {
  const signals: Signal[] = [];
  const ambiguous: Set<string> = new Set();
  for (const { name, measured, start, end } of phases) {
    if (!measured || start === null || end === null) continue;
    const [startS, endS] = [Date.parse(start) / 1000, Date.parse(end) / 1000];
    // Over before anything was scraped in it.
    if (endS - startS < STEP_S) continue;
    const { fromS, toS } = steadyWindow(startS, endS);
    // The points are counted back from the end: the last is the one with least of the phase before in it.
    const firstS = toS - Math.floor((toS - fromS) / STEP_S) * STEP_S;
    const series = await prometheus.queryRange(ALL, firstS, toS, STEP_S);
    const found = signalsOf(series, subject, name);
    signals.push(...found.signals);
    for (const signal of found.ambiguous) ambiguous.add(signal);
  }
  const seen = new Set([...signals.map(({ signal }) => signal), ...ambiguous]);
  const recorded = expectedOf(await prometheus.recordingRules(), subject.server).flatMap(
    (name) => parseName(name)?.signal ?? [],
  );
  return {
    signals: signals.sort((a, b) => (a.signal < b.signal ? -1 : a.signal > b.signal ? 1 : 0)),
    silent: [...new Set(recorded)].filter((signal) => !seen.has(signal)).sort(),
    ambiguous: [...ambiguous].sort(),
  };
}

export function signalsOf(
  series: Series[],
  subject: Subject,
  phase: string,
): { signals: Signal[]; ambiguous: string[] } {
  const { own, ambiguous } = ownSignals(series, subject);
  const signals = own.map(({ signal, unit, points }) => ({
    signal,
    phase,
    unit,
    ...statistics(points.map(([, value]) => value)),
  }));
  return { signals, ambiguous };
}

/**
 * Which series tell of the subject, and of which signal.
 *
 * @param series of any server and generator
 * @returns one a signal, of its first source; ambiguous: signals that are left out, for they have several
 */
export function ownSignals(
  series: Series[],
  { testid, server }: Subject,
): {
  own: { signal: string; unit: string; labels: Record<string, string>; points: [number, number][] }[];
  ambiguous: string[];
} {
  const ours = busiestPrograms(
    preferred(
      series.filter(
        ({ labels, points }) =>
          points.length > 0 && (labels.testid ?? testid) === testid && (labels.server ?? server) === server,
      ),
    ),
  ).flatMap(({ labels, points }) => {
    const name = parseName(labels.__name__ ?? '');
    return name ? [{ ...name, labels, points }] : [];
  });
  const several = ours.filter(
    ({ labels }, index) => ours.findIndex((other) => other.labels.__name__ === labels.__name__) !== index,
  );
  const ambiguous = [...new Set(several.map(({ signal }) => signal))];
  return { own: ours.filter(({ signal }) => !ambiguous.includes(signal)), ambiguous };
}

/**
 * @returns names that could be of this server. Rules with a source are for all servers that have no rules of their own; where no server is
 *   watched, those of the reference target say what is missing
 */
export function expectedOf(
  rules: { name: string; labels: Record<string, string> }[],
  server: string,
): string[] {
  const own = server === '' || rules.some(({ labels }) => labels.server === server);
  return rules
    .filter(({ labels }) =>
      labels.source ? !own : !labels.server || server === '' || labels.server === server,
    )
    .map(({ name }) => name);
}

/** @param series of one server @returns of each name those of its first source alone */
export function preferred<T extends { labels: Record<string, string> }>(series: T[]): T[] {
  /** @param one a source that the list does not know is the last */
  const rank = ({ labels: { source = '' } }: T) =>
    SOURCES.includes(source) ? SOURCES.indexOf(source) : Infinity;
  const best: Map<string | undefined, number> = new Map();
  for (const one of series) {
    const { __name__: name } = one.labels;
    best.set(name, Math.min(best.get(name) ?? Infinity, rank(one)));
  }
  return series.filter((one) => rank(one) === best.get(one.labels.__name__));
}

/** @returns of a signal that has a series for each program, that of the busiest one */
function busiestPrograms(series: Series[]): Series[] {
  const most = ({ points }: Series) => Math.max(...points.map(([, value]) => value));
  const busiest = new Map<string | undefined, Series>();
  for (const one of series) {
    const { __name__: name, program } = one.labels;
    const known = busiest.get(name);
    if (program !== undefined && (!known || most(one) > most(known))) busiest.set(name, one);
  }
  return series.filter((one) => [undefined, one].includes(busiest.get(one.labels.__name__)));
}

export function parseName(name: string): { signal: string; unit: string } | null {
  const [, signal, unit] = /^signal:([^:]+):([^:]+)$/.exec(name) ?? [];
  return signal && unit ? { signal, unit } : null;
}

/** @param values at least one */
export function statistics(values: number[]): Pick<Signal, 'min' | 'avg' | 'p95' | 'max' | 'samples'> {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (index: number) => round(sorted[index] ?? Number.NaN, 6);
  const sum = sorted.reduce((total, value) => total + value, 0);
  return {
    min: at(0),
    avg: round(sum / sorted.length, 6),
    p95: at(Math.ceil(0.95 * sorted.length) - 1),
    max: at(sorted.length - 1),
    samples: sorted.length,
  };
}

/**
 * Waits until Prometheus holds the samples of the last phase's end, at most until 6 s after it.
 * An older run is not waited for.
 *
 * @param endS Unix time of the last phase's end
 * @throws {PrometheusError}
 */
export async function untilCovered(
  prometheus: Prometheus,
  endS: number,
  nowS: () => number = () => Date.now() / 1000,
): Promise<void> {
  const deadlineS = endS + MAX_LAG_S;
  while (nowS() < deadlineS) {
    const newest = await prometheus.newestSample(`${ALL}[${2 * MAX_LAG_S}s]`, deadlineS);
    if (newest !== null && newest >= endS + LAG_S) return;
    await sleep(500);
  }
}

/** @returns its mean; null: it has no samples there */
export function signalMean(signals: Signal[], name: string, phase: string): number | null {
  return signals.find((one) => one.signal === name && one.phase === phase)?.avg ?? null;
}

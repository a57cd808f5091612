/** Server-side signals: the values of the recording rules `signal:<name>:<unit>` in each phase. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Phase } from '../judge/phases.ts';
import { round } from '../round.ts';
import type { Prometheus, Series } from './prometheus.ts';

/** One signal in one phase. */
export interface Signal {
  signal: string;
  phase: string;
  /** ratio, bytes, count, seconds, rate or bytes_rate. */
  unit: string;
  min: number;
  avg: number;
  /** Nearest rank. */
  p95: number;
  max: number;
  samples: number;
}

/** Selects the signals of a run; series without these labels belong to every run. */
export interface Subject {
  /** Label of the generators' series. */
  testid: string;
  /** The label `server` of the rules that monitor the server under test; '' if there are none. */
  server: string;
}

interface Observations {
  signals: Signal[];
  /** Signals that Prometheus records for this server but that have no sample in any phase. */
  silent: string[];
  /** Signals with several series of the same source, which no single value represents. */
  ambiguous: string[];
}

export const ALL = '{__name__=~"signal:.+:.+"}';

/**
 * Precedence if several rule files record the same signal of a server, by the rules' label `source`. A rule
 * without the label was written for this server. The server's own metrics take precedence over external ones,
 * and a container may contain more than the server. Signals inferred from connections come last.
 */
export const SOURCES = [
  ...['', 'contextforge', 'otel-mcp'],
  ...['hikaricp', 'pgx', 'psycopg', 'sqlalchemy', 'asyncpg', 'node-redis'],
  ...['process', 'jvm', 'cadvisor', 'system', 'connections'],
];
/** Evaluation interval of the rules. */
export const STEP_S = 2;
/** Look-back of the rules: the first points of a phase still cover the previous phase. */
export const RULE_WINDOW_S = 6;
/** Maximum delay of a phase's last samples, because scrape, push and rule evaluation follow one another. */
const MAX_LAG_S = 6;

/** A signal is based on the last scrape, which is up to one interval old when the rule is evaluated. */
export const LAG_S = 2;

/** Whether a phase is too short to be distinguished from its neighbours. */
export const isBlurred = (durationS: number) => durationS <= 2 * RULE_WINDOW_S;

/**
 * Selects the points of a phase whose look-back is within the phase. A phase of up to 12 s has hardly any.
 * For such a phase, uses the points around its end, whose look-back covers most of the phase and part of the
 * previous one.
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
    // The phase was too short to be scraped.
    if (endS - startS < STEP_S) continue;
    const { fromS, toS } = steadyWindow(startS, endS);
    // Counts the points back from the end, because the last point covers the least of the previous phase.
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
 * Selects the series of the subject, and parses their signals.
 *
 * @param series series of all servers and generators
 * @returns own: one series per signal, from its preferred source; ambiguous: signals that are left out
 *   because they have several series
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
 * @returns names of signals that may exist for this server. Rules with a source apply to all servers
 *   without rules of their own. If no server is monitored, the reference target's rules show what is missing
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

/** @param series series of one server @returns for each name, only the series of its preferred source */
export function preferred<T extends { labels: Record<string, string> }>(series: T[]): T[] {
  /** @param one series; an unknown source comes last */
  const rank = ({ labels: { source = '' } }: T) =>
    SOURCES.includes(source) ? SOURCES.indexOf(source) : Infinity;
  const best: Map<string | undefined, number> = new Map();
  for (const one of series) {
    const { __name__: name } = one.labels;
    best.set(name, Math.min(best.get(name) ?? Infinity, rank(one)));
  }
  return series.filter((one) => rank(one) === best.get(one.labels.__name__));
}

/** @returns for a signal with a series for each program, only that of the busiest program */
function busiestPrograms(series: Series[]): Series[] {
  const maxOf = ({ points }: Series) => Math.max(...points.map(([, value]) => value));
  const busiest = new Map<string | undefined, Series>();
  for (const one of series) {
    const { __name__: name, program } = one.labels;
    const known = busiest.get(name);
    if (program !== undefined && (!known || maxOf(one) > maxOf(known))) busiest.set(name, one);
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
 * Waits until Prometheus has the samples of the last phase's end, up to 6 s after it. Does not wait for older
 * runs.
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

/** @returns the signal's mean; null without samples in the phase */
export function signalMean(signals: Signal[], name: string, phase: string): number | null {
  return signals.find((one) => one.signal === name && one.phase === phase)?.avg ?? null;
}

/** The tables of a report as rows of text, for whatever draws them. */
import { bytes, counted, duration, inUnit, number, percent, perSecond } from '../../contract/units.js';
import { boundText, type LatencyFigure, latencyText } from '../collect/latencies.ts';
import { PARTS } from '../collect/measured.ts';
import type { Latency } from '../collect/sparse-histogram.ts';
import type { Resources } from '../judge/resources.ts';
import type { Run } from '../judge/run.ts';
import type { Threshold } from '../judge/threshold.ts';
import { thresholdName, wordsOf } from '../judge/threshold-words.ts';
import type { ColumnUnit } from '../tables/report-tables.ts';

export interface TextTable {
  title: string;
  /** A line above it. */
  caption?: string;
  head: string[];
  rows: string[][];
}

const latencies = (latency: Latency | null, ...figures: LatencyFigure[]) =>
  figures.map((figure) => latencyText(latency, figure, number));

export function phaseTable({ started, phases }: Pick<Run, 'started' | 'phases'>): TextTable {
  return {
    title: 'Phases',
    head: [
      'phase',
      'length',
      'offered',
      'achieved',
      'requests',
      'dropped',
      'failed',
      'p50 ms',
      'p95 ms',
      'p99 ms',
      'max ms',
    ],
    // A run that ended in its set-up has phases in its plan only.
    rows: (started === null ? [] : phases).map((phase) => [
      phase.name,
      duration(phase.duration_s),
      phase.offered_rps === null ? counted(phase.vus ?? 0, 'VU') : perSecond(phase.offered_rps),
      perSecond(phase.achieved_rps),
      number(phase.requests),
      number(phase.dropped),
      percent(phase.error_rate),
      ...latencies(phase.latency_ms, 'p50', 'p95', 'p99', 'max'),
    ]),
  };
}

/** How an outcome is called. */
const ENDS = {
  ok: 'answered well',
  rejected: 'rejected (429, 503)',
  failed: 'failed',
  unanswered: 'no answer',
};

/** @returns latencies by outcome, of phases in which calls failed */
export function outcomeTable({ phases }: Pick<Run, 'phases'>): TextTable {
  return {
    title: 'Latency by outcome',
    head: ['phase', 'outcome', 'calls', 'p50 ms', 'p95 ms', 'p99 ms', 'max ms'],
    rows: phases.flatMap(({ name, outcomes = {} }) =>
      Object.entries(ENDS).flatMap(([outcome, title]) => {
        const of = outcomes[outcome];
        return of
          ? [[name, title, number(of.calls), ...latencies(of.latency_ms, 'p50', 'p95', 'p99', 'max')]]
          : [];
      }),
    ),
  };
}

/** @returns what the latency of all calls consists of */
export function partTable({ phases }: Pick<Run, 'phases'>): TextTable {
  return {
    title: 'Where the latency goes',
    head: ['phase', ...PARTS, 'connected p95 ms', 'connections/s', 'calls a connection'],
    rows: phases.flatMap(({ name, parts, connections }) =>
      parts && connections
        ? [
            [
              name,
              ...PARTS.map((part) => percent(parts[part] ?? 0)),
              number(connections.until_connected_p95_ms),
              number(connections.opened_per_s),
              number(connections.calls_per_connection),
            ],
          ]
        : [],
    ),
  };
}

export function operationTable({ operations }: Run): TextTable {
  // By operation, only runs of several generators know them.
  const hasBytes = operations.some(({ request_bytes }) => request_bytes !== null);
  return {
    title: 'Operations',
    head: [
      'operation',
      'class',
      'requests',
      'rate',
      'failed',
      'p50 ms',
      'p95 ms',
      'p99 ms',
      'max ms',
      ...(hasBytes ? ['sent', 'received'] : []),
    ],
    rows: operations.map((operation) => [
      operation.operation,
      operation.class,
      number(operation.requests),
      perSecond(operation.rps),
      percent(operation.error_rate),
      ...latencies(operation.latency_ms, 'p50', 'p95', 'p99', 'max'),
      ...(hasBytes ? [bytes(operation.request_bytes), bytes(operation.response_bytes)] : []),
    ]),
  };
}

/** @returns what discovery left out because the server failed */
export function failedProbeTable({ failed_probes: all = [] }: Run): TextTable {
  return {
    title: 'Left out because it failed',
    head: ['operation', 'failed with', 'the server said'],
    rows: all.map(({ operation, failed, reason }) => [operation, failed, reason]),
  };
}

/** @returns when each kind of failure began */
export function failureTable({ failures }: Run): TextTable {
  return {
    title: 'Failures',
    head: ['kind', 'count', 'began', 'last seen', 'sample'],
    rows: failures.map(({ kind, count, first_s, last_s, first_phase, sample }) => [
      kind,
      number(count),
      first_s === null
        ? '-'
        : `${number(first_s)} s into the run${first_phase ? `, in phase ${first_phase}` : ''}`,
      last_s === null ? '-' : `${number(last_s)} s`,
      sample ?? '-',
    ]),
  };
}

/** @returns how far each resource is from its limit */
export function resourceTable({
  phase,
  answers_per_s: rate,
  rows,
}: Resources): TextTable & { notes: string[] } {
  return {
    ...(rate === null
      ? { title: `Resources in ${phase}` }
      : { title: 'Resources at the highest rate', caption: `${perSecond(rate)} answered in ${phase}` }),
    head: ['resource', 'in use', 'in use in baseline', 'full at', 'predicted from baseline'],
    rows: rows.map((row) => [
      row.title,
      percent(row.utilization),
      percent(row.baseline_utilization),
      perSecond(row.full_at_per_s),
      perSecond(row.predicted_per_s),
    ]),
    notes: rows.some((row) => row.predicted_per_s !== null)
      ? ['The prediction is made at light load. An error of 2.5x is normal: a call costs less under load.']
      : [],
  };
}

const OUTCOMES = { pass: 'pass', fail: 'FAIL', invalid: 'INVALID', unjudged: 'not judged' };
const RANK = { fail: 0, invalid: 1, pass: 2, unjudged: 3 };

/** @returns those that failed first */
export const byOutcome = (thresholds: Run['thresholds']): Run['thresholds'] =>
  thresholds.toSorted((a, b) => RANK[a.outcome] - RANK[b.outcome]);

/** @returns those that failed first */
export function thresholdTable({ thresholds }: Run): TextTable {
  return {
    title: 'Thresholds',
    head: ['outcome', 'threshold', 'observed', 'samples'],
    rows: byOutcome(thresholds).map((threshold) => [
      OUTCOMES[threshold.outcome],
      thresholdName(threshold),
      observedText(threshold),
      number(threshold.samples),
    ]),
  };
}

export function observedText({ metric, observed, at_least, relative_to }: Threshold): string {
  if (observed === null) return '-';
  const text = relative_to === null ? wordsOf(metric).format(observed) : `${number(observed)} x`;
  return boundText(text, at_least);
}

/** @returns mean of each signal in each measured phase; signals that were 0 from the first to the last are only named, in `quiet` */
export function signalTable({ phases, signals }: Run): TextTable & { quiet: string[] } {
  const columns = phases.filter((phase) => phase.measured && phase.start !== null).map(({ name }) => name);
  const names = [...new Set(signals.map(({ signal }) => signal))];
  const quiet = names.filter((name) =>
    signals.every(({ signal, min, max }) => signal !== name || (min === 0 && max === 0)),
  );
  return {
    title: 'Signals (mean)',
    head: ['signal', ...columns],
    rows: names
      .filter((name) => !quiet.includes(name))
      .map((name) => [
        name,
        ...columns.map((column) => {
          const found = signals.find(({ signal, phase }) => signal === name && phase === column);
          return found ? inUnit(found.unit, found.avg) : '-';
        }),
      ]),
    quiet,
  };
}

const SHOWN: Record<ColumnUnit, (value: number) => string> = {
  ms: (value) => number(value),
  us: (value) => number(value),
  s: (value) => duration(value),
  per_s: (value) => number(value),
  ratio: (value) => percent(value),
  bytes: (value) => bytes(value),
  bytes_per_s: (value) => `${bytes(value)}/s`,
  count: (value) => number(value),
  factor: (value) => `${number(value)} x`,
  usd: (value) => `$${value.toPrecision(3)}`,
  text: (value) => String(value),
};
/** Units that the figures themselves do not show stand in the head. */
const IN_HEAD = { ms: ' ms', us: ' us', per_s: '/s' } as Record<string, string>;

/** @returns the test's own */
export function ownTables({ tables }: Run): (TextTable & { notes: string[] })[] {
  return tables.map(({ title, columns, rows, notes }) => ({
    title,
    head: columns.map(({ name, unit }) =>
      name.endsWith(IN_HEAD[unit] ?? '') ? name : `${name}${IN_HEAD[unit] ?? ''}`,
    ),
    rows: rows.map((row) =>
      row.map((cell, index) => {
        if (cell === null) return '-';
        if (typeof cell === 'string') return cell;
        return SHOWN[columns[index]?.unit ?? 'text'](cell);
      }),
    ),
    notes,
  }));
}

/** Builds the tables of a report as rows of text, independently of the output format. */
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
  /** Text above the table. */
  caption?: string;
  head: string[];
  rows: string[][];
}

/** A column of text, and the cell that it shows for a row. */
interface TextColumn<Row> {
  name: string;
  of: (row: Row) => string;
}

const textTable = <Row>(
  title: string,
  rows: readonly Row[],
  columns: readonly TextColumn<Row>[],
): TextTable => ({
  title,
  head: columns.map(({ name }) => name),
  rows: rows.map((row) => columns.map(({ of }) => of(row))),
});

const LATENCIES = (['p50', 'p95', 'p99', 'max'] as LatencyFigure[]).map((figure) => ({
  name: `${figure} ms`,
  of: ({ latency_ms: latency }: { latency_ms: Latency | null }) => latencyText(latency, figure, number),
}));

export const phaseTable = ({ started, phases }: Pick<Run, 'started' | 'phases'>): TextTable =>
  // The phases of a run that ended during setup exist only in its plan.
  textTable('Phases', started === null ? [] : phases, [
    { name: 'phase', of: ({ name }) => name },
    { name: 'length', of: ({ duration_s: seconds }) => duration(seconds) },
    {
      name: 'offered',
      of: ({ offered_rps: rate, vus }) => (rate === null ? counted(vus ?? 0, 'VU') : perSecond(rate)),
    },
    { name: 'achieved', of: ({ achieved_rps: rate }) => perSecond(rate) },
    { name: 'requests', of: ({ requests }) => number(requests) },
    { name: 'dropped', of: ({ dropped }) => number(dropped) },
    { name: 'failed', of: ({ failure_rate: rate }) => percent(rate) },
    ...LATENCIES,
  ]);

/** Names of the outcomes. */
const ENDS = {
  ok: 'succeeded',
  rejected: 'rejected (429, 503)',
  failed: 'failed',
  unanswered: 'no answer',
};

/** @returns latencies by outcome, for phases with failed calls */
export const outcomeTable = ({ phases }: Pick<Run, 'phases'>): TextTable =>
  textTable(
    'Latency by outcome',
    phases.flatMap(({ name, outcomes = {} }) =>
      Object.entries(ENDS).flatMap(([outcome, title]) => {
        const calls = outcomes[outcome];
        return calls ? [{ phase: name, title, ...calls }] : [];
      }),
    ),
    [
      { name: 'phase', of: ({ phase }) => phase },
      { name: 'outcome', of: ({ title }) => title },
      { name: 'calls', of: ({ calls }) => number(calls) },
      ...LATENCIES,
    ],
  );

/** @returns the parts of the latency of all calls */
export const partTable = ({ phases }: Pick<Run, 'phases'>): TextTable =>
  textTable(
    'Where the latency goes',
    phases.flatMap(({ name, parts, connections }) =>
      parts && connections ? [{ name, parts, connections }] : [],
    ),
    [
      { name: 'phase', of: ({ name }) => name },
      ...PARTS.map((part) => ({
        name: part,
        of: ({ parts }: { parts: NonNullable<Run['phases'][number]['parts']> }) => percent(parts[part] ?? 0),
      })),
      { name: 'connected p95 ms', of: ({ connections }) => number(connections.until_connected_p95_ms) },
      { name: 'connections/s', of: ({ connections }) => number(connections.opened_per_s) },
      { name: 'calls per connection', of: ({ connections }) => number(connections.calls_per_connection) },
    ],
  );

export const operationTable = ({ operations }: Run): TextTable =>
  textTable('Operations', operations, [
    { name: 'operation', of: ({ operation }) => operation },
    { name: 'class', of: ({ class: kind }) => kind },
    { name: 'requests', of: ({ requests }) => number(requests) },
    { name: 'rate', of: ({ rps }) => perSecond(rps) },
    { name: 'failed', of: ({ failure_rate: rate }) => percent(rate) },
    ...LATENCIES,
    // Only runs with several generators measure bytes by operation.
    ...(operations.some(({ request_bytes }) => request_bytes !== null)
      ? [
          { name: 'sent', of: ({ request_bytes: size }: Run['operations'][number]) => bytes(size) },
          { name: 'received', of: ({ response_bytes: size }: Run['operations'][number]) => bytes(size) },
        ]
      : []),
  ]);

/** @returns operations that discovery left out because the server failed */
export const failedProbeTable = ({ failed_probes: all = [] }: Run): TextTable =>
  textTable('Left out because it failed', all, [
    { name: 'operation', of: ({ operation }) => operation },
    { name: 'failed with', of: ({ failed }) => failed },
    { name: 'server message', of: ({ reason }) => reason },
  ]);

/** @returns when failures of each kind began */
export const failureTable = ({ failures }: Run): TextTable =>
  textTable('Failures', failures, [
    { name: 'kind', of: ({ kind }) => kind },
    { name: 'count', of: ({ count }) => number(count) },
    {
      name: 'began',
      of: ({ first_s: at, first_phase: phase }) =>
        at === null ? '-' : `${number(at)} s into the run${phase ? `, in phase ${phase}` : ''}`,
    },
    { name: 'last seen', of: ({ last_s: at }) => (at === null ? '-' : `${number(at)} s`) },
    { name: 'sample', of: ({ sample }) => sample ?? '-' },
  ]);

/** @returns how close each resource is to its limit */
export function resourceTable({
  phase,
  answers_per_s: rate,
  rows,
}: Resources): TextTable & { notes: string[] } {
  const title = rate === null ? `Resources in ${phase}` : 'Resources at the highest rate';
  return {
    ...textTable(title, rows, [
      { name: 'resource', of: (row) => row.title },
      { name: 'in use', of: (row) => percent(row.utilization) },
      { name: 'in use in baseline', of: (row) => percent(row.baseline_utilization) },
      { name: 'full at', of: (row) => perSecond(row.full_at_per_s) },
      { name: 'predicted from baseline', of: (row) => perSecond(row.predicted_per_s) },
    ]),
    ...(rate !== null && { caption: `${perSecond(rate)} answered in ${phase}` }),
    notes: rows.some((row) => row.predicted_per_s !== null)
      ? [
          'The prediction is based on light load. An error of 2.5x is normal because a call costs less under load.',
        ]
      : [],
  };
}

const OUTCOMES = { pass: 'pass', fail: 'FAIL', invalid: 'INVALID', unjudged: 'not judged' };
const RANK = { fail: 0, invalid: 1, pass: 2, unjudged: 3 };

/** @returns failed thresholds first */
export const byOutcome = (thresholds: Run['thresholds']): Run['thresholds'] =>
  thresholds.toSorted((a, b) => RANK[a.outcome] - RANK[b.outcome]);

/** @returns failed thresholds first */
export const thresholdTable = ({ thresholds }: Run): TextTable =>
  textTable('Thresholds', byOutcome(thresholds), [
    { name: 'outcome', of: ({ outcome }) => OUTCOMES[outcome] },
    { name: 'threshold', of: thresholdName },
    { name: 'observed', of: observedText },
    { name: 'samples', of: ({ samples }) => number(samples) },
  ]);

export function observedText({ metric, observed, at_least, relative_to }: Threshold): string {
  if (observed === null) return '-';
  const text = relative_to === null ? wordsOf(metric).format(observed) : `${number(observed)} x`;
  return boundText(text, at_least);
}

/**
 * @returns the mean of each signal in each measured phase; `quiet` contains the signals that were always 0
 */
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
/** Units that are shown in the head, not in the cells. */
const IN_HEAD = { ms: ' ms', us: ' us', per_s: '/s' } as Record<string, string>;

/** @returns the test's own tables */
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

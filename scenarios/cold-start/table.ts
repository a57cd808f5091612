/** `make cold-start`: the time from a server's start to its first answers, and its memory at rest. */
import { inScope, latenciesOf, trendOf } from '../../analysis/collect/groups.ts';
import { note } from '../../analysis/findings/note.ts';
import { percentile } from '../../analysis/statistics/percentile.ts';
import { type Built, type Column, type Facts, tableOf } from '../../analysis/tables/report-tables.ts';
import { bytes, counted, milliseconds } from '../../contract/units.js';
import { REST, type ColdStartResult as Result, STEPS, type Step } from './trials.ts';

/** With fewer starts the p95 is the slowest one. */
const MIN_P95 = 20;

/** Times of starts, milliseconds. */
interface Times {
  count: number;
  p50: number;
  p95: number;
}

interface Row {
  /** null = one after the other. */
  atOnce: number | null;
  starts: number;
  /** null = no start succeeded. */
  start: Times | null;
  first: Record<Step, Times | null>;
}

export default function coldStart(facts: Facts<Result>): Built {
  const result = facts.trials?.result;
  if (!result) return { tables: [] };
  const counts = [...new Set(Object.values(result.atOnce).map(({ atOnce }) => atOnce))];
  const isProgram = counts.length > 0;
  const rows = isProgram
    ? counts.map((atOnce) => rowOfProgram(facts, result, atOnce))
    : [rowOfServer(facts, result)];
  const memory =
    facts.signals.find(({ signal, phase }) => signal === 'memory' && phase === REST)?.max ?? null;
  const each = memory === null || result.resting === 0 ? null : memory / result.resting;
  const columns: Column<Row>[] = [
    ...(isProgram ? [{ name: 'at once', unit: 'count' as const, of: ({ atOnce }: Row) => atOnce }] : []),
    { name: 'starts', unit: 'count', of: ({ starts }) => starts },
    ...both(isProgram ? 'start' : 'ready', ({ start }) => start),
    ...STEPS.flatMap((step) => both(LABELS[step], ({ first }) => first[step])),
  ];
  const notes = [
    ...(isProgram ? NOTES.program : NOTES.server),
    ...(each === null
      ? []
      : [
          `At rest, each server uses ${bytes(each)}, including its child processes (${counted(result.resting, 'server')}).`,
        ]),
  ];
  return { tables: [tableOf('Cold start', rows, columns, notes)], findings: findingOf(rows, each) };
}

const LABELS: Record<Step, string> = { 'tools-list': 'tools/list', 'first-call': 'first call' };

const NOTES = {
  program: [
    'Start: from process start to the end of the handshake. tools/list, first call: from process start to this answer, each as the first request of its process.',
    "The program's files are cached in memory, because it was started before.",
  ],
  server: [
    'Ready: time from server start to the first HTTP response. tools/list and first call: this time plus the latency of a call made directly after a handshake.',
  ],
};

/** The processes that k6 started and measured. */
function rowOfProgram({ groups }: Facts<Result>, { atOnce: trials }: Result, atOnce: number): Row {
  const timesOf = (metric: string, step?: Step) => {
    const own = Object.entries(trials).filter(
      ([, one]) => one.atOnce === atOnce && (step === undefined || one.step === step),
    );
    const { count, latency } = trendOf(
      own.flatMap(([phase]) => inScope(groups, { phase })),
      metric,
    );
    return latency && { count, p50: latency.p50, p95: latency.p95 };
  };
  const start = timesOf('mcp_process_start_duration');
  const firstOf = (step: Step) => timesOf('mcp_process_first_answer_duration', step);
  return {
    ...{ atOnce, starts: start?.count ?? 0, start },
    first: { 'tools-list': firstOf('tools-list'), 'first-call': firstOf('first-call') },
  };
}

/** The start time that this test measured plus the latency of each trial's call. */
function rowOfServer({ groups }: Facts<Result>, { ready }: Result): Row {
  const all = Object.entries(ready);
  const firstOf = (step: Step) =>
    timesOf(
      all.flatMap(([phase, one]) => {
        const latency = latenciesOf(inScope(groups, { phase })).of('ok').percentile(0.5);
        return one.step === step && latency !== null ? [one.ms + latency] : [];
      }),
    );
  return {
    atOnce: null,
    starts: all.length,
    start: timesOf(all.map(([, { ms }]) => ms)),
    first: { 'tools-list': firstOf('tools-list'), 'first-call': firstOf('first-call') },
  };
}

function timesOf(values: readonly number[]): Times | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted.length === 0
    ? null
    : { count: sorted.length, p50: percentile(sorted, 0.5), p95: percentile(sorted, 0.95) };
}

/** @param memory per server at rest, bytes; null = unknown */
function findingOf(rows: readonly Row[], memory: number | null) {
  const p50Of = (row?: Row) => (row?.first['first-call'] ?? row?.first['tools-list'])?.p50 ?? null;
  const [alone] = rows;
  const most = rows.at(-1);
  if (!alone || p50Of(alone) === null) return [];
  const parts = [
    `first answer ${milliseconds(p50Of(alone))} after the start (p50)`,
    ...(most !== alone && p50Of(most) !== null
      ? [`${milliseconds(p50Of(most))} with ${most?.atOnce} concurrent starts`]
      : []),
    ...(memory === null ? [] : [`${bytes(memory)} at rest`]),
  ];
  return [
    note('cold start', parts.join('; '), {
      figures: { first_answer_ms: p50Of(alone), memory_bytes: memory },
    }),
  ];
}

function both(name: string, of: (row: Row) => Times | null): Column<Row>[] {
  return [
    { name: `${name} p50`, unit: 'ms', of: (row) => of(row)?.p50 ?? null },
    {
      name: 'p95',
      unit: 'ms',
      of: (row) => ((of(row)?.count ?? 0) < MIN_P95 ? null : (of(row)?.p95 ?? null)),
    },
  ];
}

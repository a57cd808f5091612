/** `make streams`: how many streams are held, their cost for calls and the server, and how long they last. */
import { signalMean } from '../../analysis/collect/signals.ts';
import type { Streams } from '../../analysis/collect/streams.ts';
import type { Phase } from '../../analysis/judge/phases.ts';
import { meanOf } from '../../analysis/statistics/interval.ts';
import {
  type Built,
  type Facts,
  type ReportTable,
  ratio,
  tableOf,
} from '../../analysis/tables/report-tables.ts';
import { COST_NOTE, type Cost, costColumns, costsOf } from '../../analysis/tables/resource-costs.ts';
import { findingsOf } from './findings.ts';
import { sortEnds } from './stream-ends.ts';

/** A phase and its streams. */
export interface Step extends Phase {
  /** Streams held on average, and at most. */
  held: number;
  heldAtMost: number;
  /** Streams refused until the end of the phase. */
  refused: number;
  /** The p95 of its calls relative to that without streams; null = unknown. */
  slowdown: number | null;
}

export default function streams({ phases, signals, streams: [record] }: Facts): Built {
  const measured = phases.filter(({ measured, start }) => measured && start !== null);
  const [first] = measured;
  if (!record || !first) return { tables: [] };
  const ends = sortEnds(record.ends ?? []);
  const steps = measured.map(
    (phase): Step => ({
      ...phase,
      ...heldIn(phase, record),
      refused: ends.refused.filter(({ asked }) => asked <= Date.parse(phase.end ?? '')).length,
      slowdown: ratio(phase.latency_ms?.p95 ?? null, first.latency_ms?.p95),
    }),
  );
  const mean = (signal: string) => (step: Step) => signalMean(signals, signal, step.name);
  // The cost is not released immediately when streams are closed, and refused streams are not held.
  const open = steps.slice(0, steps.findLastIndex(({ heldAtMost }) => heldAtMost > 0) + 1);
  const [counted, size] = open.length > 0 ? [open, 'held' as const] : [steps, 'refused' as const];
  const costs = costsOf(
    signals,
    counted.map((phase) => ({ phase, count: phase[size] })),
  );
  return {
    tables: [stepTable(steps, mean), ...(costs.some(({ line }) => line) ? [costTable(costs)] : [])],
    findings: findingsOf({ record, ends, steps, costs, areHeld: size === 'held' }),
  };
}

function heldIn({ start, end }: Phase, { held }: Streams): Pick<Step, 'held' | 'heldAtMost'> {
  const [from, to] = [Date.parse(start ?? ''), Date.parse(end ?? '')];
  const counts = Array.from({ length: Math.max(1, Math.floor((to - from) / 1000)) }, (_, second) => {
    const until = from + (second + 1) * 1000;
    return held.findLast(({ at }) => at < until)?.count ?? 0;
  });
  return { held: meanOf(counts), heldAtMost: Math.max(...counts) };
}

const stepTable = (
  steps: readonly Step[],
  mean: (signal: string) => (step: Step) => number | null,
): ReportTable =>
  tableOf(
    'Held streams',
    steps,
    [
      { name: 'streams', unit: 'count', of: ({ labels }) => Number(labels.streams) },
      { name: 'held', unit: 'count', of: ({ heldAtMost }) => heldAtMost },
      { name: 'calls', unit: 'per_s', of: ({ achieved_rps: rate }) => rate },
      { name: 'failed', unit: 'ratio', of: ({ error_rate: rate }) => rate },
      { name: 'p50', unit: 'ms', of: ({ latency_ms: latency }) => latency?.p50 ?? null },
      { name: 'p95', unit: 'ms', of: ({ latency_ms: latency }) => latency?.p95 ?? null },
      { name: 'of none', unit: 'factor', of: ({ slowdown }) => slowdown },
      { name: 'memory', unit: 'bytes', of: mean('memory') },
      { name: 'files', unit: 'count', of: mean('open_files_count') },
      { name: 'threads', unit: 'count', of: mean('threads') },
      { name: 'CPU', unit: 'ratio', of: mean('cpu') },
    ],
    [
      "Streams: how many were to be held while calls went on; held: how many were, at most. Of none: the p95 in multiples of that without streams. Memory, files, threads and CPU are the server's.",
    ],
  );

const costTable = (costs: readonly Cost[]): ReportTable =>
  tableOf(
    'Cost of a stream',
    costs.flatMap(({ resource, line }) => (line ? [{ resource, line }] : [])),
    costColumns(),
    [COST_NOTE],
  );

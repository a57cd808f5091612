/** `make streams`: the number of held streams, their effect on calls, their cost, and their lifetime. */
import { type Group, inScope, shareOf, trendOf } from '../../analysis/collect/groups.ts';
import { signalMean } from '../../analysis/collect/signals.ts';
import type { Latency } from '../../analysis/collect/sparse-histogram.ts';
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

/** Notifications that NOTIFY_TOOL caused. */
export interface Notifications {
  /** Calls of the tool that succeeded, and that failed. */
  calls: number;
  failed: number;
  /** Expected notifications: number of calls times number of held streams. */
  expected: number;
  received: number;
  /** From the latest call to the notification. */
  delay_ms: Latency | null;
}

/** A phase and its streams. */
export interface Step extends Phase {
  /** Streams held on average, and at most. */
  held: number;
  heldAtMost: number;
  /** Streams refused until the end of the phase. */
  refused: number;
  /** Ratio of its calls' p95 to the p95 without streams; null = unknown. */
  slowdown: number | null;
  /** null: NOTIFY_TOOL was not called. */
  notifications: Notifications | null;
}

export default function streams({ phases, signals, groups, streams: [record] }: Facts): Built {
  const measured = phases.filter(({ measured, start }) => measured && start !== null);
  const [first] = measured;
  if (!record || !first) return { tables: [] };
  const ends = sortEnds(record.ends ?? []);
  const steps = measured.map((phase): Step => {
    const streams = heldIn(phase, record);
    return {
      ...phase,
      ...streams,
      refused: ends.refused.filter(({ asked }) => asked <= Date.parse(phase.end ?? '')).length,
      slowdown: ratio(phase.latency_ms?.p95 ?? null, first.latency_ms?.p95),
      notifications: notificationsOf(inScope(groups, { phase: phase.name }), streams.held),
    };
  });
  const mean = (signal: string) => (step: Step) => signalMean(signals, signal, step.name);
  // The cost is not released immediately when streams are closed, and refused streams are not held.
  const open = steps.slice(0, steps.findLastIndex(({ heldAtMost }) => heldAtMost > 0) + 1);
  const [counted, size] = open.length > 0 ? [open, 'held' as const] : [steps, 'refused' as const];
  const costs = costsOf(
    signals,
    counted.map((phase) => ({ phase, count: phase[size] })),
  );
  return {
    tables: [
      stepTable(steps, mean),
      ...notificationTables(steps),
      ...(costs.some(({ line }) => line) ? [costTable(costs)] : []),
    ],
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

function notificationsOf(groups: readonly Group[], held: number): Notifications | null {
  const tool = shareOf(groups, 'mcp_notify_calls');
  if (!tool) return null;
  const delays = trendOf(groups, 'mcp_notification_delay');
  return {
    calls: tool.trues,
    failed: tool.total - tool.trues,
    expected: Math.round(tool.trues * held),
    received: delays.count,
    delay_ms: delays.latency,
  };
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
      { name: 'failed', unit: 'ratio', of: ({ failure_rate: rate }) => rate },
      { name: 'p50', unit: 'ms', of: ({ latency_ms: latency }) => latency?.p50 ?? null },
      { name: 'p95', unit: 'ms', of: ({ latency_ms: latency }) => latency?.p95 ?? null },
      { name: 'vs none', unit: 'factor', of: ({ slowdown }) => slowdown },
      { name: 'memory', unit: 'bytes', of: mean('memory') },
      { name: 'files', unit: 'count', of: mean('open_files_count') },
      { name: 'threads', unit: 'count', of: mean('threads') },
      { name: 'CPU', unit: 'ratio', of: mean('cpu') },
    ],
    [
      "Streams: the planned number. Held: the maximum number. Vs none: p95 relative to the p95 without streams. Memory, files, threads and CPU are the server's.",
    ],
  );

function notificationTables(steps: readonly Step[]): ReportTable[] {
  const rows = steps.flatMap(({ notifications, ...step }) =>
    notifications ? [{ ...step, notifications }] : [],
  );
  if (rows.length === 0) return [];
  return [
    tableOf(
      'Notifications',
      rows,
      [
        { name: 'streams', unit: 'count', of: ({ labels }) => Number(labels.streams) },
        { name: 'calls', unit: 'count', of: ({ notifications: { calls } }) => calls },
        { name: 'failed', unit: 'count', of: ({ notifications: { failed } }) => failed },
        { name: 'expected', unit: 'count', of: ({ notifications: { expected } }) => expected },
        { name: 'received', unit: 'count', of: ({ notifications: { received } }) => received },
        { name: 'delay p50', unit: 'ms', of: ({ notifications: { delay_ms } }) => delay_ms?.p50 ?? null },
        { name: 'delay p95', unit: 'ms', of: ({ notifications: { delay_ms } }) => delay_ms?.p95 ?? null },
        { name: 'delay max', unit: 'ms', of: ({ notifications: { delay_ms } }) => delay_ms?.max ?? null },
      ],
      [
        'Expected: one notification per call of NOTIFY_TOOL and held stream. Delay: from the latest call to the notification.',
      ],
    ),
  ];
}

const costTable = (costs: readonly Cost[]): ReportTable =>
  tableOf(
    'Cost of a stream',
    costs.flatMap(({ resource, line }) => (line ? [{ resource, line }] : [])),
    costColumns(),
    [COST_NOTE],
  );

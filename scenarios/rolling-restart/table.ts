/** `make rolling-restart`: the effect of replacing the server on clients, and the recovery time. */
import { counterOf, failuresOf, inScope } from '../../analysis/collect/groups.ts';
import type { Streams } from '../../analysis/collect/streams.ts';
import { bucketsOf } from '../../analysis/episode.ts';
import { type Effect, faultEffect, partsOf } from '../../analysis/findings/fault-effect.ts';
import { judged } from '../../analysis/judge/judged.ts';
import type { Phase } from '../../analysis/judge/phases.ts';
import type { Threshold } from '../../analysis/judge/threshold.ts';
import { wordsOf } from '../../analysis/judge/threshold-words.ts';
import { RECOVERY } from '../../analysis/limits.ts';
import { type Built, type Facts, type ReportTable, tableOf } from '../../analysis/tables/report-tables.ts';
import { duration } from '../../contract/units.js';
import { findingsOf } from './findings.ts';
import type { RollingResult } from './trials.ts';

/** A phase and the results of its calls. */
export interface Part extends Phase {
  /** Calls whose session was gone, and which were repeated in a new session. */
  sessionsLost: number;
}

/** Streams that were open when the replacement began. */
export interface HeldThrough {
  before: number;
  /** Number of streams that closed since then. */
  closed: number;
  /**
   * Seconds from the end of the replacement until as many were held as before; null: not before the load
   * ended.
   */
  backS: number | null;
}

/** Tolerance for the end of the last phase, when the clients leave. */
const LEAVING_MS = 500;

/** Limit of the recovery time. */
const RECOVERY_S = 5;

export default function rollingRestart({
  phases,
  trials,
  seconds,
  groups,
  streams: [record],
}: Facts<RollingResult>): Built {
  const result = trials?.result;
  const around = partsOf(phases);
  if (!result?.endedMs || !around) return { tables: [] };
  const { fault, after } = around;
  const buckets = bucketsOf([...seconds.values()].flat(), Object.values(around));
  const effect = faultEffect(around, result.endedMs / 1000, buckets);
  const parts = Object.values(around).map(
    (phase): Part => ({
      ...phase,
      sessionsLost: counterOf(inScope(groups, { phase: phase.name }), 'mcp_sessions_expired'),
    }),
  );
  const failures = failuresOf([fault, after].flatMap(({ name }) => inScope(groups, { phase: name })));
  const held = record ? heldThrough(record, result, after) : null;
  return {
    tables: [partTable(parts, result)],
    findings: findingsOf({ parts, failures, held, effect }),
    thresholds: effect ? recovered(effect, after) : [],
  };
}

function heldThrough(
  { held, ends = [] }: Streams,
  { beganMs, endedMs }: RollingResult,
  { end }: Phase,
): HeldThrough | null {
  const before = held.findLast(({ at }) => at < beganMs)?.count ?? 0;
  if (before === 0) return null;
  const untilMs = Date.parse(end ?? '') - LEAVING_MS;
  const isSince = (ms: number) => ms >= beganMs && ms < untilMs;
  const closed = ends.filter(
    ({ asked, openedMs, ageMs }) => openedMs !== undefined && isSince(asked + ageMs),
  );
  const since = held.filter(({ at }) => isSince(at));
  const back = since[since.findLastIndex(({ count }) => count < before) + 1];
  return { before, closed: closed.length, backS: back ? Math.max(0, back.at - endedMs) / 1000 : null };
}

/** @returns nothing if the baseline is inconclusive or the observed time too short */
function recovered({ recovery_s, observed_s, affected }: Effect, after: Phase): Threshold[] {
  if (affected === null) return [];
  const { name, format } = wordsOf('recovery_s');
  const observed = recovery_s ?? Math.max(0, observed_s - RECOVERY.minNormalS);
  if (recovery_s === null && observed < RECOVERY_S) return [];
  const threshold = { scope: { phase: after.name }, metric: 'recovery_s', op: '<' as const, format };
  return [
    judged({
      ...threshold,
      limit: RECOVERY_S,
      observed,
      samples: after.calls ?? 0,
      what: `the replacement: ${name}`,
    }),
  ];
}

const partTable = (parts: readonly Part[], result: RollingResult): ReportTable =>
  tableOf(
    'The server is replaced',
    parts,
    [
      { name: 'part', unit: 'text', of: ({ labels }) => PARTS[String(labels.part)] ?? '' },
      { name: 'calls', unit: 'count', of: ({ calls }) => calls ?? null },
      { name: 'failed', unit: 'count', of: ({ failed }) => failed },
      { name: 'sessions lost', unit: 'count', of: ({ sessionsLost }) => sessionsLost },
      { name: 'p50', unit: 'ms', of: ({ latency_ms: latency }) => latency?.p50 ?? null },
      { name: 'p95', unit: 'ms', of: ({ latency_ms: latency }) => latency?.p95 ?? null },
      { name: 'max', unit: 'ms', of: ({ latency_ms: latency }) => latency?.max ?? null },
    ],
    [
      procedure(result),
      'Sessions lost: calls whose session the server no longer knew. Each was repeated in a new session and counts once.',
    ],
  );

function procedure({ beganMs, endedMs, takeover }: RollingResult): string {
  if (!takeover) return `RESTART_COMMAND took ${duration((endedMs - beganMs) / 1000)}.`;
  const { readyMs, stoppingMs } = takeover;
  const [drained, stopped] = [stoppingMs - beganMs, endedMs - stoppingMs].map((ms) => duration(ms / 1000));
  return `The new server was ready after ${duration(readyMs / 1000)} and got all new calls. ${drained} later the old server got SIGTERM; it exited after ${stopped}.`;
}

const PARTS: Record<string, string> = {
  baseline: 'before the replacement',
  fault: 'during the replacement',
  after: 'after the replacement',
};

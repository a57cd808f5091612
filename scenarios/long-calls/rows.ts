/** The measurements of `make long-calls`, by the length of the calls. */
import {
  failuresOf,
  type Group,
  inScope,
  latenciesOf,
  total,
  trendOf,
} from '../../analysis/collect/groups.ts';
import { signalMean } from '../../analysis/collect/signals.ts';
import { SparseHistogram } from '../../analysis/collect/sparse-histogram.ts';
import type { Phase } from '../../analysis/judge/phases.ts';
import { medianOf } from '../../analysis/statistics/interval.ts';
import type { Facts } from '../../analysis/tables/report-tables.ts';

/** Calls of one length, either with or without progress. */
export interface Row {
  seconds: number;
  way: 'silent' | 'progress';
  calls: number;
  failed: number;
  kinds: Record<string, number>;
  /** Sorted durations of successful and of failed calls, milliseconds. */
  took: number[];
  waited: number[];
  /** Progress notifications received, and when the first one of a call arrived, milliseconds. */
  reports: number;
  firstReportMs: number | null;
}

/** A call on its own, and the same call right after an abandoned one. Medians over the rounds. */
export interface Retry {
  aloneMs: number;
  retriedMs: number;
  /** When the client of the first call gave up, milliseconds. */
  givenUpMs: number;
  /** CPU of the machine; null = unknown. */
  aloneCpu: number | null;
  retriedCpu: number | null;
}

const WAYS = ['silent', 'progress'] as const;

export const rowsOf = (phases: readonly Phase[], groups: readonly Group[]): Row[] =>
  phases
    .filter(({ name }) => !ROUND.test(name))
    .flatMap(({ name, labels }) =>
      WAYS.map((way) => rowOf(Number(labels.seconds), way, inScope(groups, { phase: name, operation: way }))),
    )
    .filter(({ calls }) => calls > 0);

/** Names of the phases with abandoned and retried calls. */
const ROUND = /^(?<part>alone|given-up|retried)-\d+$/;

function rowOf(seconds: number, way: Row['way'], groups: readonly Group[]): Row {
  const latencies = latenciesOf(groups);
  const first = new SparseHistogram(...groups.map(({ firstEvent }) => firstEvent));
  const answered = latencies.of('ok').count;
  // On a stream the answer is an event as well.
  const reports = Math.max(0, first.count + trendOf(groups, 'mcp_event_gap').count - answered);
  return {
    seconds,
    way,
    calls: latencies.all.count,
    failed: total(groups, 'failed'),
    kinds: failuresOf(groups),
    took: latencies.of('ok').values,
    waited: (['rejected', 'failed', 'unanswered'] as const).flatMap(
      (outcome) => latencies.of(outcome).values,
    ),
    reports,
    firstReportMs: reports > 0 ? (first.latency?.p50 ?? null) : null,
  };
}

/** @returns null if no call was abandoned, or if a call to compare with failed */
export function retryOf(
  measured: readonly Phase[],
  groups: readonly Group[],
  signals: Facts['signals'],
): Retry | null {
  const partOf = (part: string) => measured.filter(({ name }) => ROUND.exec(name)?.groups?.part === part);
  const groupsOf = (part: string) => partOf(part).flatMap(({ name }) => inScope(groups, { phase: name }));
  const p50Of = (part: string) => latenciesOf(groupsOf(part)).of('ok').latency?.p50;
  const cpuOf = (part: string) => {
    const means = partOf(part).flatMap(({ name }) => signalMean(signals, 'cpu', name) ?? []);
    return means.length === 0 ? null : medianOf(means);
  };
  const [aloneMs, retriedMs] = [p50Of('alone'), p50Of('retried')];
  const [givenUp] = partOf('given-up');
  if (!givenUp || aloneMs === undefined || retriedMs === undefined) return null;
  if (total(groupsOf('given-up'), 'abandoned') === 0) return null;
  const givenUpMs = Number(givenUp.labels.give_up_s) * 1000;
  return { aloneMs, retriedMs, givenUpMs, aloneCpu: cpuOf('alone'), retriedCpu: cpuOf('retried') };
}

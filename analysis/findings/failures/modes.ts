/** Detects latency with a fast and a slow mode that does not depend on the load. */
import { type Group, inScope, latenciesOf } from '../../collect/groups.ts';
import type { Phase } from '../../judge/phases.ts';
import { SPREAD } from '../../limits.ts';
import { fisherTail } from '../../statistics/fisher.ts';

const MIN_VALUE_MS = 1e-3;

export interface Modes {
  operations: string[];
  fast_ms: number;
  slow_ms: number;
  slow: number;
  calls: number;
  /**
   * The lowest and the highest load, each with its share of slow answers; a single entry if there was only
   * one load.
   */
  loads: { rps: number; share: number }[];
}

interface Split {
  fastMs: number;
  slowMs: number;
  slow: number;
  calls: number;
}

/**
 * @param groups groups of the measured phases
 * @returns null if the times are not bimodal, or if the share of slow answers grows with the load
 */
export function modesOf(groups: readonly Group[], phases: readonly Phase[]): Modes | null {
  const operations = [...new Set(groups.map(({ operation }) => operation))].filter((operation) => {
    const split = splitOf(inScope(groups, { operation }));
    return split !== null;
  });
  const own = groups.filter(({ operation }) => operations.includes(operation));
  const split = splitOf(own);
  if (!split) return null;
  const byLoad = phases
    .flatMap(({ name, achieved_rps: rps }) => {
      const part = slowOf(inScope(own, { phase: name }), split);
      return rps && part.calls * (split.slow / split.calls) >= SPREAD.minModeAnswers / 2
        ? [{ rps, ...part }]
        : [];
    })
    .toSorted((a, b) => a.rps - b.rps);
  const [low, high] = [byLoad[0], byLoad.at(-1)];
  if (!low || !high) return null;
  const haveTwo = high.rps >= SPREAD.loadFactor * low.rps;
  const chance = Math.min(
    fisherTail(high.slow, high.calls, low.slow, low.calls),
    fisherTail(low.slow, low.calls, high.slow, high.calls),
  );
  if (haveTwo && chance < SPREAD.maxChance) return null;
  return {
    operations,
    fast_ms: split.fastMs,
    slow_ms: split.slowMs,
    slow: split.slow,
    calls: split.calls,
    loads: (haveTwo ? [low, high] : [high]).map(({ rps, slow, calls }) => ({ rps, share: slow / calls })),
  };
}

/** @returns the answers split at the widest gap between their times; null without such a gap */
function splitOf(groups: readonly Group[]): Split | null {
  const { buckets, count: calls } = latenciesOf(groups).of('ok');
  const ratioAt = (index: number) =>
    (buckets[index]?.value ?? 0) /
    Math.max(MIN_VALUE_MS, buckets[index - 1]?.value ?? Number.POSITIVE_INFINITY);
  const at = buckets.reduce((widest, _, index) => (ratioAt(index) > ratioAt(widest) ? index : widest), 0);
  const [fast, slow] = [buckets.slice(0, at), buckets.slice(at)];
  const [fastest, middle] = [quantile(fast, 0.95), quantile(slow, 0.5)];
  const slowCalls = countOf(slow);
  if (slowCalls < SPREAD.minModeAnswers || slowCalls > SPREAD.maxShare * calls) return null;
  if (!(middle >= SPREAD.minModeMs && middle >= SPREAD.minModeFactor * fastest)) return null;
  if (quantile(slow, 0.95) - quantile(slow, 0.05) > SPREAD.maxModeWidth * middle) return null;
  return { fastMs: quantile(fast, 0.5), slowMs: middle, slow: slowCalls, calls };
}

function slowOf(groups: readonly Group[], { slowMs }: Split) {
  const answered = latenciesOf(groups).of('ok');
  return { slow: answered.countOver(slowMs / 2), calls: answered.count };
}

type Buckets = readonly { value: number; count: number }[];

const countOf = (buckets: Buckets): number => buckets.reduce((sum, { count }) => sum + count, 0);

/** @returns NaN without values */
function quantile(buckets: Buckets, share: number): number {
  const rank = share * countOf(buckets);
  let before = 0;
  for (const { value, count } of buckets) {
    before += count;
    if (before >= rank) return value;
  }
  return Number.NaN;
}

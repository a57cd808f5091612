/** Checks whether calls fail because other calls are in flight at the same time. */
import { type Group, inScope, latenciesOf } from '../../collect/groups.ts';
import { FAILURES } from '../../limits.ts';
import { fisherTail } from '../../statistics/fisher.ts';

export interface Alongside {
  /** Operation whose calls fail. */
  operation: string;
  /** Operation that was in flight at the same time; may be the same operation. */
  other: string;
  calls: number;
  failed: number;
  /** Calls of the operation without an overlapping call of the other, and their failures. */
  without: { calls: number; failed: number };
}

/**
 * Compares calls within a phase, because the load differs between phases.
 *
 * @param operation the operation with the failures
 * @returns null if no overlap explains the failures, or if the load alone does
 */
export function alongside(groups: readonly Group[], operation: string): Alongside | null {
  const own = inScope(groups, { operation });
  const others = new Set(own.flatMap(({ overlaps = {} }) => Object.keys(overlaps)).filter(Boolean));
  const ranked = [...others]
    .map((other) => ({ other, ...comparedBy(own, other) }))
    .toSorted((a, b) => a.chance - b.chance);
  const [best, next] = ranked;
  if (!best || best.chance * others.size > FAILURES.maxChance) return null;
  if (next && best.chance * FAILURES.minAhead > next.chance) return null;
  if (best.without.failed > FAILURES.maxWithout * (best.failed + best.without.failed)) return null;
  const { other, calls, failed, without } = best;
  return { operation, other, calls, failed, without };
}

/**
 * @returns the sums over the phases, and the probability of the most significant difference by chance
 *   (Bonferroni)
 */
function comparedBy(own: readonly Group[], other: string) {
  const sums = { calls: 0, failed: 0, without: { calls: 0, failed: 0 }, chance: 1 };
  for (const group of own) {
    const { calls, failed } = group.overlaps?.[other] ?? { calls: 0, failed: 0 };
    const latencies = latenciesOf([group]);
    const { count } = latencies.all;
    const without = {
      calls: Math.max(0, count - calls),
      failed: Math.max(0, count - latencies.of('ok').count - failed),
    };
    sums.calls += calls;
    sums.failed += failed;
    sums.without.calls += without.calls;
    sums.without.failed += without.failed;
    sums.chance = Math.min(sums.chance, fisherTail(failed, calls, without.failed, without.calls));
  }
  return { ...sums, chance: sums.chance * Math.max(1, own.length) };
}

/**
 * @param operations operations to look for
 * @returns Unix time in milliseconds at which the first call began that overlapped with another one of
 *   these operations; null if none did
 */
export function firstTogether(groups: readonly Group[], operations: readonly string[]): number | null {
  const times = groups
    .filter(({ operation }) => operations.includes(operation))
    .flatMap(({ overlaps = {} }) =>
      Object.entries(overlaps).flatMap(([other, { at }]) => (operations.includes(other) ? [at[0]] : [])),
    );
  return times.length === 0 ? null : Math.min(...times);
}

import { normalShare } from './normal.ts';
import { rankSumShares } from './rank-sum.ts';
import { ranks, ties } from './ranks.ts';

/** Maximum number of values on both sides together for an exact p-value, which takes a tenth of a second. */
export const MOST_EXACT = 100;

/**
 * Tests whether two groups of independent measurements differ (Mann & Whitney 1947). p is the share of all
 * assignments of the values to two groups of these sizes that differ at least as much. p is twice the smaller
 * tail, as in SciPy's `mannwhitneyu(method='exact')`, but also exact with ties, unlike SciPy's.
 *
 * Above `MOST_EXACT` values, uses the normal approximation, corrected for ties and for continuity.
 *
 * @param a at least one value
 * @param b at least one value
 * @returns u: number of pairs in which `a` is larger; ties count as half a pair
 * @throws {RangeError} if a side has no values
 */
export function mannWhitney(a: number[], b: number[]): { u: number; p: number } {
  if (a.length === 0 || b.length === 0)
    throw new RangeError('a Mann-Whitney test needs values on both sides');
  const all = [...a, ...b];
  const ranked = ranks(all);
  const sum = ranked.slice(0, a.length).reduce((total, rank) => total + rank, 0);
  const u = sum - (a.length * (a.length + 1)) / 2;
  return { u, p: all.length <= MOST_EXACT ? exact(ranked, a.length, sum) : normal(all, a.length, u) };
}

/**
 * @param count number of values in `a`
 * @param sum rank sum of `a`
 */
function exact(ranked: number[], count: number, sum: number) {
  const shares = rankSumShares(ranked, count);
  const low = total(shares.subarray(0, 2 * sum + 1));
  const high = total(shares.subarray(2 * sum));
  return Math.min(1, 2 * Math.min(low, high));
}

const total = (shares: Float64Array) => shares.reduce((sum, share) => sum + share, 0);

/** @param count number of values in `a` */
function normal(all: number[], count: number, u: number) {
  const n = all.length;
  const pairs = count * (n - count);
  const tied = ties(all).reduce((sum, t) => sum + t ** 3 - t, 0);
  const variance = (pairs / 12) * (n + 1 - tied / (n * (n - 1)));
  if (variance === 0) return 1;
  const z = (Math.abs(u - pairs / 2) - 0.5) / Math.sqrt(variance);
  return Math.min(1, 2 * normalShare(-z));
}

import { medianOf } from './interval.ts';
import { MOST_EXACT } from './mann-whitney.ts';
import { normalQuantile } from './normal.ts';
import { rankSumShares } from './rank-sum.ts';

export interface Shift {
  /** The median of all differences b - a. */
  shift: number;
  /** null: so few values have no such interval, whatever they are. */
  low: number | null;
  high: number | null;
}

/**
 * By how much b is above a (Hodges & Lehmann 1963), with the interval that belongs to the Mann-Whitney test: those shifts
 * which that test does not reject. Its ends are two of the sorted differences (Hollander, Wolfe & Chicken, Nonparametric
 * Statistical Methods, 4.3). With equal values it is somewhat wide, never too narrow.
 *
 * @param a at least one value
 * @param b at least one value
 * @param confidence of the interval, above 0, below 1
 * @throws {RangeError} without a value on either side
 */
export function hodgesLehmann(a: number[], b: number[], confidence: number = 0.95): Shift {
  if (a.length === 0 || b.length === 0) throw new RangeError('a shift needs values on both sides');
  const differences = Float64Array.from(b.flatMap((later) => a.map((earlier) => later - earlier))).sort();
  const shift = medianOf([...differences]);
  const place = lastRejected(a.length, b.length, 1 - confidence);
  if (place < 1) return { shift, low: null, high: null };
  return {
    shift,
    low: differences[place - 1] ?? null,
    high: differences[differences.length - place] ?? null,
  };
}

/**
 * @param level of both tails together
 * @returns how many of the smallest values that u can take lie in half that level: the interval begins with the difference of this number
 */
function lastRejected(n: number, m: number, level: number): number {
  if (n + m > MOST_EXACT) {
    const spread = Math.sqrt((n * m * (n + m + 1)) / 12);
    return Math.floor((n * m) / 2 + normalQuantile(level / 2) * spread);
  }
  const places = Array.from({ length: n + m }, (_, index) => index + 1);
  const shares = rankSumShares(places, n);
  const least = n * (n + 1);
  let [u, tail] = [0, 0];
  while (true) {
    tail += shares[least + 2 * u] ?? 1;
    // Sums of shares that should be the level to the digit are not, quite.
    if (tail > level / 2 + 1e-12) return u;
    u += 1;
  }
}

/**
 * How likely chance alone makes any of many metrics differ as much as this one does: Westfall and Young's step-down minimum of
 * p (Resampling-Based Multiple Testing, 1993, algorithm 2.8), by dealing whole runs out to the two sides anew.
 *
 * A run keeps all of its metrics, so what hangs together (p95 and p99) is not paid for twice. Holm's correction, which knows
 * nothing of that, can call nothing different with five runs a side and more than two metrics, whatever they are.
 *
 * The smaller p is Mann and Whitney's, and of equal ones that with the larger difference of means, in standard deviations: with
 * few runs every metric has some order of theirs in which it is perfectly divided.
 */
import { seededRandom } from '../../contract/seeded-random.js';
import { rankSumShares } from '../statistics/rank-sum.ts';
import { ranks } from '../statistics/ranks.ts';

/** More ways to deal the runs out than this are not all tried: so many are drawn. */
const MOST_DEALS = 10_000;
/** So little that it only tells equal ps apart. */
const TIE_BREAK = 1e-6;
/** Sums of the same figures in another order. */
const ROUNDING = 1e-9;

/**
 * @param metrics of the same runs, in the same order, in each
 * @param seed of the draws
 * @returns an adjusted p of each, two-sided: where it is below 0.02 for those that are called different, in at most 2 % of comparisons of
 *   two equal sides any metric is, about half of them for the worse
 */
export function adjustedP(metrics: { a: number[]; b: number[] }[], seed: number = 1): number[] {
  const [first] = metrics;
  if (!first) return [];
  const count = first.b.length;
  const extremes = metrics.map(({ a, b }) => extremeness([...a, ...b], count));
  const size = first.a.length + count;
  const own = Array.from({ length: count }, (_, index) => first.a.length + index);
  const observed = extremes.map((extreme) => extreme(own));
  // From the least extreme to the most: each is held against the best of itself and those behind it.
  const order = observed.map((_, index) => index).sort((x, y) => Number(observed[x]) - Number(observed[y]));
  const reached = metrics.map(() => 0);
  let deals = 0;
  for (const chosen of dealsOf(size, count, seed)) {
    deals += 1;
    let best = Number.NEGATIVE_INFINITY;
    for (const index of order) {
      best = Math.max(best, extremes[index]?.(chosen) ?? best);
      if (best >= Number(observed[index]) - ROUNDING) reached[index] = Number(reached[index]) + 1;
    }
  }
  const adjusted: number[] = [];
  let largest = 0;
  for (const index of order.toReversed()) {
    largest = Math.max(largest, Number(reached[index]) / deals);
    adjusted[index] = largest;
  }
  return adjusted;
}

/** @param count of those that are chosen @returns the larger, the less likely by chance */
function extremeness(values: number[], count: number): (chosen: number[]) => number {
  const ranked = ranks(values);
  const unlikely = unlikelihoods(rankSumShares(ranked, count));
  const size = values.length;
  const mean = values.reduce((total, value) => total + value, 0) / size;
  const deviation = Math.sqrt(values.reduce((total, value) => total + (value - mean) ** 2, 0) / size);
  const perDeviation = deviation > 0 ? TIE_BREAK / deviation : 0;
  return (chosen) => {
    let [rankSum, away] = [0, 0];
    for (const index of chosen) {
      rankSum += Number(ranked[index]);
      away += Number(values[index]) - mean;
    }
    return Number(unlikely[2 * rankSum]) + Math.abs(away) * perDeviation;
  };
}

/** @param shares by twice the sum of ranks @returns -ln p of each, two-sided */
function unlikelihoods(shares: Float64Array): Float64Array {
  const [below, above] = [shares.slice(), shares.slice()];
  for (let low = 1, high = shares.length - 2; high >= 0; low += 1, high -= 1) {
    below[low] = Number(below[low]) + Number(below[low - 1]);
    above[high] = Number(above[high]) + Number(above[high + 1]);
  }
  return below.map((share, index) => {
    const p = Math.min(1, 2 * Math.min(share, Number(above[index])));
    return -Math.log(Math.max(p, Number.MIN_VALUE));
  });
}

/**
 * @returns which runs are dealt to the second side: in every way, or as it is and in many drawn ways. Each is to be read before the next is
 *   asked for
 */
function dealsOf(size: number, count: number, seed: number): Iterable<number[]> {
  return choices(size, count) <= MOST_DEALS ? everyDeal(size, count) : drawnDeals(size, count, seed);
}

/** @returns ways to choose so many of so many */
export function choices(size: number, count: number): number {
  let ways = 1;
  for (let index = 1; index <= count; index += 1) ways = (ways * (size - count + index)) / index;
  return Math.round(ways);
}

function* everyDeal(size: number, count: number): Generator<number[]> {
  const chosen = Array.from({ length: count }, (_, index) => index);
  while (true) {
    yield chosen;
    let last = count - 1;
    while (last >= 0 && chosen[last] === size - count + last) last -= 1;
    if (last < 0) return;
    chosen[last] = Number(chosen[last]) + 1;
    for (let index = last + 1; index < count; index += 1) chosen[index] = Number(chosen[index - 1]) + 1;
  }
}

function* drawnDeals(size: number, count: number, seed: number): Generator<number[]> {
  const random = seededRandom(seed);
  const all = Array.from({ length: size }, (_, index) => index);
  yield all.slice(size - count);
  for (let draw = 1; draw < MOST_DEALS; draw += 1) {
    for (let index = 0; index < count; index += 1) {
      const other = index + Math.floor(random() * (size - index));
      [all[index], all[other]] = [Number(all[other]), Number(all[index])];
    }
    yield all.slice(0, count);
  }
}

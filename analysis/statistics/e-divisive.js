/**
 * Where a series of measurements changed, as Apache Otava (Hunter) finds it: "Hunter: Using Change Point Detection to Hunt for
 * Performance Regressions", Fleming et al. 2023. Windows that overlap by half are divided where E-divisive's divergence is
 * largest (Matteson & James 2014, with its second end, kappa), as long as Student's t-test tells the two sides apart at a
 * relaxed level; of the points so found, the weakest are then taken back until all that remain hold at the level asked for.
 *
 * Two things differ from Otava 0.8: the t-test estimates the variance with n - 1 (Otava's with n, which makes p of short
 * segments too small), and a segment has a least length, so that one odd run is no change.
 *
 * The split is chosen where it looks best, and p does not know that: of series in which nothing changes, more than
 * `significance` are found to have changed. How many is measured in the test beside this.
 */
import { meanOf } from '../interval.js';
import { studentTails } from './student-t.js';

/** How much more a point may be due to chance while others are still looked for: a strong one may hide behind a weak one. */
const RELAXED = 10;

/**
 * @typedef {object} ChangePoint
 * @property {number} index of the first value that is different
 * @property {number} p of Student's t-test between the segments before and after
 * @property {number} before mean of the segment before
 * @property {number} after mean of the segment after
 * @property {number} change after / before - 1
 *
 * @typedef {object} ChangePointOptions
 * @property {number} [significance] p of a change at most
 * @property {number} [window] values that are looked at at once
 * @property {number} [leastSegment] values between two changes, and between a change and either end
 * @property {number} [leastChange] of the mean, as a share
 */

/**
 * @param {number[]} series in order of time
 * @param {ChangePointOptions} [options]
 * @returns {ChangePoint[]} in order of time
 */
export function changePoints(
  series,
  { significance = 0.001, window = 50, leastSegment = 3, leastChange = 0 } = {},
) {
  const weak = weakPoints(series, Math.min(1, significance * RELAXED), window, leastSegment);
  return merged(series, weak, significance, leastChange);
}

/**
 * @param {number[]} series
 * @param {number} level
 * @param {number} window
 * @param {number} leastSegment
 * @returns {number[]} indexes, in order
 */
function weakPoints(series, level, window, leastSegment) {
  /** @type {Set<number>} */
  const found = new Set();
  for (let start = 0; start < series.length; ) {
    const inWindow = divided(series.slice(start, start + window), level, leastSegment);
    for (const index of inWindow) found.add(start + index);
    start += Math.max(inWindow.at(-1) ?? 0, Math.max(1, Math.floor(window / 2)));
  }
  return [...found].sort((a, b) => a - b);
}

/**
 * @param {number[]} values
 * @param {number} level
 * @param {number} leastSegment
 * @returns {number[]} where they are divided, in order
 */
function divided(values, level, leastSegment) {
  const distances = distanceSums(values);
  /** @type {number[]} */
  const points = [];
  while (true) {
    const best = segments(points, values.length)
      .flatMap(([from, to]) => bestSplit(distances, from, to, leastSegment) ?? [])
      .reduce((a, b) => (b.divergence > a.divergence ? b : a), NO_SPLIT);
    if (best === NO_SPLIT || tTest(values.slice(best.from, best.at), values.slice(best.at, best.to)) > level)
      return points;
    points.push(best.at);
    points.sort((a, b) => a - b);
  }
}

const NO_SPLIT = { from: 0, at: 0, to: 0, divergence: Number.NEGATIVE_INFINITY };

/** @param {number[]} points in order @param {number} length @returns {[from: number, to: number][]} */
function segments(points, length) {
  const ends = [...points, length];
  return ends.map((to, index) => [ends[index - 1] ?? 0, to]);
}

/**
 * The split of a segment with the largest divergence between what is before it and what comes after, up to some point kappa:
 * m n / (m + n) * (2 * mean distance across - mean distance among the m - mean distance among the n).
 *
 * @param {(from: number, to: number, other: number) => number} distances
 * @param {number} from
 * @param {number} to
 * @param {number} leastSegment
 * @returns {typeof NO_SPLIT | null} null where the segment is too short
 */
function bestSplit(distances, from, to, leastSegment) {
  /** @type {typeof NO_SPLIT | null} */
  let best = null;
  let before = 0;
  for (let at = from + 1; at < to; at += 1) {
    before += distances(from, at - 1, at - 1);
    const m = at - from;
    let [across, after] = [0, 0];
    for (let kappa = at + 1; kappa <= to; kappa += 1) {
      across += distances(from, at, kappa - 1);
      after += distances(at, kappa - 1, kappa - 1);
      const n = kappa - at;
      if (m < leastSegment || n < leastSegment) continue;
      const divergence =
        ((m * n) / (m + n)) * ((2 * across) / (m * n) - perPair(before, m) - perPair(after, n));
      if (!best || divergence > best.divergence) best = { from, at, to, divergence };
    }
  }
  return best;
}

/** @param {number} sum @param {number} count */
const perPair = (sum, count) => (count < 2 ? 0 : (2 * sum) / (count * (count - 1)));

/**
 * @param {number[]} values
 * @returns {(from: number, to: number, other: number) => number} how far those from one index to before another are from a
 *   third, together
 */
function distanceSums(values) {
  const sums = values.map((other) => {
    let sum = 0;
    return [0, ...values.map((value) => (sum += Math.abs(value - other)))];
  });
  return (from, to, other) => Number(sums[other]?.[to]) - Number(sums[other]?.[from]);
}

/**
 * @param {number[]} series
 * @param {number[]} weak
 * @param {number} significance
 * @param {number} leastChange
 * @returns {ChangePoint[]}
 */
function merged(series, weak, significance, leastChange) {
  let points = weak;
  while (true) {
    const parts = segments(points, series.length).map(([from, to]) => series.slice(from, to));
    const found = points.map((index, place) => described(index, parts[place] ?? [], parts[place + 1] ?? []));
    const doubtful = found.filter(({ p }) => p > significance);
    const small = found.filter(({ before, after }) => magnitude(before, after) < leastChange);
    const weakest =
      doubtful.toSorted((a, b) => b.p - a.p)[0] ??
      small.toSorted((a, b) => magnitude(a.before, a.after) - magnitude(b.before, b.after))[0];
    if (!weakest) return found;
    points = points.filter((index) => index !== weakest.index);
  }
}

/** @param {number} index @param {number[]} left @param {number[]} right @returns {ChangePoint} */
function described(index, left, right) {
  const [before, after] = [meanOf(left), meanOf(right)];
  return { index, p: tTest(left, right), before, after, change: after / before - 1 };
}

/** @param {number} before @param {number} after of either one, whichever is more: a fall counts as much as a rise */
const magnitude = (before, after) => Math.max(Math.abs(after / before - 1), Math.abs(before / after - 1));

/** @param {number[]} left @param {number[]} right @returns {number} p, two-sided, of Student's t-test with one variance for both */
function tTest(left, right) {
  const freedom = left.length + right.length - 2;
  const apart = meanOf(right) - meanOf(left);
  if (freedom < 1 || apart === 0) return 1;
  const variance = (squares(left) + squares(right)) / freedom;
  return studentTails(apart / Math.sqrt(variance * (1 / left.length + 1 / right.length)), freedom);
}

/** @param {number[]} values @returns {number} of their distances from their mean, added up */
function squares(values) {
  const mean = meanOf(values);
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
}

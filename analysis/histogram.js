/**
 * Latencies as native histograms: what is left of them where k6 keeps no sample. A value is known up to its bucket.
 */

/**
 * @typedef {object} Bucket
 * @property {number} left values above it
 * @property {number} right up to this one
 * @property {number} count
 *
 * @typedef {{count: number, sum: number, buckets: Bucket[]}} Histogram the buckets in ascending order
 */

/** @type {Record<string, number>} k6's names of a Trend's percentiles, in thousandths: n * 0.999 may not be what it should be */
const PERCENTILES = { 'p(50)': 500, 'p(75)': 750, 'p(90)': 900, 'p(95)': 950, 'p(99)': 990, 'p(99.9)': 999 };

/**
 * @param {number} count of values
 * @param {number} thousandths of them
 * @returns {number} the percentile's nearest rank, 1 = the smallest value
 */
export function rankOf(count, thousandths) {
  return Math.ceil((count * thousandths) / 1000);
}

/** @param {readonly {count: number}[]} buckets */
const total = (buckets) => buckets.reduce((sum, { count }) => sum + count, 0);

/**
 * @param {Histogram[]} histograms with the same bounds, as k6 makes them all
 * @param {(value: number) => number} unit what their values are in the unit that is wanted, in the same order
 * @returns {Histogram} none of its buckets is empty; the sum is of values in their own unit
 */
export function addUp(histograms, unit = (value) => value) {
  /** @type {Map<number, Bucket>} */
  const byLeft = new Map();
  for (const { left, right, count } of histograms.flatMap(({ buckets }) => buckets)) {
    byLeft.set(left, {
      left: unit(left),
      right: unit(right),
      count: count + (byLeft.get(left)?.count ?? 0),
    });
  }
  const buckets = [...byLeft.values()].filter(({ count }) => count > 0).sort((a, b) => a.left - b.left);
  return { count: total(buckets), sum: histograms.reduce((all, { sum }) => all + sum, 0), buckets };
}

/**
 * @param {Histogram} histogram
 * @param {number} limit
 * @returns {{least: number, most: number}} values that are not below the limit: the bucket that holds it may have any number of them
 */
export function countFrom({ buckets }, limit) {
  const least = total(buckets.filter(({ left }) => left >= limit));
  return { least, most: least + total(buckets.filter(({ left, right }) => left < limit && limit <= right)) };
}

/**
 * Cuts the bucket that holds a limit in two. Then every percentile is on its right side of the limit.
 *
 * @param {Histogram} histogram
 * @param {number} limit
 * @param {number} notBelow values that are known to be not below the limit; between `countFrom`'s bounds
 * @returns {Histogram}
 */
export function splitAt(histogram, limit, notBelow) {
  const inside = notBelow - countFrom(histogram, limit).least;
  const buckets = histogram.buckets.flatMap(({ left, right, count }) =>
    left < limit && limit <= right
      ? [
          { left, right: limit, count: count - inside },
          { left: limit, right, count: inside },
        ].filter((half) => half.count > 0)
      : [{ left, right, count }],
  );
  return { ...histogram, buckets };
}

/**
 * @param {Histogram} histogram
 * @returns {Record<string, number>} named as k6's of a Trend. A percentile is the nearest rank's value, taken from where
 *   it would be in its bucket if the bucket's values were spread evenly; minimum and maximum are the outer bounds.
 */
export function trendValues({ count, sum, buckets }) {
  const first = buckets[0];
  const last = buckets.at(-1);
  if (!first || !last) return { count: 0 };
  const percentiles = Object.entries(PERCENTILES).map(([name, thousandths]) => [
    name,
    valueAt(buckets, rankOf(count, thousandths)),
  ]);
  return { min: first.left, avg: sum / count, ...Object.fromEntries(percentiles), max: last.right, count };
}

/**
 * @param {Bucket[]} buckets
 * @param {number} rank 1 = the smallest
 * @returns {number}
 */
function valueAt(buckets, rank) {
  let before = 0;
  for (const { left, right, count } of buckets) {
    if (before + count >= rank) {
      const share = (rank - before - 0.5) / count;
      return left > 0 ? left * (right / left) ** share : right * share;
    }
    before += count;
  }
  return Number.NaN;
}

/**
 * @param {Histogram} histogram
 * @returns {number} how far off a percentile may be, as a share of it
 */
export function relativeError({ buckets }) {
  return Math.max(0, ...buckets.flatMap(({ left, right }) => (left > 0 ? right / left - 1 : [])));
}

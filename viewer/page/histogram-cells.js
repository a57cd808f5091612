/**
 * A heatmap's cells, from native histograms or from classic buckets.
 *
 * @typedef {import('./prometheus-answer.js').Buckets} Buckets
 */

/**
 * @param {import('./panel-queries.js').Frame[]} frames
 * @param {number} length moments
 * @returns {Buckets[]} one a moment, empty where there is nothing
 */
export function columnsOf(frames, length) {
  /** @type {Buckets[]} */
  const columns = Array.from({ length }, () => []);
  for (const { histograms } of frames) {
    for (const [index, buckets] of (histograms ?? []).entries())
      if (buckets) columns[index]?.push(...buckets);
  }
  for (const [index, column] of classicColumns(frames, length).entries()) columns[index]?.push(...column);
  return columns;
}

/**
 * Classic buckets are cumulative: each counts all that the ones below it count.
 *
 * @param {import('./panel-queries.js').Frame[]} frames
 * @param {number} length
 * @returns {Buckets[]}
 */
function classicColumns(frames, length) {
  const bounded = frames
    .filter(({ labels }) => labels.le !== undefined)
    .map(({ labels, values }) => ({
      le: labels.le === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels.le),
      values,
    }))
    .sort((a, b) => a.le - b.le);
  return Array.from({ length }, (_, index) => {
    /** @type {Buckets} */
    const column = [];
    let below = 0;
    let left = 0;
    for (const { le, values } of bounded) {
      const upTo = values[index] ?? null;
      if (upTo === null) continue;
      // The last bucket has no upper end; it is drawn as wide as the one below.
      const right = Number.isFinite(le) ? le : left * 2;
      if (right > left) column.push([left, right, Math.max(0, upTo - below)]);
      below = upTo;
      left = right;
    }
    return column;
  });
}

/**
 * @param {Buckets[]} columns
 * @param {number} least counts up to this are not shown
 * @returns {{low: number, high: number, most: number} | null} what is shown; low is above zero where any bucket's end is
 */
export function extentOf(columns, least) {
  let [low, high, most] = [Number.POSITIVE_INFINITY, 0, 0];
  for (const [left, right, count] of columns.flat()) {
    if (count <= least) continue;
    low = Math.min(low, left > 0 ? left : right);
    high = Math.max(high, right);
    most = Math.max(most, count);
  }
  return most > 0 ? { low, high, most } : null;
}

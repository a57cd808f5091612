/**
 * What Prometheus answers, brought to a grid of moments that all series of a query share.
 *
 * @typedef {[left: number, right: number, count: number][]} Buckets of a native histogram, from low to high
 *
 * @typedef {object} Series
 * @property {Record<string, string>} labels
 * @property {(number | null)[]} values one a moment; null where there is no sample
 * @property {(Buckets | null)[]} [histograms] likewise, where the samples are native histograms
 *
 * @typedef {{startS: number, stepS: number, count: number}} Grid moments: the first, and from one to the next
 *
 * @typedef {object} Answer
 * @property {Grid} grid
 * @property {Series[]} series
 */

/** @param {import('./time-range.js').Range} range aligned to the step @param {number} stepS @returns {Grid} */
export function gridOf({ fromS, toS }, stepS) {
  return { startS: fromS, stepS, count: Math.round((toS - fromS) / stepS) + 1 };
}

/** @param {Grid} grid @returns {number[]} Unix seconds */
export function timesOf({ startS, stepS, count }) {
  return Array.from({ length: count }, (_, index) => startS + index * stepS);
}

/**
 * @param {any} data of a range query
 * @param {Grid} grid
 * @returns {Answer}
 * @throws {Error} where it is something else
 */
export function fromRange(data, grid) {
  if (data?.resultType !== 'matrix')
    throw new Error(`Prometheus answered a ${data?.resultType}, expected a matrix`);
  const series = data.result.map((/** @type {any} */ { metric, values = [], histograms }) => ({
    labels: metric,
    values: onGrid(values, grid, numberOf),
    ...(histograms && { histograms: onGrid(histograms, grid, bucketsOf) }),
  }));
  return { grid, series };
}

/**
 * @param {any} data of an instant query
 * @param {number} timeS
 * @returns {Answer} of one moment
 * @throws {Error} where it is something else
 */
export function fromInstant(data, timeS) {
  const grid = { startS: timeS, stepS: 1, count: 1 };
  if (data?.resultType === 'scalar')
    return { grid, series: [{ labels: {}, values: [numberOf(data.result[1])] }] };
  if (data?.resultType !== 'vector')
    throw new Error(`Prometheus answered a ${data?.resultType}, expected a vector`);
  const series = data.result.map((/** @type {any} */ { metric, value, histogram }) => ({
    labels: metric,
    values: [value ? numberOf(value[1]) : null],
    ...(histogram && { histograms: [bucketsOf(histogram[1])] }),
  }));
  return { grid, series };
}

/**
 * @template From, To
 * @param {[seconds: number, sample: From][]} samples
 * @param {Grid} grid
 * @param {(sample: From) => To | null} convert
 * @returns {(To | null)[]}
 */
function onGrid(samples, { startS, stepS, count }, convert) {
  /** @type {(To | null)[]} */
  const values = new Array(count).fill(null);
  for (const [time, sample] of samples) {
    const index = Math.round((time - startS) / stepS);
    if (index >= 0 && index < count) values[index] = convert(sample);
  }
  return values;
}

/** @param {string} text @returns {number | null} null for what can't be drawn: a ratio to nothing, an endless percentile */
function numberOf(text) {
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}

/**
 * @param {{buckets?: [rule: number, left: string, right: string, count: string][]}} histogram
 * @returns {Buckets}
 */
function bucketsOf({ buckets = [] }) {
  return buckets.map(([, left, right, count]) => [Number(left), Number(right), Number(count)]);
}

/**
 * The newer part of an answer after what is known of the older part. What both have is the newer's.
 *
 * @param {Answer} older
 * @param {Answer} newer ends later, begins within the older one, has the same step
 * @param {number} startS of what is wanted
 * @returns {Answer}
 */
export function joined(older, newer, startS) {
  const { stepS } = newer.grid;
  const grid = gridOf({ fromS: startS, toS: newer.grid.startS + (newer.grid.count - 1) * stepS }, stepS);
  const kept = Math.round((newer.grid.startS - startS) / stepS);
  const skipped = Math.round((startS - older.grid.startS) / stepS);
  /** @type {Map<string, {old?: Series, new?: Series}>} in the older one's order, so that no series changes its colour */
  const byLabels = new Map();
  for (const series of older.series) byLabels.set(keyOf(series.labels), { old: series });
  for (const series of newer.series) {
    const key = keyOf(series.labels);
    byLabels.set(key, { ...byLabels.get(key), new: series });
  }
  /** @type {Series[]} */
  const series = [];
  for (const parts of byLabels.values()) {
    const labels = (parts.new ?? parts.old)?.labels ?? {};
    /** @type {<T>(pick: (series: Series) => (T | null)[] | undefined) => (T | null)[]} */
    const both = (pick) => [
      ...((parts.old && pick(parts.old)?.slice(skipped, skipped + kept)) ?? new Array(kept).fill(null)),
      ...((parts.new && pick(parts.new)) ?? new Array(newer.grid.count).fill(null)),
    ];
    const values = both((one) => one.values);
    const histograms =
      parts.old?.histograms || parts.new?.histograms ? both((one) => one.histograms) : undefined;
    const isEmpty = values.every((value) => value === null) && !histograms?.some((value) => value !== null);
    if (!isEmpty) series.push({ labels, values, ...(histograms && { histograms }) });
  }
  return { grid, series };
}

/** @param {Record<string, string>} labels @returns {string} */
export function keyOf(labels) {
  return JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}

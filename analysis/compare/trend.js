/** Where the figures of a test changed for good, over all of its runs. */

import { medianOf } from '../interval.js';
import { changePoints } from '../statistics/e-divisive.js';
import { difference, parseKey, refusal } from './digest.js';
import { asChange, leastShift, METRICS, onScale } from './metrics.js';

/**
 * @typedef {import('./digest.js').Digest} Digest
 *
 * @typedef {object} Change
 * @property {number} index of the first run after it
 * @property {string} testid of that run
 * @property {string} last of the run before it
 * @property {number} p
 * @property {number} before median of the runs since the change before
 * @property {number} after median of the runs up to the next change
 * @property {number} change 0.1: 10 % more, or by 0.1 more where the metric is compared by difference
 * @property {'better' | 'worse'} direction
 *
 * @typedef {import('./digest.js').SeriesName & Pick<import('./metrics.js').Metric, 'title' | 'unit' | 'scale'> &
 *   {values: number[], changes: Change[]}} Series
 *
 * @typedef {object} Trend
 * @property {import('./digest.js').Conditions} conditions of these runs
 * @property {{testid: string, started: string | null}[]} runs in the order of their start
 * @property {Series[]} series [] with too few runs
 */

/** With fewer runs no change in their middle is told from chance. */
export const LEAST_RUNS = 8;
/** Of one change that is found; see e-divisive.js for what that means. */
const SIGNIFICANCE = 0.001;
/** One odd run, or two, are no change. */
const LEAST_SEGMENT = 3;

/**
 * @param {Digest[]} digests of one test
 * @param {{metrics: string[] | null, operations: boolean, includeFailed: boolean}} options
 * @returns {Trend[]} one for each way in which the test was run (profile, rate, ...), that of the newest run first
 */
export function trends(digests, options) {
  /** @type {Digest[][]} */
  const groups = [];
  const sorted = digests
    .filter((digest) => digest.started !== null && refusal(digest, options) === null)
    .sort((a, b) => (String(a.started) < String(b.started) ? -1 : 1));
  for (const digest of sorted) {
    const own = groups.find(([first]) => first && difference(first, digest) === null);
    if (own) own.push(digest);
    else groups.push([digest]);
  }
  const newest = (/** @type {Digest[]} */ group) => String(group.at(-1)?.started);
  return groups
    .sort((a, b) => (newest(a) < newest(b) ? 1 : -1))
    .map((group) => ({
      conditions: /** @type {Digest} */ (group[0]).conditions,
      runs: group.map(({ testid, started }) => ({ testid, started })),
      series: group.length < LEAST_RUNS ? [] : seriesOf(group, options),
    }));
}

/**
 * @param {Digest[]} group
 * @param {{metrics: string[] | null, operations: boolean}} options
 * @returns {Series[]}
 */
function seriesOf(group, { metrics, operations }) {
  const keys = [...new Set(group.flatMap(({ values }) => Object.keys(values)))];
  return keys.flatMap((key) => {
    const name = parseKey(key);
    const metric = METRICS.find((known) => known.name === name.metric);
    if (!metric || (metrics && !metrics.includes(metric.name)) || (!operations && name.of === 'operation'))
      return [];
    const runs = group.filter(({ values }) => values[key] !== undefined);
    if (runs.length < LEAST_RUNS) return [];
    const values = runs.map(({ values }) => Number(values[key]));
    const { title, unit, scale } = metric;
    return [{ ...name, title, unit, scale, values, changes: changesIn(metric, runs, values) }];
  });
}

/**
 * @param {import('./metrics.js').Metric} metric
 * @param {Digest[]} runs
 * @param {number[]} values
 * @returns {Change[]} those that are large enough to count
 */
function changesIn(metric, runs, values) {
  const scaled = values.map((value) => onScale(metric, value));
  const points = changePoints(scaled, { significance: SIGNIFICANCE, leastSegment: LEAST_SEGMENT });
  const ends = [0, ...points.map(({ index }) => index), values.length];
  return points.flatMap(({ index, p, before: from, after: to }, place) => {
    if (Math.abs(to - from) < leastShift(metric)) return [];
    const median = (/** @type {number} */ segment) =>
      medianOf(values.slice(ends[segment], ends[segment + 1]));
    return [
      {
        index,
        testid: /** @type {Digest} */ (runs[index]).testid,
        last: /** @type {Digest} */ (runs[index - 1]).testid,
        p,
        before: median(place),
        after: median(place + 1),
        change: asChange(metric, to - from),
        direction: to > from === (metric.better === 'more') ? 'better' : 'worse',
      },
    ];
  });
}

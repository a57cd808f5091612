/**
 * Whether a metric is better, worse, the same, or whether these runs can't tell. The rule, metric by metric, of all that are
 * compared together:
 *
 * - **worse** (better): the adjusted p is at most `ALPHA`, the interval of the shift lies on the bad (good) side of none, and
 *   it reaches the smallest change that counts.
 * - **same**: the interval lies within that change, to either side.
 * - **inconclusive** otherwise, with the number of runs a side that would decide.
 */
import { meanOf, medianOf } from '../interval.js';
import { hodgesLehmann } from '../statistics/hodges-lehmann.js';
import { mannWhitney } from '../statistics/mann-whitney.js';
import { normalQuantile } from '../statistics/normal.js';
import { asChange, leastShift, onScale } from './metrics.js';
import { adjustedP, choices } from './relabel.js';

/** Of both sides: of comparisons of equal sides about 1 % call something worse, and 1 % something better. */
export const ALPHA = 0.02;
/** Of each interval: what lies beyond either end is as seldom as a false alarm. */
export const CONFIDENCE = 1 - ALPHA;
/** One run against one: so many times the smallest change that counts, where the user wants it to count at all. */
export const SINGLE_FACTOR = 3;
/** More runs a side than this are nobody's plan. */
export const MOST_RUNS = 500;
/** What Mann-Whitney's test makes of normal values, against the t-test: 3 / pi. */
const EFFICIENCY = 3 / Math.PI;

/**
 * @typedef {'better' | 'worse' | 'same' | 'inconclusive'} Outcome
 *
 * @typedef {object} Pair one metric of one phase, operation or run: a value a run
 * @property {import('./metrics.js').Metric} metric
 * @property {(number | null)[]} base null: that run does not have it
 * @property {(number | null)[]} head
 *
 * @typedef {object} Decision
 * @property {number | null} base median
 * @property {number | null} head
 * @property {number | null} change from base to head, by Hodges and Lehmann: 0.1 is 10 % more, or by 0.1 more where the
 *   metric is compared by difference
 * @property {number | null} low of the change's interval; null: so few runs have none
 * @property {number | null} high
 * @property {number | null} p Mann and Whitney's, exact, two-sided
 * @property {number | null} adjusted_p for all metrics that are compared together
 * @property {Outcome} outcome
 * @property {number | null} runs_needed a side, where it is inconclusive; null: more than 500, or not to be said
 * @property {string | null} reason why nothing more can be said
 */

/**
 * @param {Pair[]} pairs of the same runs
 * @param {{allowSingle?: boolean}} [options] allowSingle: one run against one may be called better or worse
 * @returns {Decision[]} one a pair
 */
export function decide(pairs, { allowSingle = false } = {}) {
  const whole = pairs.filter(isWhole);
  const scaled = whole.map(({ metric, base, head }) => ({
    a: base.map((value) => onScale(metric, Number(value))),
    b: head.map((value) => onScale(metric, Number(value))),
  }));
  const single = pairs.every(({ base, head }) => base.length === 1 && head.length === 1);
  const adjusted = single ? [] : adjustedP(scaled);
  return pairs.map((pair) => {
    const medians = { base: median(pair.base), head: median(pair.head) };
    const index = whole.indexOf(pair);
    const values = scaled[index];
    if (!values) return { ...medians, ...NOT_JUDGED, reason: missing(pair) };
    const judged = single
      ? ofTwoRuns(pair.metric, values, allowSingle)
      : ofManyRuns(pair.metric, values, Number(adjusted[index]), whole.length);
    return { ...medians, ...judged };
  });
}

/** @param {Pair} pair @returns {boolean} every run has it */
const isWhole = ({ base, head }) => [...base, ...head].every((value) => value !== null);

/** @param {(number | null)[]} values */
function median(values) {
  const known = values.filter((value) => value !== null);
  return known.length > 0 ? medianOf(known) : null;
}

/** @param {Pair} pair */
function missing({ base, head }) {
  const all = [...base, ...head];
  return `${all.filter((value) => value === null).length} of ${all.length} runs do not have it`;
}

/** @typedef {Omit<Decision, 'base' | 'head'>} Judgement */

/** @type {Judgement} */
const NOT_JUDGED = {
  change: null,
  low: null,
  high: null,
  p: null,
  adjusted_p: null,
  outcome: 'inconclusive',
  runs_needed: null,
  reason: null,
};

/**
 * @param {import('./metrics.js').Metric} metric
 * @param {{a: number[], b: number[]}} values one each
 * @param {boolean} allowed
 * @returns {Judgement}
 */
function ofTwoRuns(metric, { a: [before = 0], b: [after = 0] }, allowed) {
  const shift = after - before;
  const far = Math.abs(shift) >= SINGLE_FACTOR * leastShift(metric);
  return {
    ...NOT_JUDGED,
    change: asChange(metric, shift),
    outcome: allowed && far ? direction(metric, shift) : 'inconclusive',
    reason: 'one run each',
  };
}

/**
 * @param {import('./metrics.js').Metric} metric
 * @param {{a: number[], b: number[]}} values
 * @param {number} adjusted
 * @param {number} family how many metrics are compared together
 * @returns {Judgement}
 */
function ofManyRuns(metric, { a, b }, adjusted, family) {
  const { shift, low, high } = hodgesLehmann(a, b, CONFIDENCE);
  const { p } = mannWhitney(a, b);
  // Of equal ps the adjustment takes the larger difference for the smaller one: no adjusted p may be below its own for that.
  const adjustedP = Math.max(adjusted, p);
  const outcome = outcomeOf(metric, { shift, low, high }, adjustedP);
  return {
    change: asChange(metric, shift),
    low: low === null ? null : asChange(metric, low),
    high: high === null ? null : asChange(metric, high),
    p,
    adjusted_p: adjustedP,
    outcome,
    runs_needed: outcome === 'inconclusive' ? runsNeeded(metric, a, b, family) : null,
    reason: null,
  };
}

/**
 * @param {import('./metrics.js').Metric} metric
 * @param {import('../statistics/hodges-lehmann.js').Shift} interval
 * @param {number} adjusted
 * @returns {Outcome}
 */
function outcomeOf(metric, { shift, low, high }, adjusted) {
  if (low === null || high === null) return 'inconclusive';
  const least = leastShift(metric);
  if (-least < low && high < least) return 'same';
  const reaches = low > 0 ? high >= least : high < 0 && low <= -least;
  return adjusted <= ALPHA && reaches ? direction(metric, shift) : 'inconclusive';
}

/** @param {import('./metrics.js').Metric} metric @param {number} shift @returns {'better' | 'worse'} */
const direction = ({ better }, shift) => (shift > 0 === (better === 'more') ? 'better' : 'worse');

/**
 * @param {number} base runs
 * @param {number} head runs
 * @returns {boolean} whether the rule can call anything worse: fewer runs are divided perfectly by chance more often than `ALPHA`
 */
export const canDecide = (base, head) => 2 / choices(base + head, head) <= ALPHA;

/** The smallest number of runs that decides with as many on the other side. */
export const LEAST_RUNS = leastRuns();

/** @returns {number} */
function leastRuns() {
  let runs = 1;
  while (!canDecide(runs, runs)) runs += 1;
  return runs;
}

/**
 * With so many runs a side the rule decides whatever shift shows, if they scatter as these do: the interval is too narrow to
 * hold both no change and the smallest one that counts, and what lies beyond no change is beyond what chance does.
 *
 *     n = 2 ((z(1 - alpha / 2m) + z(1 - alpha / 2)) s / d)^2 / (3 / pi)
 *
 * s: standard deviation of the runs of one side; d: the smallest change that counts; m: metrics compared together.
 *
 * @param {import('./metrics.js').Metric} metric
 * @param {number[]} a
 * @param {number[]} b
 * @param {number} family
 * @returns {number | null} always more than there are; null: more than 500, or both sides are a single run
 */
export function runsNeeded(metric, a, b, family) {
  const freedom = a.length + b.length - 2;
  if (freedom < 1) return null;
  const spread = Math.sqrt((squares(a) + squares(b)) / freedom);
  const z = normalQuantile(1 - ALPHA / (2 * family)) + normalQuantile(1 - ALPHA / 2);
  const enough = Math.ceil((2 * ((z * spread) / leastShift(metric)) ** 2) / EFFICIENCY);
  const needed = Math.max(enough, LEAST_RUNS, Math.min(a.length, b.length) + 1);
  return needed > MOST_RUNS ? null : needed;
}

/** @param {number[]} values @returns {number} of their distances from the mean */
function squares(values) {
  const mean = meanOf(values);
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
}

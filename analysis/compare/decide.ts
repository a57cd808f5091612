/**
 * Decides whether a metric is better, worse, the same, or inconclusive:
 *
 * - **worse** (better): the interval of the shift is on the bad (good) side of zero, and reaches the smallest
 *   relevant change.
 * - **same**: the interval is within the smallest relevant change on both sides.
 * - **inconclusive** otherwise.
 */

import { hodgesLehmann, type Shift } from '../statistics/hodges-lehmann.ts';
import { medianOf } from '../statistics/interval.ts';
import { mannWhitney } from '../statistics/mann-whitney.ts';
import { asChange, leastShift, type Metric, onScale } from './metrics.ts';

/**
 * Probability that a comparison of two equal sides shows any difference; about half of them are changes for
 * the worse.
 */
export const ALPHA = 0.02;
/** Single runs: multiple of the smallest relevant change that counts, if the user allows single runs. */
export const SINGLE_FACTOR = 3;

export type Outcome = 'better' | 'worse' | 'same' | 'inconclusive';

/** A metric of one phase, operation or run, with one value per run. */
interface Pair {
  metric: Metric;
  /** null if the run does not have the metric. */
  base: (number | null)[];
  head: (number | null)[];
}

export interface Decision {
  /** Median. */
  base: number | null;
  head: number | null;
  /**
   * Change from base to head (Hodges-Lehmann): 0.1 is 10 % more, or 0.1 more if the metric is compared by
   * difference.
   */
  change: number | null;
  /** Confidence interval of the change; null if there are too few runs. */
  low: number | null;
  high: number | null;
  /** p-value of the Mann-Whitney test, exact and two-sided. */
  p: number | null;
  outcome: Outcome;
  /** Why the outcome is inconclusive. */
  reason: string | null;
}

/**
 * @param pairs metrics of the same runs
 * @param options allowSingle: single runs may be judged as better or worse
 * @returns a decision for each pair
 */
export function decide(pairs: Pair[], { allowSingle = false }: { allowSingle?: boolean } = {}): Decision[] {
  const single = pairs.every(({ base, head }) => base.length === 1 && head.length === 1);
  const [first] = pairs;
  const confidence = first ? confidenceOf(first.base.length, first.head.length, pairs.length) : 1;
  return pairs.map((pair) => {
    const medians = { base: median(pair.base), head: median(pair.head) };
    if (!isWhole(pair)) return { ...medians, ...NOT_JUDGED, reason: missing(pair) };
    const { metric } = pair;
    const scaled = (side: (number | null)[]) => side.map((value) => onScale(metric, Number(value)));
    const values = { a: scaled(pair.base), b: scaled(pair.head) };
    return {
      ...medians,
      ...(single ? ofTwoRuns(metric, values, allowSingle) : ofManyRuns(metric, values, confidence)),
    };
  });
}

/** @returns whether every run has the metric */
const isWhole = ({ base, head }: Pair): boolean => [...base, ...head].every((value) => value !== null);

function median(values: (number | null)[]) {
  const known = values.filter((value) => value !== null);
  return known.length > 0 ? medianOf(known) : null;
}

function missing({ base, head }: Pair) {
  const all = [...base, ...head];
  return `${all.filter((value) => value === null).length} of ${all.length} runs do not have this metric`;
}

type Judgement = Omit<Decision, 'base' | 'head'>;

const NOT_JUDGED: Judgement = {
  change: null,
  low: null,
  high: null,
  p: null,
  outcome: 'inconclusive',
  reason: null,
};

/** @param values one value per side */
function ofTwoRuns(
  metric: Metric,
  { a: [before = 0], b: [after = 0] }: { a: number[]; b: number[] },
  allowed: boolean,
): Judgement {
  const shift = after - before;
  const far = Math.abs(shift) >= SINGLE_FACTOR * leastShift(metric);
  return {
    ...NOT_JUDGED,
    change: asChange(metric, shift),
    outcome: allowed && far ? direction(metric, shift) : 'inconclusive',
    reason: 'one run per side',
  };
}

function ofManyRuns(metric: Metric, { a, b }: { a: number[]; b: number[] }, confidence: number): Judgement {
  const { shift, low, high } = hodgesLehmann(a, b, confidence);
  return {
    change: asChange(metric, shift),
    low: low === null ? null : asChange(metric, low),
    high: high === null ? null : asChange(metric, high),
    p: mannWhitney(a, b).p,
    outcome: outcomeOf(metric, { shift, low, high }),
    reason: null,
  };
}

function outcomeOf(metric: Metric, { shift, low, high }: Shift): Outcome {
  if (low === null || high === null) return 'inconclusive';
  const minShift = leastShift(metric);
  if (-minShift < low && high < minShift) return 'same';
  const reaches = low > 0 ? high >= minShift : high < 0 && low <= -minShift;
  return reaches ? direction(metric, shift) : 'inconclusive';
}

const direction = ({ better }: Metric, shift: number): 'better' | 'worse' =>
  shift > 0 === (better === 'more') ? 'better' : 'worse';

/** @returns the binomial coefficient */
function choices(size: number, count: number): number {
  let ways = 1;
  for (let index = 1; index <= count; index += 1) ways = (ways * (size - count + index)) / index;
  return Math.round(ways);
}

/**
 * Applies Bonferroni's correction for all metrics as far as the number of runs allows it. With few runs, an
 * interval with that confidence does not exist, and the highest possible confidence is used.
 *
 * @param base number of runs
 * @param head number of runs
 * @param metrics number of metrics that are compared together
 * @returns the confidence of each metric's interval
 */
export const confidenceOf = (base: number, head: number, metrics: number): number =>
  1 - Math.min(ALPHA, Math.max(ALPHA / metrics, 2 / choices(base + head, head)));

/**
 * @param base number of runs
 * @param head number of runs
 * @returns whether the rule can detect a change: with fewer runs, chance separates both sides completely
 *   more often than `ALPHA`
 */
export const canDecide = (base: number, head: number): boolean => 2 / choices(base + head, head) <= ALPHA;

/** The smallest number of runs per side that can show a change. */
export const LEAST_RUNS = leastRuns();

function leastRuns(): number {
  let runs = 1;
  while (!canDecide(runs, runs)) runs += 1;
  return runs;
}

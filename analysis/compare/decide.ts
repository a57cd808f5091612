/**
 * Whether a metric is better, worse, the same, or whether these runs can't tell. The rule, metric by metric, of all that are
 * compared together:
 *
 * - **worse** (better): the adjusted p is at most `ALPHA`, the interval of the shift lies on the bad (good) side of none, and
 *   it reaches the smallest change that counts.
 * - **same**: the interval lies within that change, to either side.
 * - **inconclusive** otherwise, with the number of runs a side that would decide.
 */

import { hodgesLehmann, type Shift } from '../statistics/hodges-lehmann.ts';
import { meanOf, medianOf } from '../statistics/interval.ts';
import { mannWhitney } from '../statistics/mann-whitney.ts';
import { normalQuantile } from '../statistics/normal.ts';
import { asChange, leastShift, type Metric, onScale } from './metrics.ts';
import { adjustedP, choices } from './relabel.ts';

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

export type Outcome = 'better' | 'worse' | 'same' | 'inconclusive';

/** One metric of one phase, operation or run: a value a run. */
interface Pair {
  metric: Metric;
  /** null: that run does not have it. */
  base: (number | null)[];
  head: (number | null)[];
}

export interface Decision {
  /** Median. */
  base: number | null;
  head: number | null;
  /** From base to head, by Hodges and Lehmann: 0.1 is 10 % more, or by 0.1 more where the metric is compared by difference. */
  change: number | null;
  /** Of the change's interval; null: so few runs have none. */
  low: number | null;
  high: number | null;
  /** Mann and Whitney's, exact, two-sided. */
  p: number | null;
  /** For all metrics that are compared together. */
  adjusted_p: number | null;
  outcome: Outcome;
  /** A side, where it is inconclusive; null: more than 500, or not to be said. */
  runs_needed: number | null;
  /** Why nothing more can be said. */
  reason: string | null;
}

/** @param pairs of the same runs @param options allowSingle: one run against one may be called better or worse @returns one a pair */
export function decide(pairs: Pair[], { allowSingle = false }: { allowSingle?: boolean } = {}): Decision[] {
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

/** @returns every run has it */
const isWhole = ({ base, head }: Pair): boolean => [...base, ...head].every((value) => value !== null);

function median(values: (number | null)[]) {
  const known = values.filter((value) => value !== null);
  return known.length > 0 ? medianOf(known) : null;
}

function missing({ base, head }: Pair) {
  const all = [...base, ...head];
  return `${all.filter((value) => value === null).length} of ${all.length} runs do not have it`;
}

type Judgement = Omit<Decision, 'base' | 'head'>;

const NOT_JUDGED: Judgement = {
  change: null,
  low: null,
  high: null,
  p: null,
  adjusted_p: null,
  outcome: 'inconclusive',
  runs_needed: null,
  reason: null,
};

/** @param values one each */
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
    reason: 'one run each',
  };
}

/** @param family how many metrics are compared together */
function ofManyRuns(
  metric: Metric,
  { a, b }: { a: number[]; b: number[] },
  adjusted: number,
  family: number,
): Judgement {
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

function outcomeOf(metric: Metric, { shift, low, high }: Shift, adjusted: number): Outcome {
  if (low === null || high === null) return 'inconclusive';
  const least = leastShift(metric);
  if (-least < low && high < least) return 'same';
  const reaches = low > 0 ? high >= least : high < 0 && low <= -least;
  return adjusted <= ALPHA && reaches ? direction(metric, shift) : 'inconclusive';
}

const direction = ({ better }: Metric, shift: number): 'better' | 'worse' =>
  shift > 0 === (better === 'more') ? 'better' : 'worse';

/**
 * @param base runs
 * @param head runs
 * @returns whether the rule can call anything worse: fewer runs are divided perfectly by chance more often than `ALPHA`
 */
export const canDecide = (base: number, head: number): boolean => 2 / choices(base + head, head) <= ALPHA;

/** The smallest number of runs that decides with as many on the other side. */
export const LEAST_RUNS = leastRuns();

function leastRuns(): number {
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
 * @returns always more than there are; null: more than 500, or both sides are a single run
 */
export function runsNeeded(metric: Metric, a: number[], b: number[], family: number): number | null {
  const freedom = a.length + b.length - 2;
  if (freedom < 1) return null;
  const spread = Math.sqrt((squares(a) + squares(b)) / freedom);
  const z = normalQuantile(1 - ALPHA / (2 * family)) + normalQuantile(1 - ALPHA / 2);
  const enough = Math.ceil((2 * ((z * spread) / leastShift(metric)) ** 2) / EFFICIENCY);
  const needed = Math.max(enough, LEAST_RUNS, Math.min(a.length, b.length) + 1);
  return needed > MOST_RUNS ? null : needed;
}

/** @returns of their distances from the mean */
function squares(values: number[]): number {
  const mean = meanOf(values);
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
}

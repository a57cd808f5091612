/**
 * Whether a metric is better, worse, the same, or whether these runs can't tell:
 *
 * - **worse** (better): the interval of the shift is on the bad (good) side of no change, and reaches the smallest change that counts.
 * - **same**: the interval is within that change, to either side.
 * - **inconclusive** otherwise.
 */

import { hodgesLehmann, type Shift } from '../statistics/hodges-lehmann.ts';
import { medianOf } from '../statistics/interval.ts';
import { mannWhitney } from '../statistics/mann-whitney.ts';
import { asChange, leastShift, type Metric, onScale } from './metrics.ts';

/** Share of the comparisons of equal sides in which anything may differ: about half of them for the worse. */
export const ALPHA = 0.02;
/** One run against one: so many times the smallest change that counts, where the user wants it to count at all. */
export const SINGLE_FACTOR = 3;

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
  outcome: Outcome;
  /** Why nothing more can be said. */
  reason: string | null;
}

/** @param pairs of the same runs @param options allowSingle: one run against one may be called better or worse @returns one a pair */
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
  outcome: 'inconclusive',
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
  const least = leastShift(metric);
  if (-least < low && high < least) return 'same';
  const reaches = low > 0 ? high >= least : high < 0 && low <= -least;
  return reaches ? direction(metric, shift) : 'inconclusive';
}

const direction = ({ better }: Metric, shift: number): 'better' | 'worse' =>
  shift > 0 === (better === 'more') ? 'better' : 'worse';

/** @returns ways to choose so many of so many */
function choices(size: number, count: number): number {
  let ways = 1;
  for (let index = 1; index <= count; index += 1) ways = (ways * (size - count + index)) / index;
  return Math.round(ways);
}

/**
 * Bonferroni's correction for all metrics together, as far as the runs allow: few runs have no interval with so much
 * confidence, and get the one with the most.
 *
 * @param base runs
 * @param head runs
 * @param metrics that are compared together
 * @returns the confidence of each metric's interval
 */
export const confidenceOf = (base: number, head: number, metrics: number): number =>
  1 - Math.min(ALPHA, Math.max(ALPHA / metrics, 2 / choices(base + head, head)));

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

/**
 * Estimates a server's capacity and the number of calls it serves concurrently, by the operational laws.
 * While calls wait, the server answers at its capacity X. By Little's law, it serves N = X S calls
 * concurrently, if a call that does not wait takes S. The estimates do not need the server's own metrics.
 *
 * P. J. Denning, J. P. Buzen, The Operational Analysis of Queueing Network Models, ACM Computing Surveys 10,
 * 1978.
 */
import { type Group, inScope, latenciesOf } from './collect/groups.ts';
import { OUTCOMES, type Outcome } from './collect/latencies.ts';
import type { Line } from './collect/seconds.ts';
import { SparseHistogram } from './collect/sparse-histogram.ts';
import type { Phase } from './judge/phases.ts';
import { CAPACITY } from './limits.ts';
import { round } from './round.ts';
import { intervalOf, studentT } from './statistics/interval.ts';

/** An estimate with its 95 % confidence interval. */
export interface Estimate {
  value: number;
  low: number;
  high: number;
}

export interface Capacity {
  phase: string;
  baseline: string;
  /** Unix times between which calls waited, including the drain after the phase. */
  waited: { fromS: number; toS: number };
  /** Unix times of the part of this time with the highest rate of answers. */
  fromS: number;
  toS: number;
  /** Successful answers per second. */
  answers_per_s: Estimate;
  /** Service time of the same mix of calls in the baseline. */
  service_ms: Estimate;
  /** Number of calls served concurrently; null if unknown (see `unknown`). */
  parallelism: Estimate | null;
  /** Why the number of calls served concurrently is unknown. */
  unknown?: 'short' | 'failing';
}

/** If calls wait for longer than this, all seconds count and no search takes place. */
const MAX_SEARCHED_S = 600;
/** 95 % of a normal distribution lie within this many standard deviations. */
const Z_95 = 1.96;

/** Counts of one second. */
interface Second {
  at: number;
  began: number;
  ended: number;
  /** Successful answers by operation. */
  good: Map<string, number>;
  bad: number;
}

/** @returns whether the estimate means one call at a time */
export const isOne = ({ low, high }: Estimate): boolean =>
  high < CAPACITY.maxOfOne && low > CAPACITY.minOfOne;

/** @returns whether the estimate is less than one call at a time: calls take longer than in the baseline */
export const isLessThanOne = (calls: Estimate): boolean => calls.high < 1 && !isOne(calls);

/**
 * @returns whether the server works on at most one call at a time; false if it works on several, or if
 *   unknown
 */
export const isSerial = (capacity: Capacity | null): boolean =>
  (capacity?.parallelism?.high ?? Number.POSITIVE_INFINITY) < CAPACITY.maxOfOne;

/**
 * @param compared phases, each with the baseline that shows the duration of calls that do not wait
 * @param groups groups of the run
 * @param lines lines of the run's seconds
 * @returns the capacity in each phase in which calls waited, in order
 */
export function capacitiesOf(
  compared: { phase: Phase; baseline: Phase | null }[],
  groups: readonly Group[],
  lines: readonly Line[],
): Capacity[] {
  const seconds = secondsOf(lines);
  return compared.flatMap(
    ({ phase, baseline }) =>
      (baseline && capacityIn(waitingIn(phase, seconds), phase, baseline, groups)) ?? [],
  );
}

/** @returns the seconds in order, without gaps */
function secondsOf(lines: readonly Line[]): Second[] {
  const found = new Map<number, Second>();
  const at = (time: number) => {
    const known = found.get(time);
    if (known) return known;
    const made = { at: time, began: 0, ended: 0, good: new Map<string, number>(), bad: 0 };
    found.set(time, made);
    return made;
  };
  for (const { second, groups } of lines)
    for (const [number, { durations = {}, answered = {} }] of Object.entries(second.groups ?? {})) {
      const operation = groups.get(number)?.operation ?? '';
      for (const outcome of OUTCOMES) at(second.at).began += new SparseHistogram(durations[outcome]).count;
      // The wait shows when a call was given up. On average, it began in the middle of its second.
      for (const ms of new SparseHistogram(durations.unanswered).values)
        at(Math.floor(second.at + 0.5 + ms / 1000)).ended += 1;
      for (const [outcome, count] of Object.entries(answered) as [Outcome, number][]) {
        const own = at(second.at);
        own.ended += count;
        if (outcome === 'ok') own.good.set(operation, (own.good.get(operation) ?? 0) + count);
        else own.bad += count;
      }
    }
  const times = [...found.keys()].sort((a, b) => a - b);
  const [first = 0, last = -1] = [times[0], times.at(-1)];
  return Array.from({ length: last - first + 1 }, (_, index) => at(first + index));
}

/** @returns whole seconds during which calls of the phase waited, with the number of calls in flight */
function waitingIn({ start, end }: Phase, seconds: readonly Second[]): (Second & { inFlight: number })[] {
  const [fromS, toS] = [Date.parse(start ?? '') / 1000, Date.parse(end ?? '') / 1000];
  let after = 0;
  const all = seconds.map((second) => {
    const before = after;
    after += second.began - second.ended;
    return { ...second, before, after, inFlight: (before + after) / 2 };
  });
  const own = all.filter(({ at }) => at >= fromS && at < toS);
  const peak = Math.max(...own.map((second) => second.after));
  const minInFlight = Math.max(CAPACITY.minInFlight, CAPACITY.minOfPeak * peak);
  const waits = ({ before, after }: { before: number; after: number }) =>
    before >= minInFlight && after >= minInFlight;
  const drainEnd = all.find((second) => second.at >= toS && !waits(second))?.at ?? Number.POSITIVE_INFINITY;
  return all.filter((second) => second.at >= fromS && second.at < drainEnd && waits(second));
}

function capacityIn(
  all: readonly (Second & { inFlight: number })[],
  phase: Phase,
  baseline: Phase,
  groups: readonly Group[],
): Capacity | null {
  const waiting = bestSeconds(all);
  const answers = waiting.map(goodOf);
  const rate = intervalOf(answers);
  if (!rate || rate.low === null || rate.high === null) return null;
  const good = sum(answers);
  const goodShare = good / (good + sum(waiting.map(({ bad }) => bad)));
  if (!(goodShare >= CAPACITY.minGood)) return null;
  const service = serviceOf(mixOf(waiting), inScope(groups, { phase: baseline.name }));
  if (!service) return null;
  // Little's law, applied to the calls in flight.
  const stayedMs = (1000 * sum(waiting.map(({ inFlight }) => inFlight))) / good;
  if (stayedMs < CAPACITY.minStay * service.value) return null;
  const answersPerS = { value: rate.mean, low: Math.max(0, rate.low), high: rate.high };
  const served = (figure: keyof Estimate) => (answersPerS[figure] * service[figure]) / 1000;
  const unknown =
    service.value < CAPACITY.minServiceMs ? 'short' : goodShare < CAPACITY.minGoodOfServed ? 'failing' : null;
  return {
    phase: phase.name,
    baseline: baseline.name,
    waited: spanOf(all),
    ...spanOf(waiting),
    answers_per_s: rounded(answersPerS),
    service_ms: rounded(service),
    parallelism: unknown
      ? null
      : rounded({ value: served('value'), low: served('low'), high: served('high') }),
    ...(unknown && { unknown }),
  };
}

/** @returns Unix times */
const spanOf = (seconds: readonly Second[]) => ({
  fromS: seconds[0]?.at ?? Number.NaN,
  toS: (seconds.at(-1)?.at ?? Number.NaN) + 1,
});

/**
 * Selects the consecutive seconds with the highest rate of successful answers. A flooded server opens
 * connections and sessions first, and later works on calls that its clients have given up.
 *
 * @returns the seconds whose confidence interval of the rate has the highest lower bound
 */
function bestSeconds<T extends Second>(waiting: readonly T[]): readonly T[] {
  if (waiting.length > MAX_SEARCHED_S) return waiting;
  let best: readonly T[] = [];
  // A rate's interval never begins below 0, so seconds without an answer are equivalent to an interval that
  // begins at 0.
  let bestLow = 0;
  for (let first = 0; first < waiting.length; first += 1) {
    let [total, squares] = [0, 0];
    for (let last = first; last < waiting.length; last += 1) {
      const second = waiting[last] as T;
      // Seconds must be consecutive.
      if (second.at - (waiting[first] as T).at !== last - first) break;
      total += goodOf(second);
      squares += goodOf(second) ** 2;
      const count = last - first + 1;
      if (count < CAPACITY.minS) continue;
      const low = Math.max(0, total / count - halfWidth(count, total, squares));
      if (low > bestLow || (low === bestLow && count > best.length))
        [best, bestLow] = [waiting.slice(first, last + 1), low];
    }
  }
  return best;
}

/** @returns half the width of the mean's 95 % confidence interval */
function halfWidth(count: number, total: number, squares: number): number {
  const variance = Math.max(0, squares - total ** 2 / count) / (count - 1);
  return studentT(count - 1) * Math.sqrt(variance / count);
}

const goodOf = ({ good }: Second) => sum([...good.values()]);

/** @returns the number of answers by operation */
function mixOf(seconds: readonly Second[]): Map<string, number> {
  const mix = new Map<string, number>();
  for (const { good } of seconds)
    for (const [operation, count] of good) mix.set(operation, (mix.get(operation) ?? 0) + count);
  return mix;
}

/**
 * @returns the mean of the operations' median durations in the baseline, weighted by the mix, in milliseconds;
 *   null if there are too few answers
 */
function serviceOf(mix: Map<string, number>, baseline: readonly Group[]): Estimate | null {
  const known = [...mix].flatMap(([operation, calls]) => {
    const answered = latenciesOf(inScope(baseline, { operation })).of('ok');
    const { count } = answered;
    if (count < CAPACITY.minSamples) return [];
    // Ranks of the median's 95 % confidence interval: binomial, approximated by the normal distribution.
    const half = Z_95 / (2 * Math.sqrt(count));
    const at = (share: number) => answered.percentile(share) ?? Number.NaN;
    return [{ calls, value: at(0.5), low: at(0.5 - half), high: at(0.5 + half) }];
  });
  const calls = sum(known.map((one) => one.calls));
  if (calls < CAPACITY.minKnown * sum([...mix.values()])) return null;
  const mean = (figure: keyof Estimate) => sum(known.map((one) => one.calls * one[figure])) / calls;
  return { value: mean('value'), low: mean('low'), high: mean('high') };
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

const rounded = ({ value, low, high }: Estimate): Estimate => ({
  value: round(value, 3),
  low: round(low, 3),
  high: round(high, 3),
});

/**
 * What a server answers at most, and how many calls it works on at once, by the operational laws: while calls wait, answers come at its
 * capacity X; by Little's law, N = X S are being served, each for S, the time of a call while nothing waits. Neither needs a metric of the
 * server's.
 *
 * P. J. Denning, J. P. Buzen, The Operational Analysis of Queueing Network Models, ACM Computing Surveys 10, 1978.
 */
import { type Group, inScope, latenciesOf } from './collect/groups.ts';
import { OUTCOMES, type Outcome } from './collect/latencies.ts';
import type { Line } from './collect/seconds.ts';
import { SparseHistogram } from './collect/sparse-histogram.ts';
import type { Phase } from './judge/phases.ts';
import { CAPACITY } from './limits.ts';
import { round } from './round.ts';
import { intervalOf, studentT } from './statistics/interval.ts';

/** 19 times of 20 the true value is between the two. */
export interface Estimate {
  value: number;
  low: number;
  high: number;
}

export interface Capacity {
  phase: string;
  baseline: string;
  /** Unix time: calls waited from then to then, the drain after the phase included. */
  waited: { fromS: number; toS: number };
  /** Likewise, of that the stretch in which the most was answered. */
  fromS: number;
  toS: number;
  /** Good answers a second. */
  answers_per_s: Estimate;
  /** Of the calls that were answered then, in the baseline. */
  service_ms: Estimate;
  /** Calls that were served at once; null: see `unknown`. */
  parallelism: Estimate | null;
  /** Why it is not known how many. */
  unknown?: 'short' | 'failing';
}

/** Of a longer wait all seconds count. */
const MAX_SEARCHED_S = 600;
/** Standard deviations of a normal distribution that hold 95 %. */
const Z_95 = 1.96;

/** Of one second. */
interface Second {
  at: number;
  began: number;
  ended: number;
  /** Good answers, by operation. */
  good: Map<string, number>;
  bad: number;
}

/** @returns whether so many calls at a time are one */
export const isOne = ({ low, high }: Estimate): boolean =>
  high < CAPACITY.maxOfOne && low > CAPACITY.minOfOne;

/** @returns whether so many calls at a time are less than one: each takes longer than before */
export const isLessThanOne = (calls: Estimate): boolean => calls.high < 1 && !isOne(calls);

/** @returns whether the server works on one call at a time, or less; false: on several, or not known */
export const isSerial = (capacity: Capacity | null): boolean =>
  (capacity?.parallelism?.high ?? Number.POSITIVE_INFINITY) < CAPACITY.maxOfOne;

/**
 * @param compared phases with what shows how long their calls take while nothing waits
 * @param groups of the run
 * @param lines of its seconds
 * @returns of those phases in which calls waited, in their order
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

/** @returns in order, without gaps */
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
      // When a call was given up is known by how long it waited; it began in the middle of its second, on average.
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

/** @returns whole seconds in which calls of the phase waited from the beginning to the end, with how many were in flight */
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
  const least = Math.max(CAPACITY.minInFlight, CAPACITY.minOfPeak * peak);
  const waits = ({ before, after }: { before: number; after: number }) => before >= least && after >= least;
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
  // Little's law, of the calls in flight.
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

/** @returns Unix time */
const spanOf = (seconds: readonly Second[]) => ({
  fromS: seconds[0]?.at ?? Number.NaN,
  toS: (seconds.at(-1)?.at ?? Number.NaN) + 1,
});

/**
 * A server that is flooded opens connections and sessions first, and later works on calls that nobody waits for any more.
 *
 * @returns those, one after the other, whose rate of good answers is surely the highest: by the lower end of its interval
 */
function bestSeconds<T extends Second>(waiting: readonly T[]): readonly T[] {
  if (waiting.length > MAX_SEARCHED_S) return waiting;
  let best: readonly T[] = [];
  // A rate has no lower end below this; seconds without an answer are no better than those whose interval begins here.
  let most = 0;
  for (let first = 0; first < waiting.length; first += 1) {
    let [total, squares] = [0, 0];
    for (let last = first; last < waiting.length; last += 1) {
      const second = waiting[last] as T;
      // A gap ends it.
      if (second.at - (waiting[first] as T).at !== last - first) break;
      total += goodOf(second);
      squares += goodOf(second) ** 2;
      const count = last - first + 1;
      if (count < CAPACITY.minS) continue;
      const low = Math.max(0, total / count - halfWidth(count, total, squares));
      if (low > most || (low === most && count > best.length))
        [best, most] = [waiting.slice(first, last + 1), low];
    }
  }
  return best;
}

/** @returns of the 95 % interval of a mean */
function halfWidth(count: number, total: number, squares: number): number {
  const variance = Math.max(0, squares - total ** 2 / count) / (count - 1);
  return studentT(count - 1) * Math.sqrt(variance / count);
}

const goodOf = ({ good }: Second) => sum([...good.values()]);

/** @returns answers by operation */
function mixOf(seconds: readonly Second[]): Map<string, number> {
  const mix = new Map<string, number>();
  for (const { good } of seconds)
    for (const [operation, count] of good) mix.set(operation, (mix.get(operation) ?? 0) + count);
  return mix;
}

/** @returns the operations' medians in the baseline, by the mix, milliseconds; null: too few answers for them */
function serviceOf(mix: Map<string, number>, baseline: readonly Group[]): Estimate | null {
  const known = [...mix].flatMap(([operation, calls]) => {
    const answered = latenciesOf(inScope(baseline, { operation })).of('ok');
    const { count } = answered;
    if (count < CAPACITY.minSamples) return [];
    // Of the ranks that the true median is between (binomial, approximated by the normal distribution).
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

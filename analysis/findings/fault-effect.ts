/**
 * What a fault in the middle of a steady load did, and how long after it was lifted the service was as before; from
 * what began in each second.
 */

import { SparseHistogram } from '../collect/sparse-histogram.ts';
import { round } from '../round.ts';

/** Of requests that began in a time. */
export interface Counts {
  requests: number;
  failures: number;
  refusals: number;
  /** Of calls, for SparseHistogram. */
  durations: string[];
}

/** atMs: its begin, ms since the epoch. */
type Second = Counts & { atMs: number };

export interface Load {
  /** In order. */
  seconds: Second[];
  /** Of the requests that were made under it. */
  underFault: Counts;
}

/** Ms since the epoch. */
export interface Times {
  /** The baseline's begin. */
  fromMs: number;
  injectedMs: number;
  liftedMs: number;
  /** The load's end. */
  untilMs: number;
}

export interface Stretch {
  requests: number;
  failures: number;
  refusals: number;
  /** null: no requests. */
  success_share: number | null;
  /** Requests. */
  per_s: number;
  /** null: too few answers for it. */
  latency: Record<'p50_ms' | 'p95_ms' | 'p99_ms', number | null>;
}

/** What counts as the baseline, for each second. */
export interface Band {
  /** At least so many. */
  requests: number;
  /** At most. */
  failed_share: number;
  /** An answer that takes longer is slow. */
  slow_ms: number;
  /** At most, of the answers. */
  slow_share: number;
}

type State = 'unaffected' | 'recovered' | 'not_recovered' | 'not_enough_to_tell';

export interface Effect {
  baseline: Stretch;
  fault: Stretch;
  /** From the lifting on. */
  after: Stretch;
  /** From the making of the fault to the end. */
  failures: number;
  /** Likewise. */
  refusals: number;
  /** null: there is no baseline to speak of. */
  band: Band | null;
  state: State;
  /** From the lifting on. */
  recovery_s: number | null;
  /** After the lifting. */
  watched_s: number;
  /** Whether what came after the recovery is as the baseline was; null: not enough to tell. */
  back: boolean | null;
}

const SECOND_MS = 1000;
/** Recovered is from when all is in the band for so long. */
export const HOLD_MS = 3000;
/** Some noise is no fault's doing: this much of a second's requests may fail, or be slow, whatever the baseline's worst was. */
export const FAILED_SHARE = 0.01;
export const SLOW_SHARE = 0.05;
/** Slow is over so many times the baseline's p99, and over it by at least so many ms. */
export const SLOW_FACTOR = 2;
export const SLOW_MS = 20;
/** A second with less than this part of the baseline's requests is one in which the service stands still. */
export const MIN_SHARE = 0.5;

/** A baseline of fewer requests, or one that fails by itself, says nothing. */
const MIN_REQUESTS = 40;
const MAX_BASELINE_FAILED = 0.05;
const MIN_BACK_MS = 2000;

/** Answers that a percentile needs to be one. */
const NEEDS = { p50_ms: 5, p95_ms: 20, p99_ms: 100 };

/** A second in which something was made or lifted is neither before nor after it: it counts for the effect alone. */
export function faultEffect(
  { seconds, underFault }: Load,
  { fromMs, injectedMs, liftedMs, untilMs }: Times,
): Effect {
  const whole = (from: number, to: number) =>
    seconds.filter(({ atMs }) => atMs >= from && atMs + SECOND_MS <= to);
  const before = seconds.filter(({ atMs }) => atMs + SECOND_MS > fromMs && atMs + SECOND_MS <= injectedMs);
  // In its first second the load begins: all that ended in it is baseline, though it is no whole second.
  const beforeS = before.length === 0 ? 0 : ((before.at(-1)?.atMs ?? 0) + SECOND_MS - fromMs) / SECOND_MS;
  const after = whole(liftedMs, untilMs);
  const touched = seconds.filter(({ atMs }) => atMs + SECOND_MS > injectedMs && atMs < untilMs);
  const baseline = stretch(before, beforeS);
  const { failures, refusals } = sumOf(touched);
  const stretches = {
    baseline,
    fault: stretch([underFault], (liftedMs - injectedMs) / SECOND_MS),
    after: stretch(after, after.length),
    failures,
    refusals,
  };
  const watchedMs = after.length === 0 ? 0 : (after.at(-1)?.atMs ?? 0) + SECOND_MS - liftedMs;
  const band = bandOf(before, whole(fromMs, injectedMs), baseline, beforeS);
  const end = (state: State, recoveredMs: number | null = null, back: boolean | null = null) => ({
    ...stretches,
    band,
    state,
    // Never earlier than it was seen.
    recovery_s: recoveredMs === null ? null : Math.ceil((recoveredMs - liftedMs) / 100) / 10,
    watched_s: round(watchedMs / 1000, 1),
    back,
  });
  const held = HOLD_MS / SECOND_MS;
  if (!band || after.length < held) return end('not_enough_to_tell');

  const isIn = after.map((second) => isInBand(second, band));
  const first = isIn.findIndex(
    (_, at) => at + held <= isIn.length && isIn.slice(at, at + held).every(Boolean),
  );
  const rest = first < 0 ? [] : after.slice(first);
  const [recovered] = rest;
  if (!recovered) return end('not_recovered', null, false);
  const back =
    rest.length * SECOND_MS < MIN_BACK_MS ? null : isBack(stretch(rest, rest.length), baseline, band);
  const isAffected = touched.some((second) => second.atMs < recovered.atMs && !isInBand(second, band));
  return isAffected ? end('recovered', recovered.atMs, back) : end('unaffected', null, back);
}

function sumOf(all: readonly Counts[]): Counts {
  const sum = (what: 'requests' | 'failures' | 'refusals') =>
    all.reduce((total, one) => total + one[what], 0);
  return {
    ...{ requests: sum('requests'), failures: sum('failures'), refusals: sum('refusals') },
    durations: all.flatMap(({ durations }) => durations),
  };
}

/** @param seconds that they are of */
function stretch(all: readonly Counts[], seconds: number): Stretch {
  const { requests, failures, refusals, durations } = sumOf(all);
  const answers = new SparseHistogram(...durations);
  const at = (name: keyof typeof NEEDS, share: number) =>
    answers.count < NEEDS[name] ? null : round(answers.percentile(share) ?? Number.NaN, 3);
  return {
    ...{ requests, failures, refusals },
    success_share: requests === 0 ? null : 1 - failures / requests,
    per_s: seconds > 0 ? round(requests / seconds, 1) : 0,
    latency: { p50_ms: at('p50_ms', 0.5), p95_ms: at('p95_ms', 0.95), p99_ms: at('p99_ms', 0.99) },
  };
}

/** @param all of the baseline @param seconds those of them that are whole */
function bandOf(
  all: readonly Second[],
  seconds: readonly Second[],
  { requests, failures }: Stretch,
  lastedS: number,
): Band | null {
  const answers = new SparseHistogram(...sumOf(all).durations);
  if (requests < MIN_REQUESTS || answers.count < MIN_REQUESTS) return null;
  if (failures > MAX_BASELINE_FAILED * requests || seconds.length === 0) return null;
  // Of fewer than a hundred answers it is the slowest.
  const p99 = answers.percentile(0.99) ?? Number.NaN;
  const slowMs = Math.max(SLOW_FACTOR * p99, p99 + SLOW_MS);
  const shares = seconds.map((second) => sharesOf(second, slowMs));
  return {
    requests: (MIN_SHARE * requests) / lastedS,
    failed_share: Math.max(FAILED_SHARE, ...shares.map(({ failed }) => failed)),
    slow_ms: round(slowMs),
    slow_share: Math.max(SLOW_SHARE, ...shares.map(({ slow }) => slow)),
  };
}

function sharesOf({ requests, failures, durations }: Counts, slowMs: number) {
  const share = (part: number) => (requests === 0 ? 0 : part / requests);
  return { failed: share(failures), slow: share(new SparseHistogram(...durations).countOver(slowMs)) };
}

function isInBand(second: Counts, band: Band) {
  const { failed, slow } = sharesOf(second, band.slow_ms);
  return second.requests >= band.requests && failed <= band.failed_share && slow <= band.slow_share;
}

function isBack(rest: Stretch, baseline: Stretch, band: Band): boolean | null {
  const { p95_ms: p95 } = rest.latency;
  if (p95 === null || rest.success_share === null || baseline.success_share === null) return null;
  return (
    rest.success_share >= baseline.success_share - FAILED_SHARE &&
    p95 <= band.slow_ms &&
    rest.per_s >= MIN_SHARE * baseline.per_s
  );
}

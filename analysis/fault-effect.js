/**
 * What a fault in the middle of a steady load did, and how long after it was lifted the service was as before; from
 * every sample, not from a second's percentiles.
 */
import { percentile } from './percentile.js';
import { round } from './round.js';

/**
 * @typedef {object} Series what the load saw; times in ms since the epoch, of a request its end
 * @property {number[]} requests
 * @property {number[]} failures
 * @property {number[]} refusals
 * @property {{timeMs: number, ms: number}[]} latencies of answered requests
 *
 * @typedef {object} Times ms since the epoch
 * @property {number} fromMs the baseline's begin
 * @property {number} injectedMs
 * @property {number} liftedMs
 * @property {number} untilMs the load's end
 *
 * @typedef {object} Stretch
 * @property {number} requests
 * @property {number} failures
 * @property {number} refusals
 * @property {number | null} success_share null: no requests
 * @property {number} per_s requests
 * @property {Record<'p50_ms' | 'p95_ms' | 'p99_ms', number | null>} latency null: too few answers for it
 *
 * @typedef {object} Band what counts as the baseline, for each window of WINDOW_MS
 * @property {number} requests at least so many
 * @property {number} failed_share at most
 * @property {number} slow_ms an answer that takes longer is slow
 * @property {number} slow_share at most, of the answers
 *
 * @typedef {'unaffected' | 'recovered' | 'not_recovered' | 'not_enough_to_tell'} State
 *
 * @typedef {object} Effect
 * @property {Stretch} baseline
 * @property {Stretch} fault
 * @property {Stretch} after from the lifting on
 * @property {number} failures from the making of the fault to the end
 * @property {number} refusals likewise
 * @property {Band | null} band null: there is no baseline to speak of
 * @property {State} state
 * @property {number | null} recovery_s from the lifting on
 * @property {number} watched_s after the lifting
 * @property {boolean | null} back whether what came after the recovery is as the baseline was; null: not enough to tell
 */

/** Load is looked at through a window of this length, moved on in these steps. */
export const WINDOW_MS = 1000;
const STEP_MS = 100;
/** Recovered is from when all is in the band for so long. */
export const HOLD_MS = 3000;
/** Some noise is no fault's doing: this much of a window may fail, or be slow, whatever the baseline's worst was. */
export const FAILED_SHARE = 0.01;
export const SLOW_SHARE = 0.05;
/** Slow is over so many times the baseline's p99, and over it by at least so many ms. */
export const SLOW_FACTOR = 2;
export const SLOW_MS = 20;
/** A window with less than this part of the baseline's requests is one in which the service stands still. */
export const LEAST_SHARE = 0.5;

/** A baseline of fewer requests, or one that fails by itself, says nothing. */
const MIN_REQUESTS = 50;
const MAX_BASELINE_FAILED = 0.05;
const MIN_BACK_MS = 2000;

/** Answers that a percentile needs to be one. */
const NEEDS = { p50_ms: 5, p95_ms: 20, p99_ms: 100 };

/**
 * @param {Series} series in any order
 * @param {Times} times
 * @param {Series} [underFault] of the requests that began under it: some end later. Without: of those that ended under it
 * @returns {Effect}
 */
export function faultEffect(series, { fromMs, injectedMs, liftedMs, untilMs }, underFault) {
  const sorted = sortedSeries(series);
  const between = (/** @type {number} */ from, /** @type {number} */ to) => stretch(sorted, from, to);
  const baseline = between(fromMs, injectedMs);
  const fault = underFault
    ? stretch(sortedSeries(underFault), 0, Number.POSITIVE_INFINITY)
    : between(injectedMs, liftedMs);
  const { failures, refusals } = between(injectedMs, untilMs);
  const stretches = { baseline, fault, after: between(liftedMs, untilMs), failures, refusals };
  const watchedMs = untilMs - liftedMs;
  const band = bandOf(sorted, baseline, fromMs, injectedMs);
  /** @param {State} state @param {number | null} [recoveredMs] @param {boolean | null} [back] */
  const end = (state, recoveredMs = null, back = null) => ({
    ...stretches,
    band,
    state,
    recovery_s: recoveredMs === null ? null : round((recoveredMs - liftedMs) / 1000, 1),
    watched_s: round(watchedMs / 1000, 1),
    back,
  });
  if (!band || watchedMs < HOLD_MS) return end('not_enough_to_tell');

  const inBand = windowTest(sorted, band);
  const holds = (/** @type {number} */ from, /** @type {number} */ to) => {
    return steps(from, to - WINDOW_MS).every(inBand);
  };
  const recoveredMs = steps(liftedMs, untilMs - HOLD_MS).find((at) => holds(at, at + HOLD_MS));
  if (recoveredMs === undefined) return end('not_recovered', null, false);
  const rest = between(recoveredMs, untilMs);
  const back = untilMs - recoveredMs < MIN_BACK_MS ? null : isBack(rest, baseline, band);
  const affected = !holds(injectedMs, liftedMs + WINDOW_MS) || recoveredMs > liftedMs;
  return affected ? end('recovered', recoveredMs, back) : end('unaffected', null, back);
}

/** @param {Series} series */
function sortedSeries({ requests, failures, refusals, latencies }) {
  return {
    requests: requests.toSorted(ascending),
    failures: failures.toSorted(ascending),
    refusals: refusals.toSorted(ascending),
    latencies: latencies.toSorted((a, b) => a.timeMs - b.timeMs),
  };
}

const ascending = (/** @type {number} */ a, /** @type {number} */ b) => a - b;

/**
 * @param {Series} series sorted
 * @param {number} from
 * @param {number} to
 * @returns {Stretch}
 */
function stretch({ requests, failures, refusals, latencies }, from, to) {
  const all = count(requests, from, to);
  const failed = count(failures, from, to);
  const answers = latencies
    .filter(({ timeMs }) => timeMs >= from && timeMs < to)
    .map(({ ms }) => ms)
    .sort(ascending);
  const at = (/** @type {keyof typeof NEEDS} */ name, /** @type {number} */ share) =>
    answers.length < NEEDS[name] ? null : round(percentile(answers, share), 3);
  return {
    requests: all,
    failures: failed,
    refusals: count(refusals, from, to),
    success_share: all === 0 ? null : 1 - failed / all,
    per_s: to > from ? round((all * 1000) / (to - from), 1) : 0,
    latency: { p50_ms: at('p50_ms', 0.5), p95_ms: at('p95_ms', 0.95), p99_ms: at('p99_ms', 0.99) },
  };
}

/**
 * @param {Series} series sorted
 * @param {Stretch} baseline
 * @param {number} from
 * @param {number} to
 * @returns {Band | null}
 */
function bandOf(series, baseline, from, to) {
  const { requests, failures } = baseline;
  const answers = series.latencies.filter(({ timeMs }) => timeMs >= from && timeMs < to).map(({ ms }) => ms);
  if (requests < MIN_REQUESTS || answers.length < MIN_REQUESTS) return null;
  if (failures > MAX_BASELINE_FAILED * requests || to - from < WINDOW_MS) return null;
  // Of fewer than a hundred answers it is the slowest.
  const p99 = percentile(answers.sort(ascending), 0.99);
  const slowMs = Math.max(SLOW_FACTOR * p99, p99 + SLOW_MS);
  const slow = slowTimes(series, slowMs);
  const windows = steps(from, to - WINDOW_MS).map((at) => windowOf(series, slow, at));
  const worst = (/** @type {'failed' | 'slow'} */ what) => Math.max(...windows.map((window) => window[what]));
  return {
    requests: (LEAST_SHARE * requests * WINDOW_MS) / (to - from),
    failed_share: Math.max(FAILED_SHARE, worst('failed')),
    slow_ms: round(slowMs),
    slow_share: Math.max(SLOW_SHARE, worst('slow')),
  };
}

/** @param {Series} series @param {Band} band @returns {(at: number) => boolean} whether the window from there on is in the band */
function windowTest(series, band) {
  const slow = slowTimes(series, band.slow_ms);
  return (at) => {
    const window = windowOf(series, slow, at);
    return (
      window.requests >= band.requests && window.failed <= band.failed_share && window.slow <= band.slow_share
    );
  };
}

/**
 * @param {Series} series sorted
 * @param {number[]} slow times of the slow answers
 * @param {number} at
 */
function windowOf(series, slow, at) {
  const to = at + WINDOW_MS;
  const requests = count(series.requests, at, to);
  const share = (/** @type {number} */ part) => (requests === 0 ? 0 : part / requests);
  return { requests, failed: share(count(series.failures, at, to)), slow: share(count(slow, at, to)) };
}

/** @param {Series} series @param {number} slowMs */
function slowTimes({ latencies }, slowMs) {
  return latencies.filter(({ ms }) => ms > slowMs).map(({ timeMs }) => timeMs);
}

/** @param {Stretch} rest @param {Stretch} baseline @param {Band} band @returns {boolean | null} */
function isBack(rest, baseline, band) {
  const { p95_ms: p95 } = rest.latency;
  if (p95 === null || rest.success_share === null || baseline.success_share === null) return null;
  return (
    rest.success_share >= baseline.success_share - FAILED_SHARE &&
    p95 <= band.slow_ms &&
    rest.per_s >= LEAST_SHARE * baseline.per_s
  );
}

/** @param {number} from @param {number} to @returns {number[]} from, and every step up to `to` */
function steps(from, to) {
  return Array.from(
    { length: Math.max(0, Math.floor((to - from) / STEP_MS) + 1) },
    (_, index) => from + index * STEP_MS,
  );
}

/** @param {number[]} times sorted @param {number} from @param {number} to @returns {number} how many are in [from, to) */
function count(times, from, to) {
  return before(times, to) - before(times, from);
}

/** @param {number[]} times sorted @param {number} limit @returns {number} how many are less */
function before(times, limit) {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (/** @type {number} */ (times[middle]) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

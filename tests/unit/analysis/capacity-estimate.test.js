/** The arithmetic of a capacity, of seconds that are made one by one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { capacitiesOf } from '../../../analysis/capacity.ts';
import { histogramOf, histogramOfValues, lineOf } from './build.js';

const START_S = 1_767_323_040;

/**
 * @typedef {object} Second
 * @property {number} [began]
 * @property {number} [ok] answered well
 * @property {number} [failed] answered with a failure
 * @property {number} [waitedMs] eight calls more began, and were given up after that long
 *
 * @typedef {object} Run
 * @property {number} [phaseS] length of the phase, from the first second on
 * @property {number} [fromS] its first second
 * @property {[ms: number, count: number][]} [baseline] times of the calls while nothing waited
 */

/** @param {number} second */
const isoOf = (second) => new Date((START_S + second) * 1000).toISOString();

/** @param {number} begins @param {number} ends @returns {any} what capacitiesOf reads of a phase */
const phaseOf = (begins, ends) => ({ name: 'spike', start: isoOf(begins), end: isoOf(ends) });

/** @param {Second[]} seconds */
const linesOf = (seconds) =>
  seconds.map(({ began = 0, ok = 0, failed = 0, waitedMs }, second) =>
    lineOf(START_S + second, 'spike', {
      durations: {
        ok: histogramOf(900, began),
        ...(waitedMs && { unanswered: histogramOf(waitedMs, 8) }),
      },
      answered: { ok, ...(failed > 0 && { failed }) },
    }),
  );

/** @param {[ms: number, count: number][]} values @returns {any} the baseline's group of an operation */
const calm = (values, operation = 'a') => ({
  phase: 'calm',
  operation,
  durations: { ok: histogramOfValues(values) },
});

/** @param {Second[]} seconds @param {Run} [run] */
function measured(seconds, { phaseS = seconds.length, fromS = 0, baseline = [[100, 40]] } = {}) {
  const [found] = capacitiesOf(
    [{ phase: phaseOf(fromS, phaseS), baseline: /** @type {any} */ ({ name: 'calm' }) }],
    [calm(baseline)],
    linesOf(seconds),
  );
  return found && { ...found, fromS: found.fromS - START_S, toS: found.toS - START_S };
}

/** @param {number} count @param {Second} second */
const times = (count, second) => Array.from({ length: count }, () => second);

/** So many calls begin in the first second; then 10 a second come and go. @param {number} inFlight @param {number} [count] */
const steady = (inFlight, count = 6) => [{ began: inFlight }, ...times(count, { began: 10, ok: 10 })];

/** @param {ReturnType<typeof measured>} found @returns seconds from the start of the run */
const stretchOf = (found) => found && [found.fromS, found.toS];

test('calls wait from three in flight on, for three seconds at least', () => {
  assert.deepEqual(stretchOf(measured(steady(3))), [1, 7]);
  assert.equal(measured(steady(2), { baseline: [[50, 40]] }), undefined);
  assert.deepEqual(stretchOf(measured(steady(3, 3))), [1, 4]);
  assert.equal(measured(steady(3, 2)), undefined);
});

test('the time in the system is at least twice the time of a call, by the mean of the calls in flight', () => {
  // In flight at the ends of the seconds: 10, 20, 30, 40, 30, 20, 10. From half of the peak on, that is in the third to the sixth second,
  // their means are 25, 35, 35, 25: 120 call seconds for 40 answers, or 3 s each.
  const seconds = [...times(4, { began: 20, ok: 10 }), ...times(4, { ok: 10 })];
  const at = (/** @type {number} */ serviceMs) =>
    stretchOf(measured(seconds, { phaseS: 4, baseline: [[serviceMs, 40]] }));
  assert.deepEqual(at(1490), [2, 6]);
  assert.equal(at(1510), undefined);
});

test('waiting before the phase does not count, and that after its drain does not', () => {
  // The phase takes 5 s of it.
  const busy = [{ began: 30 }, ...times(9, { began: 10, ok: 10 })];
  const drain = [...times(2, { ok: 10 }), { ok: 9 }];
  const next = [{ began: 29 }, ...times(9, { began: 50, ok: 50 })];
  const found = measured([...busy, ...drain, ...next], { fromS: 4, phaseS: 10 });
  // 30 in flight until the phase ends, then 20, 10: below half.
  assert.deepEqual(stretchOf(found), [4, 11]);
  assert.equal(found?.answers_per_s.value, 10);
  // Until the end of the run there was no end of the waiting.
  assert.deepEqual(stretchOf(measured([...busy, ...drain.slice(0, 1)], { fromS: 4, phaseS: 8 })), [4, 11]);
  // A phase that has drained in its last second, before another one floods the server.
  const drained = [...steady(30, 5), { ok: 30 }, ...steady(40)];
  assert.deepEqual(stretchOf(measured(drained, { phaseS: 7 })), [1, 6]);
  // The peak is the phase's own: after it 90 are in flight.
  const later = [...busy, { began: 70, ok: 10 }, ...times(5, { began: 10, ok: 10 })];
  assert.deepEqual(stretchOf(measured(later, { phaseS: 10 })), [1, 16]);
});

test('a peak in the first second counts', () => {
  // 100 in flight, then 40: below half.
  const seconds = [{ began: 100 }, { ok: 60 }, ...times(4, { began: 10, ok: 10 })];
  assert.equal(measured(seconds), undefined);
});

test('calls that were given up are in flight until then, from the middle of their second', () => {
  const given = (/** @type {number} */ waitedMs, others = 0) =>
    stretchOf(measured([{ began: others, waitedMs }, ...times(11, { began: 10, ok: 10 })]));
  assert.deepEqual(given(6400), [1, 6]);
  assert.deepEqual(given(6600), [1, 7]);
  // 9 of 17 are left, more than half.
  assert.deepEqual(given(6400, 9), [1, 12]);
});

test('seconds without a line have no calls, and lines may come in any order', () => {
  // Thirty calls begin, and none is answered in five seconds.
  const seconds = [{ began: 30 }, ...times(5, {}), ...times(2, { ok: 10 })];
  const lines = linesOf(seconds).filter((_, second) => second === 0 || second > 5);
  const found = (/** @type {typeof lines} */ some) =>
    capacitiesOf(
      [{ phase: phaseOf(0, 8), baseline: /** @type {any} */ ({ name: 'calm' }) }],
      [calm([[100, 40]])],
      some,
    );
  // In flight at the ends: 30 until the sixth second, then 20, 10. In the six seconds that wait 0, 0, 0, 0, 0, 10 are answered.
  const [one] = found(lines);
  assert.deepEqual(
    [one?.fromS, one?.toS].map((at) => Number(at) - START_S),
    [1, 7],
  );
  // Their mean is 10 / 6, s = 10 / sqrt(6) and t = 2.571: half of the interval is 2.571 x 10 / 6.
  assert.deepEqual(one?.answers_per_s, { value: 1.667, low: 0, high: 5.952 });
  assert.deepEqual(found(lines.toReversed()), [one]);
  assert.deepEqual(found([]), []);
});

test('half of the answers have to be good, and 90 % to know how many are served at once', () => {
  const failing = (/** @type {number} */ failed) => {
    const seconds = [{ began: 100 }, ...times(6, { began: 100, ok: 100 - failed, failed })];
    const found = measured(seconds, { baseline: [[50, 40]] });
    return found && [found.answers_per_s.value, found.unknown];
  };
  assert.deepEqual(failing(10), [90, undefined]);
  assert.deepEqual(failing(11), [89, 'failing']);
  assert.deepEqual(failing(50), [50, 'failing']);
  assert.equal(failing(51), undefined);
});

test('calls of less than 5 ms are too short to know how many are served at once', () => {
  const unknown = (/** @type {number} */ serviceMs) =>
    measured(steady(3), { baseline: [[serviceMs, 40]] })?.unknown;
  assert.equal(unknown(5.02), undefined);
  assert.equal(unknown(4.98), 'short');
});

test('the median of the baseline is between the ranks of the binomial distribution; ten answers make one', () => {
  // 100 answers, 101 to 200 ms: the ranks 99 x (0.5 -+ 1.96 / 20) from 0 are 39.8 and 59.2, the values 140.8 and 160.2 ms.
  const hundred = Array.from(
    { length: 100 },
    (_, index) => /** @type {[number, number]} */ ([101 + index, 1]),
  );
  const { service_ms: service, parallelism } = measured(steady(30), { baseline: hundred }) ?? {};
  for (const [is, was] of /** @type {const} */ ([
    [service?.value, 150.5],
    [service?.low, 140.8],
    [service?.high, 160.2],
    // 10/s, the same in each second.
    [parallelism?.value, 1.505],
    [parallelism?.low, 1.408],
    [parallelism?.high, 1.602],
  ]))
    assert.ok(Math.abs(Number(is) / was - 1) < 2e-3, `${is}, not ${was}`);
  assert.ok(measured(steady(3), { baseline: [[100, 10]] }));
  assert.equal(measured(steady(3), { baseline: [[100, 9]] }), undefined);
});

test('operations count by their calls, and 90 % of the calls need a median', () => {
  // In each second a calls of one operation and b of another, which two classes have made.
  const mixed = (/** @type {number} */ a, /** @type {number} */ b, /** @type {any[]} */ groups) => {
    const lines = steady(0, 7).map((_, at) => {
      const { second } = lineOf(START_S + at, 'spike', {});
      const answered = (/** @type {number} */ ok) => ({
        durations: { ok: histogramOf(900, at === 0 ? 2 * ok : ok) },
        answered: { ok: at === 0 ? 0 : ok },
      });
      return {
        second: { ...second, groups: { 0: answered(a - 10), 1: answered(10), 2: answered(b) } },
        groups: new Map(
          ['a', 'a', 'b'].map((operation, index) => [String(index), { phase: 'spike', operation }]),
        ),
      };
    });
    return capacitiesOf(
      [{ phase: phaseOf(0, 8), baseline: /** @type {any} */ ({ name: 'calm' }) }],
      groups,
      lines,
    )[0];
  };
  const [fast, slow] = [calm([[64, 40]], 'a'), calm([[128, 40]], 'b')];
  const { answers_per_s: rate, service_ms: service } = mixed(75, 25, [fast, slow]) ?? {};
  assert.equal(rate?.value, 100);
  // 0.75 x 64 + 0.25 x 128, and half of a bucket.
  assert.ok(Math.abs(Number(service?.value) / 80 - 1) < 1e-3, String(service?.value));
  assert.ok(mixed(90, 10, [fast]));
  assert.equal(mixed(89, 11, [fast]), undefined);
});

test('the stretch counts whose rate is surely the highest, and the longest of those', () => {
  /** @param {number[]} answers in flight are 1,000 @param {number} [first] of these seconds */
  const best = (answers, first = 1) => {
    const found = measured([{ began: 1000 }, ...answers.map((ok) => ({ began: ok, ok }))]);
    return found && [found.fromS - first, found.toS - first, found.answers_per_s.low];
  };
  assert.deepEqual(best([10, 10, 50, 50, 50, 50, 10]), [2, 6, 50]);
  assert.deepEqual(best([50, 50, 50, 10, 50, 50, 50]), [0, 3, 50]);
  assert.deepEqual(best([0, 0, 0, 1, 1, 1]), [3, 6, 1]);
  // 60, 60, 63: the mean is 61, s = sqrt(3) and t = 4.303, so that the interval begins at 61 - 4.303.
  assert.deepEqual(best([60, 60, 63, 10, 56, 56, 56, 56]), [0, 3, 56.697]);
  assert.deepEqual(best([60, 60, 63, 10, 57, 57, 57, 57]), [4, 8, 57]);
  // All four: 50 - 3.182 x sqrt(3.333) / 2. The last three: 50.667 - 4.303 x sqrt(2.333 / 3) = 46.87.
  assert.deepEqual(best([48, 52, 49, 51]), [0, 4, 47.095]);
});

test('a second in which few wait ends a stretch', () => {
  // 40 in flight, then 10 for one second, then 40 again; after three seconds, and for four more.
  const seconds = [
    { began: 40 },
    ...times(3, { began: 10, ok: 10 }),
    { ok: 30 },
    { began: 40, ok: 10 },
    ...times(4, { began: 10, ok: 10 }),
  ];
  assert.deepEqual(stretchOf(measured(seconds)), [6, 10]);
});

test('in more than 600 s of waiting all of them count', () => {
  const stretch = (/** @type {number} */ count) =>
    stretchOf(
      measured([{ began: 30 }, ...times(5, { began: 5, ok: 5 }), ...times(count - 5, { began: 10, ok: 10 })]),
    );
  assert.deepEqual(stretch(600), [6, 601]);
  assert.deepEqual(stretch(601), [1, 602]);
});

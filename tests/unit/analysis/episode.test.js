import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bucketsOf, episodesOf } from '../../../analysis/episode.ts';
import { phases } from '../../../analysis/judge/phases.ts';
import { histogramOf, histogramOfValues, lineOf, STARTED_MS, summary } from './build.js';

const START_S = STARTED_MS / 1000;
const RANGE = {
  baseline: 'a',
  baseline_p99_ms: 50,
  baseline_failure_rate: 0,
  p99_ms: 85,
  failure_rate: 0.01,
};

/**
 * One second each: bad calls take 900 ms, or fail.
 *
 * @param {number} perS calls a second
 * @param {{slow?: number, failed?: number, unanswered?: number, dropped?: number, calls?: number}[]} seconds
 * @param {Partial<import('./build.js').PhaseSpec>} [phase]
 */
function found(perS, seconds, phase = {}) {
  const all = phases(
    summary({
      phases: [{ name: 'a', offered_rps: perS, figures: {}, ...phase, duration_s: seconds.length }],
    }),
  );
  const lines = seconds.map(
    ({ slow = 0, failed = 0, unanswered = 0, dropped = 0, calls = perS - dropped }, index) => {
      const durations = {
        ok: histogramOfValues([
          [60, calls - slow - unanswered],
          [900, slow],
        ]),
        unanswered: histogramOf(1, unanswered),
      };
      const counts = { requests: calls, failed: failed + unanswered, dropped, durations };
      return lineOf(START_S + index, 'a', counts);
    },
  );
  return episodesOf(bucketsOf(lines, all), RANGE).map(({ fromS, toS, latency, failures }) => ({
    at: [fromS - START_S, toS - START_S],
    kinds: [...(latency ? ['latency'] : []), ...(failures ? ['failures'] : [])].join(),
  }));
}

/** @template T @param {number} count @param {T} second @returns {T[]} */
const times = (count, second) => Array.from({ length: count }, () => second);

test('as exact as the seconds, for latency, failures, no answer and load that was dropped', () => {
  for (const [second, kinds] of /** @type {const} */ ([
    [{ slow: 40 }, 'latency'],
    [{ failed: 40 }, 'failures'],
    [{ unanswered: 40 }, 'latency,failures'],
    [{ dropped: 60 }, 'latency'],
    [{ calls: 0 }, 'latency'],
  ]))
    assert.deepEqual(
      found(100, [...times(20, {}), ...times(5, second), ...times(20, {})]),
      [{ at: [20, 25], kinds }],
      JSON.stringify(second),
    );
});

test('a third of a second is enough where many calls begin in it, and what chance may be is none', () => {
  assert.deepEqual(found(100, [...times(20, {}), { slow: 30 }, ...times(20, {})]), [
    { at: [20, 21], kinds: 'latency' },
  ]);
  assert.deepEqual(found(100, times(120, { slow: 1, failed: 1 })), []);
  assert.deepEqual(found(100, [...times(20, {}), { slow: 8 }, ...times(20, {})]), []);
  assert.deepEqual(found(1, [...times(20, {}), { slow: 1 }, ...times(100, {})]), []);
});

test('at a low rate it takes longer to be certain of, and lasts as long', () => {
  assert.deepEqual(found(3, [...times(30, {}), ...times(12, { slow: 3 }), ...times(30, {})]), [
    { at: [30, 42], kinds: 'latency' },
  ]);
});

test('what comes again before all was normal for as long as it takes to tell is one episode', () => {
  const again = (/** @type {number} */ gap) =>
    found(100, [
      ...times(10, {}),
      ...times(3, { slow: 50 }),
      ...times(gap, {}),
      ...times(3, { slow: 50 }),
      ...times(20, {}),
    ]);
  assert.deepEqual(again(1), [{ at: [10, 17], kinds: 'latency' }]);
  assert.deepEqual(
    again(15).map(({ at }) => at),
    [
      [10, 13],
      [28, 31],
    ],
  );
});

test('users who wait for an answer call nothing meanwhile: the episode goes on', () => {
  const closed = { offered_rps: null, vus: 20 };
  const hung = [...times(10, {}), { slow: 20, calls: 20 }, ...times(8, { calls: 0 }), ...times(20, {})];
  assert.deepEqual(found(100, hung, closed), [{ at: [10, 19], kinds: 'latency' }]);
});

test('many slow calls are no episode where the objective allows as many failures', () => {
  const all = phases(summary({ phases: [{ name: 'a', offered_rps: 100, figures: {}, duration_s: 10 }] }));
  const counts = { requests: 100, failed: 40, durations: { ok: histogramOf(60, 100) } };
  const lines = times(10, counts).map((one, index) => lineOf(START_S + index, 'a', one));
  assert.deepEqual(episodesOf(bucketsOf(lines, all), { ...RANGE, failure_rate: 0.5 }), []);
});

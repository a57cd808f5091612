import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countTrials, inventedRun, outcomesOf, slower } from '../../../bench/regression-trials.js';
import { wilson } from '../../../bench/wilson.js';
import { seededRandom } from '../../../contract/seeded-random.js';

/** @param {number} count @param {number} seed */
const runs = (count, seed, random = seededRandom(seed)) =>
  Array.from({ length: count }, () => inventedRun(0.01, random));

test('what is slower is slower in its latencies alone', () => {
  const run = { 'phase/load/p99': 100, 'phase/load/throughput': 10, 'operation/a/p50': 1 };
  assert.deepEqual(slower(0.1)(run), {
    'phase/load/p99': 110.00000000000001,
    'phase/load/throughput': 10,
    'operation/a/p50': 1.1,
  });
});

test('a comparison of a pool is one as make compare makes it', () => {
  const [base, head] = [runs(5, 1), runs(5, 2).map(slower(0.3))];
  assert.deepEqual(outcomesOf(base, head), { worse: true, p99: true });
  assert.deepEqual(outcomesOf(base, runs(5, 2)), { worse: false, p99: false });
  // Operations are not among the metrics: they would make the correction stricter.
  const withOperation = (/** @type {number} */ p99) => (/** @type {Record<string, number>} */ run) => ({
    ...run,
    'operation/a/p99': p99,
  });
  assert.deepEqual(outcomesOf(base.map(withOperation(1)), runs(5, 2).map(withOperation(9))), {
    worse: false,
    p99: false,
  });
});

test('trials draw no run twice, and the same ones for the same seed', () => {
  const pool = runs(10, 3);
  const draw = (/** @type {number} */ seed) =>
    countTrials({ pool, other: null, runs: 5, trials: 20, random: seededRandom(seed), slowed: slower(0.2) });
  assert.deepEqual(draw(4), { trials: 20, worse: 20, p99: 20 });
  assert.deepEqual(draw(4), draw(4));
  const equal = countTrials({ pool, other: null, runs: 5, trials: 50, random: seededRandom(1) });
  assert.ok(equal.worse <= 4, `${equal.worse} of 50`);
  const other = runs(6, 5).map(slower(0.2));
  assert.equal(countTrials({ pool, other, runs: 5, trials: 10, random: seededRandom(1) }).p99, 10);
});

test("the interval of a share is statsmodels' Wilson interval", () => {
  // statsmodels.stats.proportion.proportion_confint(5, 500, method='wilson')
  const { low, high } = wilson(5, 500);
  assert.ok(Math.abs(low - 0.00427875) < 1e-7 && Math.abs(high - 0.0231931) < 1e-7, `${low} ${high}`);
  for (const all of [1, 20, 100, 1000]) {
    assert.equal(wilson(0, all).low, 0);
    assert.equal(wilson(all, all).high, 1);
  }
});

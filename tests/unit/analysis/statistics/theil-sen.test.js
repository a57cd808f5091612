import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MOST_POINTS, theilSen } from '../../../../analysis/statistics/theil-sen.ts';
import { seededRandom } from '../../../../contract/seeded-random.js';
import { close, normal, REFERENCE } from './reference.js';

/** The example of Sen 1968, as R's package deming and SciPy test it (his own list of slopes has mistakes). */
const SEN = /** @type {[number, number][]} */ ([
  [1, 9],
  [2, 15],
  [3, 19],
  [4, 20],
  [10, 45],
  [12, 55],
  [18, 78],
]);

test("Sen's own example: slope 4, 93 % from 26/7 to 35/8", () => {
  const fit = theilSen(SEN, 0.93);
  assert.ok(fit);
  assert.ok(close(fit.slope, 4) && close(fit.intercept, 6), JSON.stringify(fit));
  assert.ok(close(fit.low, 26 / 7) && close(fit.high, 35 / 8), JSON.stringify(fit));
});

test('slope, intercept and interval are those of SciPy', () => {
  for (const { points, confidence, ...expected } of REFERENCE.theil_sen ?? []) {
    const fit = theilSen(points, confidence);
    assert.ok(fit);
    for (const name of /** @type {const} */ (['slope', 'intercept', 'low', 'high'])) {
      assert.ok(close(fit[name], expected[name]), `${name} ${fit[name]}, SciPy ${expected[name]}`);
    }
  }
});

test('a quarter of wild points does not move it far', () => {
  const random = seededRandom(2);
  const points = Array.from(
    { length: 100 },
    (_, x) =>
      /** @type {[number, number]} */ ([x, random() < 0.25 ? 1e6 * random() : 3 * x + normal(random)]),
  );
  const fit = theilSen(points);
  assert.ok(fit && fit.slope > 2.5 && fit.slope < 4, JSON.stringify(fit));
});

test('too few points have a slope and no interval, points of one moment not even that', () => {
  assert.deepEqual(
    theilSen([
      [0, 1],
      [1, 3],
    ]),
    { slope: 2, intercept: 1, low: null, high: null, points: 2 },
  );
  assert.equal(
    theilSen([
      [1, 1],
      [1, 3],
    ]),
    null,
  );
  assert.equal(theilSen([]), null);
});

test('the true slope is inside 95 % of the intervals', () => {
  const random = seededRandom(9);
  let inside = 0;
  for (let round = 0; round < 1000; round += 1) {
    const fit = theilSen(Array.from({ length: 20 }, (_, x) => [x, 0.5 * x + normal(random)]));
    if (Number(fit?.low) <= 0.5 && Number(fit?.high) >= 0.5) inside += 1;
  }
  assert.ok(inside > 930 && inside < 980, String(inside));
});

test('of more points than it takes, it takes as many as it does, from first to last', () => {
  const fit = theilSen(Array.from({ length: 5000 }, (_, x) => [x, 7 - 2 * x]));
  assert.deepEqual(fit, { slope: -2, intercept: 7, low: -2, high: -2, points: MOST_POINTS });
});

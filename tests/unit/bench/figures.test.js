import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linearRegression } from 'simple-statistics';
import { floors, neighbours, quantile, ratio, spread } from '../../../bench/figures.ts';

test('a quantile is interpolated between the two nearest ranks', () => {
  assert.equal(quantile([3, 1, 2], 0.5), 2);
  assert.equal(quantile([10, 20], 0.5), 15);
  assert.equal(quantile([1, 2, 3, 4, 5], 0.9), 4.6);
  assert.equal(quantile([7], 0.99), 7);
  assert.deepEqual(neighbours([10, 40, 20, 30], 0.5), [20, 30]);
  assert.deepEqual(neighbours([10, 30, 20], 0.5), [20, 20]);
});

test('figures are sorted as numbers', () => {
  assert.deepEqual(spread([100, 9, 20]), { median: 20, min: 9, max: 100 });
});

test('a ratio is taken round by round', () => {
  // The second round was on a machine half as fast: the ratio of the medians would be 1.67.
  assert.deepEqual(ratio([10, 20, 12], [10, 20, 6]), { median: 1, min: 1, max: 2 });
});

test('of each part the lowest is left: what goes up and down does not tilt the line', () => {
  const saw = Array.from(
    { length: 100 },
    (_, x) => /** @type {[number, number]} */ ([x, 100 + 2 * x + (x % 10) * 50]),
  );
  assert.deepEqual(
    floors(saw, 5).map(([x]) => x),
    [0, 20, 40, 60, 80],
  );
  assert.equal(linearRegression(floors(saw, 5)).m, 2);
});

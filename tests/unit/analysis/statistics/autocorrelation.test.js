import assert from 'node:assert/strict';
import { test } from 'node:test';
import { autocorrelation, varianceInflation } from '../../../../analysis/statistics/autocorrelation.ts';
import { medianOf } from '../../../../analysis/statistics/interval.ts';
import { theilSen } from '../../../../analysis/statistics/theil-sen.ts';
import { seededRandom } from '../../../../contract/seeded-random.js';
import { close, remembering } from './reference.js';

test('autocorrelation by hand', () => {
  // Around the mean 2: -1, 1, -1, 1. One apart: three products of -1, of the four squares of 1.
  const of = autocorrelation([1, 3, 1, 3]);
  assert.ok(close(of(1), -1) && close(of(2), 1));
  assert.equal(autocorrelation([5, 5, 5])(1), 0);
});

test('how much wider an interval has to be is (1 + r) / (1 - r), also from as few as 24 values', () => {
  const random = seededRandom(3);
  for (const [memory, expected] of [
    [0, 1],
    [0.3, 1.86],
    [0.6, 4],
  ]) {
    const found = Array.from({ length: 300 }, () => {
      const values = remembering(random, Number(memory), 24);
      const fit = theilSen(values.map((value, x) => [x, value]));
      return varianceInflation(
        values.map((value, x) => value - Number(fit?.intercept) - Number(fit?.slope) * x),
      );
    });
    const middle = medianOf(found);
    assert.ok(Math.abs(middle / Number(expected) - 1) < 0.25, `${memory}: ${middle}, expected ${expected}`);
  }
});

test('too few values are taken as they are, values that go to and fro too', () => {
  assert.equal(varianceInflation([1, 2, 3]), 1);
  assert.equal(varianceInflation([1, -1, 1, -1, 1, -1, 1, -1]), 1);
});

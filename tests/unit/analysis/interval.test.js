import assert from 'node:assert/strict';
import { test } from 'node:test';
import { intervalOf, medianOf, studentT } from '../../../analysis/statistics/interval.ts';
import { fitLine } from '../../../analysis/statistics/line.ts';
import { studentTails } from '../../../analysis/statistics/student-t.ts';

/** @param {number | null | undefined} actual @param {number} expected */
const near = (actual, expected) =>
  assert.ok(Math.abs(Number(actual) - expected) < 0.01, `${actual} is not ${expected}`);

test('the interval of a mean is that of a table of Student', () => {
  // n = 3: t = 4.303, s = 1, so 4.303 / sqrt(3) on either side.
  const interval = intervalOf([9, 10, 11]);
  near(interval?.mean, 10);
  near(interval?.low, 10 - 2.484);
  near(interval?.high, 10 + 2.484);
  near(
    intervalOf(Array.from({ length: 101 }, (_, index) => index))?.low,
    50 - (1.96 * 29.3) / Math.sqrt(101),
  );
});

test("5 % of Student's t are further out than each value of the table", () => {
  // The table has four digits: the tails differ from 5 % by up to 0.001 %.
  for (let freedom = 1; freedom <= 30; freedom += 1) {
    const tails = studentTails(studentT(freedom), freedom);
    assert.ok(Math.abs(tails - 0.05) < 1e-4, `${freedom} degrees of freedom: ${tails}`);
  }
});

test('one measurement has no interval', () => {
  const one = intervalOf([10]);
  assert.deepEqual(one, { mean: 10, low: null, high: null, count: 1 });
  assert.equal(intervalOf([]), null);
});

test('a median', () => {
  assert.equal(medianOf([3, 1, 2]), 2);
  assert.equal(medianOf([4, 1, 2, 3]), 2.5);
});

test('a line knows its slope, and how well', () => {
  const exact = fitLine([
    [0, 1],
    [10, 21],
    [20, 41],
  ]);
  near(exact?.slope, 2);
  near(exact?.start, 1);
  near(exact?.error, 0);
  // Anscombe's first: slope 0.5001 with a standard error of 0.1179, t = 2.262.
  const x = [10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5];
  const y = [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68];
  const anscombe = fitLine(x.map((value, index) => [value, y[index] ?? 0]));
  near(anscombe?.slope, 0.5);
  near(anscombe?.error, 0.1179 * 2.262);
});

test('too few points make no line', () => {
  assert.equal(
    fitLine([
      [0, 1],
      [1, 2],
    ]),
    null,
  );
  assert.equal(
    fitLine([
      [1, 1],
      [1, 2],
      [1, 3],
    ]),
    null,
  );
});

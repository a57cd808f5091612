import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differenceOf } from '../../../analysis/statistics/bootstrap.ts';
import { percentile } from '../../../analysis/statistics/percentile.ts';

/** Normal, with a fixed sequence. @param {number} seed */
function normal(seed) {
  let state = seed;
  const uniform = () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
  return (/** @type {number} */ mean, /** @type {number} */ deviation) =>
    mean + deviation * Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

test('a percentile lies between samples as in k6', () => {
  assert.equal(percentile(Float64Array.of(1, 2, 3, 4), 0.5), 2.5);
  assert.equal(percentile(Float64Array.of(7), 0.99), 7);
  assert.equal(percentile(Float64Array.of(0, 10), 0.95), 9.5);
});

test('without a sample there is no difference, from one round no interval', () => {
  assert.equal(differenceOf([], 0.5), null);
  assert.equal(differenceOf([{ a: [1], b: [] }], 0.5), null);
  assert.deepEqual(differenceOf([{ a: [1, 1], b: [3, 3] }], 0.5), { value: 2, low: null, high: null });
});

test('the same samples make the same interval', () => {
  const rounds = [
    { a: [1, 2, 3], b: [4, 5, 9] },
    { a: [2, 2, 4], b: [4, 6, 8] },
  ];
  assert.deepEqual(differenceOf(rounds, 0.95), differenceOf(rounds, 0.95));
});

test('the interval is as wide as theory has it, and holds the truth 19 times of 20 (or nearly)', () => {
  let holds = 0;
  const widths = [];
  const RUNS = 60;
  for (let run = 0; run < RUNS; run += 1) {
    const draw = normal(run * 7919 + 17);
    const rounds = Array.from({ length: 8 }, () => ({
      a: Array.from({ length: 50 }, () => draw(10, 2)),
      b: Array.from({ length: 50 }, () => draw(30, 2)),
    }));
    const { low, high } = /** @type {any} */ (differenceOf(rounds, 0.5, run + 1));
    if (low <= 20 && 20 <= high) holds += 1;
    widths.push(high - low);
  }
  assert.ok(holds >= RUNS * 0.85, `${holds} of ${RUNS}`);
  // The median of 400 normal samples has a standard error of 1.2533 s / sqrt(400); of two, 1.41 times that.
  const expected = 2 * 1.96 * 1.2533 * (2 / 20) * Math.SQRT2;
  const mean = widths.reduce((sum, width) => sum + width, 0) / RUNS;
  assert.ok(mean > expected * 0.75 && mean < expected * 1.5, `${mean} against ${expected}`);
});

test('rounds that differ make it wider than samples that differ', () => {
  const same = Array.from({ length: 6 }, () => ({ a: [10, 11, 12, 10, 11], b: [20, 21, 22, 20, 21] }));
  const moody = same.map(({ a, b }, round) => ({ a, b: b.map((value) => value + 10 * round) }));
  const width = (/** @type {any} */ { low, high }) => high - low;
  assert.ok(width(differenceOf(moody, 0.5)) > 3 * width(differenceOf(same, 0.5)));
});

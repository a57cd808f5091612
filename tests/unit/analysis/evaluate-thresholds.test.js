import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluateThresholds } from '../../../analysis/evaluate-thresholds.ts';
import { SparseHistogram } from '../../../analysis/sparse-histogram.ts';

/** @param {...Partial<import('../../../analysis/measured.ts').Threshold>} thresholds */
const generator = (...thresholds) =>
  /** @type {import('../../../analysis/measured.ts').Measured} */ ({
    thresholds: /** @type {any[]} */ (
      thresholds.map((one) => ({
        metric: 'm',
        threshold: 'rate<=0.3',
        passed: true,
        hasSamples: true,
        ...one,
      }))
    ),
  });
/** @param {number} trues @param {number} total @param {boolean} passed */
const share = (trues, total, passed) => ({ share: { trues, total }, passed });

/** @param {ReturnType<typeof generator>[]} generators */
const outcomes = (...generators) => evaluateThresholds(generators).map(({ outcome }) => outcome);

test('one generator is judged as k6 judged it, or the run is invalid', () => {
  assert.deepEqual(outcomes(generator(share(3, 10, true))), ['pass']);
  assert.deepEqual(outcomes(generator(share(4, 10, false))), ['fail']);
  assert.deepEqual(outcomes(generator(share(4, 10, true))), ['invalid']);
  assert.deepEqual(outcomes(generator({ threshold: 'p(95)<5', passed: false })), ['fail']);
  assert.deepEqual(outcomes(generator({ threshold: 'count>10', value: 11 })), ['pass']);
});

test('the shares of generators are judged as a sum: two verdicts do not add up', () => {
  // 36 % failed and 24 % passed are 33 %, and 29 % in other numbers.
  assert.deepEqual(outcomes(generator(share(97, 266, false)), generator(share(72, 300, true))), ['pass']);
  assert.deepEqual(outcomes(generator(share(97, 266, false)), generator(share(24, 100, true))), ['fail']);
  const counts = [{ threshold: 'count>10', value: 6, passed: false }];
  assert.deepEqual(outcomes(generator(...counts), generator(...counts)), ['pass']);
});

test('of what does not add up all parts have to agree', () => {
  const part = (/** @type {boolean} */ passed) => generator({ threshold: 'p(95)<5', passed });
  assert.deepEqual(outcomes(part(true), part(true)), ['pass']);
  assert.deepEqual(outcomes(part(false), part(false)), ['fail']);
  assert.deepEqual(outcomes(part(true), part(false)), ['invalid']);
});

test('nothing passes without samples, or where a generator does not have it', () => {
  const empty = { ...share(0, 0, true), hasSamples: false };
  assert.deepEqual(outcomes(generator(empty)), ['invalid']);
  assert.deepEqual(outcomes(generator(empty), generator(empty)), ['invalid']);
  assert.deepEqual(outcomes(generator(empty), generator(share(1, 10, true))), ['pass']);
  assert.deepEqual(outcomes(generator(share(1, 10, true)), generator()), ['invalid']);
});

test('an operator or a form that is not known is left to k6', () => {
  assert.deepEqual(outcomes(generator({ ...share(4, 10, false), threshold: 'rate<=0.3 ' })), ['fail']);
  assert.deepEqual(outcomes(generator({ threshold: 'value<3', value: 2 })), ['pass']);
});

test('histograms: buckets, percentiles as k6 has them, means, and sums', () => {
  // 1 ms is the bucket 1023 * 512, in base 36.
  const one = (1023 * 512).toString(36);
  const middle = 1 + 1 / 1024;
  assert.equal(new SparseHistogram(one).percentile(0.5), middle);
  assert.equal(new SparseHistogram('0').percentile(1), 0);
  assert.equal(new SparseHistogram().percentile(0.5), null);
  // 99 at 1 ms, one at 2 ms.
  const many = new SparseHistogram(
    `${one}*${(50).toString(36)}`,
    `${one}*${(49).toString(36)} ${(512).toString(36)}`,
  );
  assert.equal(many.count, 100);
  assert.equal(many.percentile(0.98), middle);
  // The rank 98.5 of 99: in the middle between the last two.
  assert.equal(many.percentile(98.5 / 99), 1.5 * middle);
  assert.equal(many.percentile(1), 2 * middle);
  assert.ok(Math.abs((many.mean ?? 0) - 1.01 * middle) < 1e-9);
  assert.equal(new SparseHistogram().mean, null);
});

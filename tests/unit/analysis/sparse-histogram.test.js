import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SparseHistogram } from '../../../analysis/collect/sparse-histogram.ts';

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

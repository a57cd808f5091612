import assert from 'node:assert/strict';
import { test } from 'node:test';
import { percentile } from '../../../analysis/statistics/percentile.ts';

test('a percentile between two values is interpolated', () => {
  assert.equal(percentile([1, 2, 3, 4], 0.5), 2.5);
  assert.equal(percentile([1, 2, 3, 4], 0), 1);
  assert.equal(percentile([1, 2, 3, 4], 1), 4);
  assert.equal(percentile([7], 0.99), 7);
});

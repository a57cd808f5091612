import assert from 'node:assert/strict';
import { test } from 'node:test';
import { holdsByFigures, sumOfThreshold } from '../../../analysis/judge/k6-threshold.ts';

/** @typedef {import('../../../analysis/collect/measured.ts').Threshold} Threshold */

/** @param {Partial<Threshold>} one @returns {Threshold} */
const part = (one) => ({ metric: 'm', threshold: 'rate<=0.3', passed: true, hasSamples: true, ...one });
/** @param {number} trues @param {number} total @param {boolean} passed */
const share = (trues, total, passed) => part({ share: { trues, total }, passed });

/** @param {Threshold[]} parts @returns {boolean | string | undefined} passed, or why that is not known */
const sum = (...parts) => {
  const { passed, hasSamples, doubt } = sumOfThreshold(parts, parts.length);
  return hasSamples ? passed : doubt;
};

test('by its figures a share or a count holds, or does not; nothing else says', () => {
  assert.equal(holdsByFigures(share(3, 10, true)), true);
  assert.equal(holdsByFigures(share(4, 10, true)), false);
  assert.equal(holdsByFigures(part({ threshold: ' rate <= 0.3 ', share: { trues: 4, total: 10 } })), false);
  assert.equal(holdsByFigures(part({ threshold: 'count>10', value: 11 })), true);
  assert.equal(holdsByFigures(part({ threshold: 'count!=10', value: 10 })), false);
  assert.equal(holdsByFigures(part({ threshold: 'p(95)<5' })), null);
  assert.equal(holdsByFigures(part({ threshold: 'value<3', value: 4 })), null);
  assert.equal(holdsByFigures(share(0, 0, true)), null);
});

test('the shares of generators are judged as a sum: two verdicts do not add up', () => {
  // 36 % failed and 24 % passed are 33 %, and 29 % in other numbers.
  assert.equal(sum(share(97, 266, false), share(72, 300, true)), true);
  assert.equal(sum(share(97, 266, false), share(24, 100, true)), false);
  const counted = part({ threshold: 'count>10', value: 6, passed: false });
  assert.equal(sum(counted, counted), true);
});

test('of what does not add up all parts have to agree', () => {
  const percentile = (/** @type {boolean} */ passed) => part({ threshold: 'p(95)<5', passed });
  assert.equal(sum(percentile(true), percentile(true)), true);
  assert.equal(sum(percentile(false), percentile(false)), false);
  assert.equal(
    sum(percentile(true), percentile(false)),
    '1 of 2 generators passed it, and their results cannot be combined',
  );
});

test('nothing passes without samples, or if a generator does not have it', () => {
  const empty = { ...share(0, 0, true), hasSamples: false };
  assert.equal(sum(empty), 'no samples');
  assert.equal(sum(empty, empty), 'no samples');
  assert.equal(sum(empty, share(1, 10, true)), true);
  assert.equal(sumOfThreshold([share(1, 10, true)], 2).doubt, 'a generator does not have it');
});

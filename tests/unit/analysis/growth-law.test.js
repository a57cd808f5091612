import assert from 'node:assert/strict';
import { test } from 'node:test';
import { growthLaw } from '../../../analysis/statistics/growth-law.ts';

const SIZES = [10, 50, 100, 500, 1000, 5000];
/** Errors of three measurements of each size, that repeat themselves. */
const NOISE = [0.96, 1.03, 1, 0.98, 1.05, 1.01, 0.97, 1.02];

/** @param {(size: number) => number} law @param {number} [noise] factor on the errors */
const points = (law, noise = 1) =>
  SIZES.flatMap((size, index) =>
    [0, 1, 2].map((repetition) => {
      const error = 1 + noise * ((NOISE[(index * 3 + repetition) % NOISE.length] ?? 1) - 1);
      return /** @type {[number, number]} */ ([size, law(size) * error]);
    }),
  );

test('what stays is constant, also where it differs a little from one measurement to the next', () => {
  assert.equal(growthLaw(points(() => 4)).law, 'constant');
  assert.equal(growthLaw(points((size) => 4 + 0.0002 * size)).law, 'constant');
});

test('what grows as the size does is linear, whatever it starts from', () => {
  const growth = growthLaw(points((size) => 3 + 0.14 * size));
  assert.equal(growth.law, 'linear');
  assert.ok(Math.abs(Number(growth.per_thousand) - 140) < 7, `${growth.per_thousand}`);
  assert.match(growth.evidence, /500 times the size, .* exponent/);
  assert.equal(growthLaw(points((size) => 0.14 * size)).law, 'linear');
});

test('what grows faster or slower than the size is neither', () => {
  assert.equal(growthLaw(points((size) => 3 + 0.0005 * size ** 1.8)).law, 'worse than linear');
  assert.equal(growthLaw(points((size) => 3 + 0.00001 * size ** 2)).law, 'worse than linear');
  assert.equal(growthLaw(points((size) => 1 + size ** 0.5)).law, 'less than linear');
});

test('too few sizes, or measurements that contradict one another, are not enough to tell', () => {
  const few = points((size) => size).filter(([size]) => size < 500);
  assert.deepEqual(growthLaw(few).law, 'not enough to tell');
  assert.deepEqual(growthLaw([]).law, 'not enough to tell');
  assert.equal(growthLaw(points((size) => 50 + 0.05 * size, 15)).law, 'not enough to tell');
});

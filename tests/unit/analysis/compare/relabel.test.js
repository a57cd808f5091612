import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adjustedP, choices } from '../../../../analysis/compare/relabel.ts';
import { seededRandom } from '../../../../contract/seeded-random.js';

/** @param {number | undefined} actual @param {number} expected */
const near = (actual, expected) => assert.ok(Math.abs(Number(actual) - expected) < 1e-12, `${actual}`);

test('adjusted ps are those of every way to deal the runs out', () => {
  // Counted over all 924 ways with SciPy's ranks and NumPy, one way after the other.
  const clear = {
    a: [101.2, 99.8, 100.5, 98.7, 102.1, 100.9],
    b: [104.9, 106.1, 103.8, 107.4, 105.2, 101.9],
  };
  const nothing = { a: [5.1, 5.0, 5.3, 4.9, 5.2, 5.05], b: [5.15, 4.95, 5.25, 5.35, 5.02, 5.12] };
  const [first, second] = adjustedP([clear, nothing]);
  near(first, 6 / 924);
  near(second, 520 / 924);
  // The order of the metrics is of no matter.
  assert.deepEqual(adjustedP([nothing, clear]), [second, first]);
});

test('five runs a side tell, however many metrics there are beside the one that differs', () => {
  const random = seededRandom(3);
  const noise = () => ({ a: Array.from({ length: 5 }, random), b: Array.from({ length: 5 }, random) });
  const apart = { a: [10, 10.1, 9.9, 10.05, 9.95], b: [20, 20.1, 19.9, 20.05, 19.95] };
  const [p] = adjustedP([apart, ...Array.from({ length: 40 }, noise)]);
  near(p, 2 / choices(10, 5));
});

test('metrics that are one and the same are not paid for twice', () => {
  const one = { a: [1, 2, 3, 4, 5, 6], b: [4.5, 5.5, 6.5, 7, 8, 9] };
  const [alone] = adjustedP([one]);
  assert.deepEqual(adjustedP([one, one, one]), [alone, alone, alone]);
});

test('more ways than can be tried are drawn: the same each time, near to the exact', () => {
  const random = seededRandom(5);
  const metrics = [0, 0.5, 1].map((shift) => ({
    a: Array.from({ length: 10 }, random),
    b: Array.from({ length: 10 }, () => random() + shift),
  }));
  assert.ok(choices(20, 10) > 10_000);
  const drawn = adjustedP(metrics);
  assert.deepEqual(adjustedP(metrics), drawn);
  for (const [index, p] of adjustedP(metrics, 2).entries()) {
    const expected = Number(drawn[index]);
    assert.ok(Math.abs(p - expected) <= 4 * Math.sqrt((expected * (1 - expected)) / 10_000) + 1e-4);
  }
  assert.ok(Number(drawn[2]) < 0.001 && Number(drawn[0]) > 0.1);
});

test('values that are all the same differ in nothing', () => {
  assert.deepEqual(adjustedP([{ a: [0, 0, 0], b: [0, 0, 0] }]), [1]);
  assert.deepEqual(adjustedP([]), []);
});

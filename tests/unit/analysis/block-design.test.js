import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareInBlocks, studentizedRange } from '../../../analysis/statistics/block-design.ts';

/** @param {number | null | undefined} actual @param {number} expected @param {number} share */
const within = (actual, expected, share) =>
  assert.ok(Math.abs(Number(actual) / expected - 1) < share, `${actual} is not ${expected}`);

test('the studentized range is that of the published tables', () => {
  // Alternatives, degrees of freedom, upper 5 % point.
  for (const [count, freedom, point] of /** @type {const} */ ([
    [2, 2, 6.085],
    [3, 4, 5.04],
    [4, 6, 4.896],
    [5, 8, 4.886],
    [6, 10, 4.912],
  ])) {
    within(studentizedRange(count, freedom), point, 0.02);
  }
});

test('what rounds have in common cancels', () => {
  const quiet = compareInBlocks([
    [100, 101, 99],
    [120, 121.2, 118.8],
  ]);
  const drifting = compareInBlocks([
    [100, 202, 49.5],
    [120, 242.4, 59.4],
  ]);
  within(drifting?.apart, quiet?.apart ?? 0, 1e-9);
  within(quiet?.means[1], 1.2 * (quiet?.means[0] ?? 0), 1e-9);
  within(quiet?.apart, 1, 1e-9);
});

test('the least difference is that of a table worked by hand', () => {
  // Logarithms 1, 2, 4 and 2, 4, 5: residuals +-1/6, +-1/6 ... sum of squares 1/3, freedom 2, q(2, 2) = 6.085.
  const found = compareInBlocks([[1, 2, 4].map(Math.exp), [2, 4, 5].map(Math.exp)]);
  within(Math.log(found?.apart ?? 0), (6.085 * Math.sqrt(1 / 6)) / Math.sqrt(3), 0.02);
});

test('alternatives that are all the same are distinguished one time in twenty', () => {
  // A normal sample from a fixed sequence: 400 experiments of 4 alternatives in 3 rounds, 0.3 of a noise of rounds.
  let state = 7;
  const uniform = () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
  const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  let apart = 0;
  for (let experiment = 0; experiment < 400; experiment += 1) {
    const rounds = [0.3 * normal(), 0.3 * normal(), 0.3 * normal()];
    const figures = Array.from({ length: 4 }, () => rounds.map((round) => Math.exp(round + 0.1 * normal())));
    const { means = [], apart: bound } = compareInBlocks(figures) ?? {};
    if (Math.max(...means) / Math.min(...means) > (bound ?? 0)) apart += 1;
  }
  assert.ok(apart >= 8 && apart <= 34, `${apart} of 400`);
});

test('one round tells nothing apart, nor do two of two; without a figure there is nothing', () => {
  assert.equal(compareInBlocks([[100], [200]])?.apart, null);
  // An error of 0, by luck: it would tell 100 from 101.
  assert.equal(
    compareInBlocks([
      [100, 200],
      [101, 202],
    ])?.apart,
    null,
  );
  assert.equal(compareInBlocks([[], []]), null);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { effectiveSamples, partialSpearman } from '../../../../analysis/statistics/rank-correlation.ts';
import { seededRandom } from '../../../../contract/seeded-random.js';
import { close, normal, REFERENCE, remembering } from './reference.js';

test('rho is that of SciPy, with equal values too', () => {
  for (const { x, y, rho } of REFERENCE.spearman ?? []) {
    const found = partialSpearman(x, y)?.rho ?? null;
    assert.ok(close(found, rho), `${found}, SciPy ${rho}`);
  }
});

test('what never changes goes together with nothing', () => {
  assert.equal(partialSpearman([1], [1]), null);
  assert.equal(partialSpearman([1, 1, 1, 1], [1, 2, 3, 4]), null);
});

test('the partial rho, its p and its interval are those from the inverse of the correlation matrix', () => {
  for (const { x, y, controls, ...expected } of REFERENCE.partial_spearman ?? []) {
    const found = partialSpearman(x, y, controls);
    assert.ok(found);
    assert.ok(close(found.rho, expected.rho), `rho ${found.rho}, expected ${expected.rho}`);
    assert.ok(close(found.p, expected.p), `p ${found.p}, expected ${expected.p}`);
    assert.ok(close(found.low, expected.low, 1e-6) && close(found.high, expected.high, 1e-6));
  }
});

test('what goes together because a third drives both does not, once that is known', () => {
  const random = seededRandom(11);
  const load = Array.from({ length: 200 }, (_, index) => index);
  const x = load.map((value) => value + 10 * normal(random));
  const y = load.map((value) => value ** 2 + 1000 * normal(random));
  assert.ok(Number(partialSpearman(x, y)?.rho) > 0.9);
  assert.ok(Math.abs(Number(partialSpearman(x, y, [load])?.rho)) < 0.2);
  // The control itself, or what ranks as it does, leaves nothing to be explained.
  assert.equal(partialSpearman(load, y, [load.map((value) => value ** 3)]), null);
});

test('too few values for an interval have none', () => {
  const found = partialSpearman([1, 2, 3, 4], [2, 1, 3, 4], [[1, 3, 2, 4]]);
  assert.deepEqual([found?.low, found?.high], [null, null]);
});

test('series that remember are worth (1 - r r) / (1 + r r) of their values', () => {
  const random = seededRandom(5);
  for (const [memory, share] of [
    [0, 1],
    [0.5, 0.6],
    [0.9, 0.105],
  ]) {
    const worth = Array.from(
      { length: 60 },
      () =>
        effectiveSamples(remembering(random, Number(memory), 400), remembering(random, Number(memory), 400)) /
        400,
    ).sort((a, b) => a - b);
    const middle = Number(worth[30]);
    assert.ok(Math.abs(middle - Number(share)) < 0.06, `${memory}: ${middle}, expected ${share}`);
  }
});

test('of series that have nothing to do with each other, few seem to, where memory is counted', () => {
  const random = seededRandom(8);
  let [naive, honest] = [0, 0];
  for (let round = 0; round < 300; round += 1) {
    const [x, y] = [remembering(random, 0.85, 120), remembering(random, 0.85, 120)];
    if (Number(partialSpearman(x, y)?.p) < 0.05) naive += 1;
    if (Number(partialSpearman(x, y, [], { overTime: true })?.p ?? 1) < 0.05) honest += 1;
  }
  assert.ok(naive / 300 > 0.3, String(naive));
  assert.ok(honest / 300 < 0.09, String(honest));
});

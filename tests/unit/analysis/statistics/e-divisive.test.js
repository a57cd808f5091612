import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changePoints } from '../../../../analysis/statistics/e-divisive.js';
import { seededRandom } from '../../../../experiments/seeded-random.js';
import { normal, REFERENCE } from './reference.js';

/** The series of Otava's own test. */
const HALVED = [
  1.02, 0.95, 0.99, 1, 1.12, 1, 1.01, 0.98, 1.01, 0.96, 0.5, 0.51, 0.48, 0.48, 0.55, 0.5, 0.49, 0.51, 0.5,
  0.49,
];

/** @param {() => number} random @param {number} length @param {number} [level] */
const noise = (random, length, level = 100) => Array.from({ length }, () => level + normal(random));

test("the example of Otava's test is found where it is, and said how large it is", () => {
  const [found, ...others] = changePoints(HALVED, { window: 10, significance: 0.0001 });
  assert.ok(found);
  assert.deepEqual(others, []);
  assert.equal(found.index, 10);
  assert.ok(Math.abs(found.change + 0.501) < 0.001 && found.p < 1e-10, JSON.stringify(found));
});

test('series are divided where Otava divides them', () => {
  for (const { series, indexes } of REFERENCE.change_points ?? []) {
    assert.deepEqual(
      changePoints(series).map(({ index }) => index),
      indexes,
    );
  }
});

test('one odd run is no change, a change is one once three runs have shown it', () => {
  const random = seededRandom(1);
  for (const odd of [25, 39]) {
    const series = noise(random, 40);
    series[odd] = 150;
    assert.deepEqual(changePoints(series), [], `run ${odd}`);
  }
  assert.equal(changePoints([...noise(random, 30), 130, 131, 129])[0]?.index, 30);
});

test('changes below the least that counts are left out', () => {
  const random = seededRandom(2);
  const series = [...noise(random, 30), ...noise(random, 30, 104), ...noise(random, 30, 130)];
  assert.deepEqual(
    changePoints(series).map(({ index }) => index),
    [30, 60],
  );
  assert.deepEqual(
    changePoints(series, { leastChange: 0.1 }).map(({ index }) => index),
    [60],
  );
});

test('nothing, next to nothing and always the same have no change', () => {
  for (const series of [[], [1], [1, 2], [1, 1, 1], new Array(100).fill(5)]) {
    assert.deepEqual(changePoints(series), []);
  }
});

test('a step without any noise is found', () => {
  assert.deepEqual(changePoints([1, 1, 1, 1, 2, 2, 2, 2]), [
    { index: 4, p: 0, before: 1, after: 2, change: 1 },
  ]);
});

test('of histories in which nothing changes, at most one in twenty is found to have changed', () => {
  const random = seededRandom(4);
  for (const [length, rounds] of [
    [20, 400],
    [50, 400],
    [100, 400],
  ]) {
    let alarms = 0;
    for (let round = 0; round < Number(rounds); round += 1) {
      if (changePoints(noise(random, Number(length))).length > 0) alarms += 1;
    }
    assert.ok(alarms / Number(rounds) <= 0.05, `${length}: ${alarms} of ${rounds}`);
  }
});

test('a change of three times the noise is found within two runs of where it was, nine times of ten', () => {
  const random = seededRandom(6);
  let found = 0;
  for (let round = 0; round < 200; round += 1) {
    const points = changePoints([...noise(random, 25), ...noise(random, 10, 103)]);
    if (points.length === 1 && Math.abs(Number(points[0]?.index) - 25) <= 2) found += 1;
  }
  assert.ok(found >= 180, String(found));
});

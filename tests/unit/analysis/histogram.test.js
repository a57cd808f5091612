import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addUp, countFrom, relativeError, splitAt, trendValues } from '../../../analysis/histogram.js';

/** The bounds of k6's buckets: eight a doubling. */
const bound = (/** @type {number} */ index) => 2 ** (index / 8);

/** @param {number[]} values milliseconds @returns {import('../../../analysis/histogram.js').Histogram} */
function histogram(values) {
  const buckets = values.map((value) => {
    const index = Math.ceil(Math.log2(value) * 8);
    return { left: bound(index - 1), right: bound(index), count: 1 };
  });
  return addUp([
    { count: values.length, sum: values.reduce((sum, value) => sum + value, 0), buckets: [] },
    ...buckets.map((bucket) => ({ count: 1, sum: 0, buckets: [bucket] })),
  ]);
}

/** The same numbers in every run: a generator of Park and Miller. */
function random() {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** @type {Record<string, (draw: () => number) => number>} milliseconds */
const DISTRIBUTIONS = {
  constant: () => 5,
  uniform: (draw) => 1 + 99 * draw(),
  bimodal: (draw) => (draw() < 0.9 ? 2 + draw() : 400 + 50 * draw()),
  'heavy tail': (draw) => 3 / (1 - draw()) ** 0.8,
};

const RANKS = { 'p(50)': 0.5, 'p(75)': 0.75, 'p(90)': 0.9, 'p(95)': 0.95, 'p(99)': 0.99, 'p(99.9)': 0.999 };

for (const [name, distribution] of Object.entries(DISTRIBUTIONS)) {
  test(`${name}: count and mean exact, percentiles within a bucket's width of the nearest rank's value`, () => {
    const draw = random();
    const values = Array.from({ length: 3000 }, () => distribution(draw)).sort((a, b) => a - b);
    const found = trendValues(histogram(values));
    assert.equal(found.count, 3000);
    const mean = values.reduce((sum, value) => sum + value, 0) / 3000;
    assert.ok(Math.abs((found.avg ?? 0) / mean - 1) < 1e-9);
    for (const [percentile, share] of Object.entries(RANKS)) {
      const real = values[Math.round(share * 3000) - 1] ?? 0;
      const ratio = (found[percentile] ?? 0) / real;
      assert.ok(ratio > 1 / bound(1) && ratio < bound(1), `${percentile}: ${found[percentile]}, not ${real}`);
    }
    const [min = 0, max = 0] = [values[0], values.at(-1)];
    assert.ok((found.min ?? 0) <= min && (found.min ?? 0) > min / bound(1.001));
    assert.ok((found.max ?? 0) >= max && (found.max ?? 0) < max * bound(1.001));
  });
}

test('a limit that is known to be missed by so many is exact: p99 is below it with 1 % at most, and not with one more', () => {
  const draw = random();
  for (let round = 0; round < 200; round += 1) {
    const size = 100 + Math.floor(2000 * draw());
    const limit = 20 + 60 * draw();
    const values = Array.from({ length: size }, () => 1 + 99 * draw() ** 3);
    const slow = values.filter((value) => value >= limit).length;
    const whole = histogram(values);
    const { least, most } = countFrom(whole, limit);
    assert.ok(least <= slow && slow <= most);
    const found = trendValues(splitAt(whole, limit, slow));
    for (const [percentile, share] of Object.entries(RANKS)) {
      const allowed = Math.floor(size * (1 - share) + 1e-9);
      assert.equal(
        (found[percentile] ?? 0) < limit,
        slow <= allowed,
        `${percentile} of ${size}, ${slow} slow`,
      );
    }
    assert.equal(found.count, size);
  }
});

test('a limit on a bound, and beyond every value', () => {
  const values = histogram([7.9, 8, 8.1]);
  assert.deepEqual(countFrom(values, 8), { least: 1, most: 3 });
  assert.equal(countFrom(splitAt(values, 8, 2), 8).least, 2);
  assert.deepEqual(countFrom(values, 1000), { least: 0, most: 0 });
  assert.deepEqual(splitAt(values, 1000, 0), values);
});

test('two limits in one bucket', () => {
  const values = histogram([8.1, 8.3, 8.5, 8.7]);
  assert.equal(values.buckets.length, 1);
  const cut = splitAt(splitAt(values, 8.2, 3), 8.6, 1);
  assert.deepEqual(
    cut.buckets.map(({ count }) => count),
    [1, 2, 1],
  );
});

test('series add up bucket by bucket; without a value there is no figure', () => {
  const both = addUp([histogram([1.5, 3]), histogram([1.5, 40])]);
  assert.equal(both.count, 4);
  assert.equal(both.sum, 46);
  assert.deepEqual(
    both.buckets.map(({ count }) => count),
    [2, 1, 1],
  );
  assert.deepEqual(trendValues(addUp([])), { count: 0 });
});

test('a percentile is off by the width of a bucket at most', () => {
  assert.equal(relativeError(histogram([1.5, 40])), bound(1) - 1);
  assert.equal(relativeError(addUp([])), 0);
});

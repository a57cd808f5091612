import assert from 'node:assert/strict';
import { test } from 'node:test';
import { floors, neighbours, openLoop, quantile, ratio, slope, spread } from '../../../bench/figures.js';

test('a quantile is interpolated between the two nearest ranks', () => {
  assert.equal(quantile([3, 1, 2], 0.5), 2);
  assert.equal(quantile([10, 20], 0.5), 15);
  assert.equal(quantile([1, 2, 3, 4, 5], 0.9), 4.6);
  assert.equal(quantile([7], 0.99), 7);
  assert.deepEqual(neighbours([10, 40, 20, 30], 0.5), [20, 30]);
  assert.deepEqual(neighbours([10, 30, 20], 0.5), [20, 20]);
});

test('figures are sorted as numbers', () => {
  assert.deepEqual(spread([100, 9, 20]), { median: 20, min: 9, max: 100 });
});

test('a ratio is taken round by round', () => {
  // The second round was on a machine half as fast: the ratio of the medians would be 1.67.
  assert.deepEqual(ratio([10, 20, 12], [10, 20, 6]), { median: 1, min: 1, max: 2 });
});

test('the slope is that of the line with the least squares', () => {
  const line = [0, 1, 2, 3].map((x) => ({ x, y: 5 + 3 * x }));
  assert.equal(slope(line), 3);
  assert.equal(
    slope([
      { x: 0, y: 0 },
      { x: 1, y: 2 },
      { x: 2, y: 1 },
    ]),
    0.5,
  );
});

test('of each part the lowest is left: what goes up and down does not tilt the line', () => {
  const saw = Array.from({ length: 100 }, (_, x) => ({ x, y: 100 + 2 * x + (x % 10) * 50 }));
  assert.deepEqual(
    floors(saw, 5).map(({ x }) => x),
    [0, 20, 40, 60, 80],
  );
  assert.equal(slope(floors(saw, 5)), 2);
});

test('an open loop shows a stall to everyone who was there meanwhile', () => {
  const latencies = openLoop({ rate: 100, seconds: 10, afterMs: 4000, freezeMs: 2000, serviceMs: 20 });
  assert.equal(latencies.length, 1000);
  // Sent at 3.98 s: done when the server stops. At 3.99 s: being served. At 4 s: waits, and is served afterwards.
  assert.deepEqual(latencies.slice(398, 401), [20, 2010, 2020]);
  assert.deepEqual(latencies.slice(599, 601), [30, 20]);
  assert.equal(latencies.filter((ms) => ms > 1000).length, 103);
});

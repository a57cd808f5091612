import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  fullestIn,
  levelIn,
  phaseWindow,
  samplesIn,
  staysFrom,
  steadyPoints,
  timeOf,
  usualIn,
  windowOf,
} from '../../../../analysis/bottleneck/windows.ts';

/** Points 0 to 49, at 1000 s to 1098 s. */
const TIMELINE = /** @type {import('../../../../analysis/collect/timeline.ts').Timeline} */ ({
  start_s: 1000,
  step_s: 2,
  count: 50,
});

/** @param {(number | null)[]} values */
const series = (...values) => ({ unit: 'count', values });

/** Of a series all points. */
const ALL = { first: 0, last: 99 };

/** @param {number} second Unix time */
const isoOf = (second) => new Date(second * 1000).toISOString();

test('a window is the points at and between two times, of those that there are', () => {
  assert.deepEqual(windowOf(TIMELINE, 1004, 1008), { first: 2, last: 4 });
  assert.deepEqual(windowOf(TIMELINE, 1003, 1009), { first: 2, last: 4 });
  assert.deepEqual(windowOf(TIMELINE, 900, 2000), { first: 0, last: 49 });
  assert.deepEqual(windowOf(TIMELINE, 1005, 1005.5), { first: 3, last: 2 });
  assert.equal(timeOf(TIMELINE, 3), 1006);
});

test('the points of a phase end 2 s after it; the steady ones begin 8 s into it and end with it', () => {
  const phase = { start: isoOf(1010), end: isoOf(1040) };
  assert.deepEqual(phaseWindow(phase, TIMELINE), { first: 5, last: 21 });
  assert.deepEqual(steadyPoints(TIMELINE, phase), { first: 9, last: 20 });
});

test('samples of a window: those at both of its ends, and none that is missing', () => {
  assert.deepEqual(samplesIn(series(1, 2, null, 4, 5), { first: 1, last: 3 }), [2, 4]);
  assert.deepEqual(samplesIn(null, ALL), []);
});

test('a level is a median of two points or more; of exactly two the fullest is the larger', () => {
  assert.equal(levelIn(series(7), ALL), null);
  assert.equal(levelIn(series(2, 8), ALL), 5);
  assert.equal(levelIn(series(2, 8, 3), ALL), 3);
  assert.equal(fullestIn(series(7), ALL), null);
  assert.equal(fullestIn(series(2, 8), ALL), 8);
  assert.equal(fullestIn(series(2, 8, 3), ALL), 3);
});

test('what nine of ten points kept to', () => {
  const downTo1 = (/** @type {number} */ count) =>
    series(...Array.from({ length: count }, (_, index) => count - index));
  assert.equal(usualIn(downTo1(10), ALL), 9);
  // 9.9 of 11, and 17.1 of 19: the next one.
  assert.equal(usualIn(downTo1(11), ALL), 10);
  assert.equal(usualIn(downTo1(19), ALL), 18);
  assert.equal(usualIn(null, ALL), null);
});

test('what has begun goes on for 70 % of the points that follow, two at least, and begins beyond the limit', () => {
  const from = (/** @type {(number | null)[]} */ values, window = { first: 0, last: values.length - 1 }) =>
    staysFrom(series(...values), window, (value) => value > 5);
  // 7 of the 10 from the second on.
  assert.equal(from([0, 9, 9, 9, 9, 9, 9, 0, 0, 0, 9]), 1);
  // 6 of 10, 5 of 9, 4 of 8, 3 of 7, 2 of 6, 1 of 5; the last two are 1 of 2.
  assert.equal(from([0, 9, 9, 9, 9, 9, 0, 0, 0, 0, 9]), null);
  // The last point alone says nothing.
  assert.equal(from([0, 0, 9]), null);
  assert.equal(from([0, 9, 9]), 1);
  // A point without a sample is none of them.
  assert.equal(from([0, 9, null, 9, null, 9, 9]), 1);
  // Points of the timeline, of the window alone.
  assert.equal(from([9, 0, 9, 9, 0, 0, 0], { first: 1, last: 3 }), 2);
  assert.equal(from([9, 9], { first: 1, last: 0 }), null);
});

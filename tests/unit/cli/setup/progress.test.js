import assert from 'node:assert/strict';
import { test } from 'node:test';
import { progressLine } from '../../../../cli/setup/progress.ts';

/** @param {string} title @param {import('../../../../cli/setup/part.ts').Lane} lane @param {number} seconds */
const part = (title, lane, seconds) => ({ title, lane, seconds, make: async () => {} });
const K6 = part('k6', 'build', 124);
const EXPORTER = part('exporter', 'build', 8);
const REDIS = part('redis-server', 'packages', 12);
const PARTS = [K6, EXPORTER, REDIS];

/** @param {any[][]} states part, seconds since its start, whether it is there */
const line = (states) => {
  const now = 1_000_000;
  const state = new Map(states.map(([one, s, isDone]) => [one, { startedMs: now - 1000 * s, isDone }]));
  return progressLine(PARTS, state, now);
};

test('what is being made, how much of it is there, and how long the longest lane still takes', () => {
  const begins = [
    [K6, 0, false],
    [REDIS, 0, false],
  ];
  assert.equal(line(begins), 'set-up, once: k6, redis-server (0 of 3 done), about 2 min left');
  const goesOn = [
    [K6, 84, false],
    [REDIS, 84, true],
  ];
  assert.equal(line(goesOn), 'set-up, once: k6 (1 of 3 done), about 50 s left');
});

test('a machine slower than the measured one is not told the same few seconds again and again', () => {
  /** @param {number} s */
  const late = (s) => [
    [K6, s, false],
    [REDIS, s, true],
  ];
  assert.equal(line(late(160)), 'set-up, once: k6 (1 of 3 done), about 50 s left');
  assert.equal(line(late(400)), 'set-up, once: k6 (1 of 3 done), about 2 min left');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { progressLine, shortClock } from '../../../cli/run/progress.ts';
import { UNDER_LOAD } from '../../under-load.js';

const phase = { measured: true, duration_s: 20, offered_rps: 200 };
const PHASES = [
  { ...phase, name: 'warm-up', measured: false, start_s: 0, duration_s: 10 },
  { ...phase, name: 'spike', start_s: 10 },
  { ...phase, name: 'loop', start_s: 30, offered_rps: null },
];
const planOf = (/** @type {any[]} */ phases, more = {}) => /** @type {any} */ ({ phases, ...more });
const PLAN = planOf(PHASES);
const NOTHING = {
  achieved: null,
  p99S: null,
  failed: null,
  used: null,
  calls: new Map(),
  iterations: new Map(),
  made: new Map(),
};
const FIGURES = { ...NOTHING, achieved: 196.4, p99S: 1.946, failed: 0.494 };

test('the phase, what is left of it, and its figures as far as there are some', () => {
  for (const [elapsedS, figures, expected] of /** @type {[number, any, string][]} */ ([
    [3.2, FIGURES, '0:03 of 0:50  7 s left in warm-up'],
    [10, NOTHING, '0:10 of 0:50  20 s left in spike'],
    [22, FIGURES, '0:22 of 0:50  8 s left in spike, 196 of 200 requests/s, p99 1,946 ms, 49.4 % failed'],
    [
      31,
      { ...FIGURES, failed: 0, used: { signal: 'pool_utilization', share: 1 } },
      '0:31 of 0:50  19 s left in loop, 196 requests/s, p99 1,946 ms, 0 % failed, pool utilization 100 %',
    ],
    [40, { ...NOTHING, achieved: 0 }, '0:40 of 0:50  10 s left in loop, 0 requests/s'],
    [52, NOTHING, '0:52 of 0:50  0 s left in loop'],
  ])) {
    assert.equal(progressLine(PLAN, elapsedS, figures), expected);
    assert.match(expected, UNDER_LOAD);
  }
});

test('a phase that makes a number of calls has no planned length, only a maximum', () => {
  const calls = { ...phase, name: 'load', start_s: 3, duration_s: 1800, offered_rps: null, iterations: 400 };
  const plan = planOf([{ ...PHASES[0], duration_s: 3 }, calls]);
  const figures = { ...FIGURES, iterations: new Map([['load', 120]]) };
  const line = progressLine(plan, 5, figures);
  assert.equal(line, '0:05  load: 120 of 400 calls, 196 requests/s, p99 1,946 ms, 49.4 % failed');
  assert.match(line, UNDER_LOAD);
  assert.equal(progressLine(plan, 2, figures), '0:02  1 s left in warm-up');
});

test('of a sequence the step that it is at', () => {
  const steps = planOf(
    [PHASES[0], ...['fill', 'list'].map((name) => ({ ...phase, name, start_s: 0, iterations: 1000 }))],
    {
      sequence: true,
    },
  );
  const at = (/** @type {Record<string, number>} */ calls, /** @type {Record<string, number>} */ made) =>
    progressLine(steps, 61, {
      ...NOTHING,
      calls: new Map(Object.entries(calls)),
      made: new Map(Object.entries(made)),
    });
  assert.equal(at({}, {}), '1:01  step 1 of 2: fill, 0 of 1,000 calls');
  assert.equal(at({ fill: 1000, list: 7 }, { fill: 1000 }), '1:01  step 2 of 2: list, 7 of 1,000 calls');
  assert.equal(at({}, { fill: 1000, list: 1000 }), '1:01  all steps are done');
});

test('of one of several k6 runs what it has, without a plan', () => {
  assert.equal(progressLine(null, 4, FIGURES), '0:04  196 requests/s, p99 1,946 ms, 49.4 % failed');
  assert.equal(progressLine(null, 4, NOTHING), '');
  assert.equal(progressLine(null, 2, { ...NOTHING, achieved: 0 }), '', 'the warm-up of a trial');
});

test('a clock', () => {
  for (const [seconds, text] of /** @type {const} */ ([
    [-1, '0:00'],
    [59.9, '0:59'],
    [727, '12:07'],
    [3727, '1:02:07'],
    [90_061, '25:01:01'],
  ]))
    assert.equal(shortClock(seconds), text);
});

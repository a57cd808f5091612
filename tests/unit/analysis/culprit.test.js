import assert from 'node:assert/strict';
import { test } from 'node:test';
import { culpritOf } from '../../../analysis/judge/culprit.ts';
import { histogramOf } from './build.js';

/** @param {Record<string, [ms: number, requests: number, failed?: number]>} calls by operation, all in one phase */
const factsOf = (calls) => ({
  plan: { operations: Object.keys(calls).map((operation) => ({ operation, method: '', class: 'read' })) },
  groups: Object.entries(calls).map(([operation, [ms, requests, failed = 0]]) => ({
    ...{ phase: 'baseline', operation, requests, failed, duration: histogramOf(ms, requests) },
  })),
});
const P99 = {
  scope: { phase: 'baseline' },
  metric: 'p99_ms',
  op: '<',
  limit: 85,
  relative_to: null,
  observed: 197,
};
const FAILURES = { ...P99, metric: 'failure_rate', limit: 0.001, observed: 0.06 };

/** @type {{name: string, missed: any, calls: Parameters<typeof factsOf>[0], expected: string | undefined}[]} */
const CASES = [
  {
    name: 'the operation without which the limit would have held',
    missed: P99,
    calls: { get_user: [15, 900], generate_report: [190, 95], fetch_weather: [600, 5] },
    expected: 'generate_report',
  },
  {
    name: 'a slow operation of less than 1 % of the calls',
    missed: P99,
    calls: { get_user: [90, 900], fetch_weather: [600, 5] },
    expected: undefined,
  },
  {
    name: 'a slow operation of less than 5 % of the calls, and a p95',
    missed: { ...P99, metric: 'p95_ms' },
    calls: { get_user: [15, 960], generate_report: [190, 40] },
    expected: undefined,
  },
  {
    name: 'two operations of which each alone misses the limit',
    missed: P99,
    calls: { get_user: [15, 800], search_users: [120, 100], generate_report: [190, 100] },
    expected: undefined,
  },
  {
    name: 'the operation with most of the failures',
    missed: FAILURES,
    calls: { get_user: [15, 900, 4], update_user: [15, 500, 31] },
    expected: 'update_user',
  },
  {
    name: 'failures that are spread over all operations',
    missed: FAILURES,
    calls: { get_user: [15, 500, 10], update_user: [15, 500, 9], search_users: [15, 500, 9] },
    expected: undefined,
  },
  {
    name: 'an objective of one operation',
    missed: { ...P99, scope: { operation: 'generate_report' } },
    calls: { get_user: [15, 900], generate_report: [190, 95] },
    expected: undefined,
  },
];

for (const { name, missed, calls, expected } of CASES)
  test(`culprit: ${name}`, () => assert.equal(culpritOf(missed, factsOf(calls))?.operation, expected));

test('culprit: its figures are those of the scope', () => {
  const found = culpritOf(P99, factsOf({ get_user: [15, 900], generate_report: [190, 100, 3] }));
  assert.deepEqual(
    { ...found, p50_ms: Math.round(found?.p50_ms ?? 0), p95_ms: Math.round(found?.p95_ms ?? 0) },
    { operation: 'generate_report', requests: 100, failed: 3, share: 0.1, p50_ms: 190, p95_ms: 190 },
  );
});

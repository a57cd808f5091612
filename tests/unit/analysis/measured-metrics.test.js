import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MeasuredMetrics } from '../../../analysis/measured-metrics.ts';

/** 1 ms, as a bucket in base 36. */
const MS = (1023 * 512).toString(36);

/** @param {any[]} groups @param {any} [more] @returns {any} */
const measuredOf = (groups, more = {}) => ({ vusMax: 5, thresholds: [], groups, ...more });

const GROUPS = [
  {
    ...{ phase: 'load', operation: 'get', class: 'read', requests: 10, failed: 2, failures: { timeout: 2 } },
    ...{ failedAt: { timeout: [12_000, 15_500] }, slow: { 85: { trues: 3, total: 8 } }, duration: `${MS}*8` },
    metrics: { wait: { values: `${MS}*2` }, items: { sum: 7 }, depth: { range: [2, 9] } },
  },
  {
    ...{ phase: 'load', operation: 'put', class: 'write', requests: 5, slow: { 85: { trues: 1, total: 5 } } },
    duration: `${MS}*5`,
  },
  { phase: 'load', operation: '', iterations: 15, dropped: 4, bytesSent: 100 },
  { phase: 'later', operation: 'get', class: 'read', requests: 1, failures: { connect: 1 }, failed: 1 },
  { phase: '', operation: '', metrics: { mcp_started_seconds: { range: [10, 10] } } },
];

test('by phase, by operation and as a whole', () => {
  const metrics = new MeasuredMetrics([measuredOf(GROUPS)]);
  assert.deepEqual(metrics.failed({}), { failed: 3, total: 16 });
  assert.deepEqual(metrics.failed({ phase: 'load', operation: 'get' }), { failed: 2, total: 10 });
  assert.equal(metrics.count('mcp_requests', { class: 'read' }), 11);
  assert.equal(metrics.count('iterations', { phase: 'load' }), 15);
  assert.equal(metrics.count('dropped_iterations', { scenario: 'load' }), 4);
  assert.equal(metrics.count('data_sent', { phase: 'load' }), 100);
  assert.equal(metrics.count('items', { operation: 'get' }), 7);
  assert.equal(metrics.count('wait'), 2);
  assert.equal(metrics.count('nope'), 0);
  assert.deepEqual(metrics.failures({}), { connect: 1, timeout: 2 });
  assert.deepEqual(metrics.gauge('depth', { phase: 'load' }), { min: 2, max: 9 });
  assert.deepEqual(metrics.gauge('depth', { phase: 'later' }), { min: 0, max: 0 });
  assert.equal(metrics.gauge('vus_max').max, 5);
  // Seconds after the phases' zero.
  assert.deepEqual(metrics.gauge('mcp_failure_seconds', { kind: 'timeout' }), { min: 2, max: 5.5 });
});

test('calls that took a limit or longer; null where nobody counted them', () => {
  const metrics = new MeasuredMetrics([measuredOf(GROUPS)]);
  assert.equal(metrics.slow({ phase: 'load' }, 85), 4);
  assert.equal(metrics.slow({ phase: 'load', operation: 'put' }, 85), 1);
  assert.equal(metrics.slow({ phase: 'load' }, 100), null);
  assert.equal(metrics.slow({ phase: 'later' }, 85), null);
  const more = [{ phase: 'load', operation: 'post', class: 'write', requests: 1, duration: MS }];
  const some = new MeasuredMetrics([measuredOf([...GROUPS, ...more])]);
  assert.equal(some.slow({ phase: 'load' }, 85), null, 'one call was not looked at');
});

test('latency, and none where nothing was answered', () => {
  const metrics = new MeasuredMetrics([measuredOf(GROUPS)]);
  const middle = 1 + 1 / 1024;
  const { count, latency } = metrics.latency({ phase: 'load' });
  assert.equal(count, 13);
  assert.deepEqual(
    [latency?.min, latency?.avg, latency?.p99, latency?.max],
    [middle, middle, middle, middle],
  );
  assert.deepEqual(metrics.latency({ phase: 'later' }), { count: 0, latency: null });
});

test('thresholds as k6 has them: sorted, without figures where there were no samples', () => {
  const one = { passed: true, hasSamples: true };
  const thresholds = [
    { ...one, metric: 'mcp_slow', threshold: 'rate<0.1', share: { trues: 1, total: 4 } },
    { ...one, metric: 'items', threshold: 'count>3', value: 7, passed: false },
    { ...one, metric: 'never', threshold: 'rate<0.1', share: { trues: 0, total: 0 }, hasSamples: false },
  ];
  const metrics = new MeasuredMetrics([measuredOf([], { thresholds })]);
  assert.deepEqual(metrics.thresholds(), [
    { metric: 'items', expression: 'count>3', ok: false, doubt: null, values: { count: 7, value: 7 } },
    {
      ...{ metric: 'mcp_slow', expression: 'rate<0.1', ok: true, doubt: null },
      values: { rate: 0.25, passes: 1, fails: 3 },
    },
    {
      ...{ metric: 'never', expression: 'rate<0.1', ok: null, doubt: 'no samples' },
      values: { rate: 0, passes: 0, fails: 0 },
    },
  ]);
});

test('of several runs the sum', () => {
  const all = new MeasuredMetrics([measuredOf(GROUPS), measuredOf(GROUPS)]);
  assert.deepEqual(all.failed({}), { failed: 6, total: 32 });
  assert.equal(all.latency({}).count, 26);
});

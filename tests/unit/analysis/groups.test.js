import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  counterOf,
  failedAt,
  failuresOf,
  gaugeOf,
  inScope,
  latenciesOf,
  slowOf,
  total,
  trendOf,
} from '../../../analysis/collect/groups.ts';

/** 1 ms, as a bucket in base 36. */
const MS = (1023 * 512).toString(36);

/** @type {import('../../../analysis/collect/groups.ts').Group[]} */
const GROUPS = [
  {
    ...{ phase: 'load', operation: 'get', class: 'read', requests: 10, failed: 2, failures: { timeout: 2 } },
    ...{ failedAt: { timeout: [12_000, 15_500] }, slow: { 85: { trues: 3, total: 8 } } },
    ...{ durations: { ok: `${MS}*8` }, firstEvent: `${MS}*3` },
    metrics: { wait: { values: `${MS}*2` }, items: { sum: 7 }, depth: { range: [2, 9] } },
  },
  {
    ...{ phase: 'load', operation: 'put', class: 'write', requests: 5, slow: { 85: { trues: 1, total: 5 } } },
    // As measured/1 has them.
    duration: `${MS}*5`,
  },
  { phase: 'load', operation: '', iterations: 15, dropped: 4, bytesSent: 100 },
  {
    ...{ phase: 'later', operation: 'get', class: 'read', requests: 1, failed: 1 },
    ...{ failures: { connect: 1, timeout: 0 }, failedAt: { timeout: [11_000, 11_000] } },
    metrics: { depth: { range: [5, 12] } },
  },
];
const LOAD = inScope(GROUPS, { phase: 'load' });
const LATER = inScope(GROUPS, { phase: 'later' });

test('by phase, by operation, by class and as a whole', () => {
  const of = (/** @type {import('../../../analysis/collect/groups.ts').Scope} */ scope) =>
    total(inScope(GROUPS, scope), 'requests');
  assert.deepEqual(
    [{}, { phase: 'load' }, { phase: 'load', operation: 'get' }, { class: 'read' }, { phase: 'x' }].map(of),
    [16, 15, 10, 11, 0],
  );
  assert.deepEqual(
    [total(LOAD, 'iterations'), total(LOAD, 'dropped'), total(LOAD, 'bytesSent')],
    [15, 4, 100],
  );
  assert.deepEqual([counterOf(GROUPS, 'items'), counterOf(LATER, 'items')], [7, 0]);
  assert.deepEqual(gaugeOf(GROUPS, 'depth'), [2, 12]);
  assert.equal(gaugeOf(inScope(GROUPS, { operation: 'put' }), 'depth'), null);
  assert.deepEqual([trendOf(GROUPS, 'wait').count, trendOf(GROUPS, 'nope').count], [2, 0]);
});

test('failures that happened, by kind, in a fixed order, and when', () => {
  assert.deepEqual(Object.entries(failuresOf(GROUPS)), [
    ['connect', 1],
    ['timeout', 2],
  ]);
  assert.deepEqual(failuresOf(LATER), { connect: 1 });
  assert.deepEqual(failedAt(GROUPS, 'timeout'), [11_000, 15_500]);
  assert.equal(failedAt(GROUPS, 'connect'), null);
});

test('calls that took a limit or longer; null if not all of them were looked at', () => {
  assert.equal(slowOf(LOAD, 85), 4);
  assert.equal(slowOf(inScope(LOAD, { operation: 'put' }), 85), 1);
  assert.equal(slowOf(LOAD, 100), null);
  assert.equal(slowOf(LATER, 85), null);
  const more = { phase: 'load', operation: 'post', requests: 1, durations: { ok: MS } };
  assert.equal(slowOf([...LOAD, more], 85), null, 'one call was not looked at');
});

test('latencies, and none if nothing was answered', () => {
  const middle = 1 + 1 / 1024;
  const { all, latency } = latenciesOf(LOAD);
  assert.equal(all.count, 13);
  assert.deepEqual(
    [latency?.min, latency?.avg, latency?.p99, latency?.max],
    [middle, middle, middle, middle],
  );
  assert.equal(latenciesOf(LATER).latency, null);
});

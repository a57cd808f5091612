/** The failure rate is a share of calls: successful handshakes must not hide failed calls. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attemptsOf, failureRateOf } from '../../../analysis/collect/groups.ts';
import { Within } from '../../../analysis/collect/seconds.ts';
import { absoluteFigure } from '../../../analysis/judge/figure.ts';

const own = { phase: 'load', operation: 'echo', class: 'read' };
const groups = /** @type {any[]} */ ([
  { ...own, requests: 100, failed: 2 },
  { ...own, operation: 'initialize', class: 'protocol', requests: 100, protocol: 100 },
]);

test('of 100 calls 2 failed, next to 100 handshakes: 2 %', () => {
  assert.deepEqual([attemptsOf(groups), failureRateOf(groups)], [100, 0.02]);
  const objective = { scope: { phase: 'load' }, metric: 'failure_rate', limit: 0.01 };
  const { value, samples } = absoluteFigure(objective, /** @type {any} */ ({ groups }));
  assert.deepEqual([value, samples], [0.02, 100]);
});

test('the same in the seconds', () => {
  const sums = new Within();
  sums.add({ at: 0, groups: { 0: groups[0], 1: groups[1] } }, () => undefined);
  assert.deepEqual([sums.requests, sums.attempts, sums.failureRate], [200, 100, 0.02]);
  assert.equal(new Within().failureRate, null);
});

test('a handshake that failed counts, and the runs recorded before this count all requests', () => {
  const failed = { ...own, class: 'protocol', requests: 1, failed: 1 };
  assert.equal(failureRateOf(/** @type {any[]} */ ([...groups, failed])), 0.029703);
  assert.equal(failureRateOf(/** @type {any[]} */ ([{ ...own, requests: 200, failed: 2 }])), 0.01);
});

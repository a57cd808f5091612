import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSameLoad, scaledTitle } from '../../../lib/plan.js';

test('a title says where its rates are not those that are offered', () => {
  /** @param {number | null} offered_rps @returns {any} */
  const phases = (offered_rps) => [{ offered_rps }];
  assert.equal(scaledTitle('100 requests/s', phases(100), 1), '100 requests/s');
  assert.equal(scaledTitle('100 requests/s', phases(10), 0.1), '100 requests/s; at 0.1 x these rates');
  assert.equal(scaledTitle('100 requests/s', phases(6), 0.2 * 0.3), '100 requests/s; at 0.06 x these rates');
  assert.equal(scaledTitle('200 users', phases(null), 0.2), '200 users', 'users have no rate');
});

test('two profiles of a test that makes a number of calls send the same load', () => {
  const closed = { measured: true, offered_rps: null, vus: 5, iterations: 400, duration_s: 60 };
  const warmUp = { ...closed, measured: false, iterations: null, duration_s: 1 };
  const same = (/** @type {any[]} */ a, /** @type {any[]} */ b) => isSameLoad(a, b);
  assert.ok(
    same(
      [warmUp, closed],
      [
        { ...warmUp, duration_s: 10 },
        { ...closed, duration_s: 1800 },
      ],
    ),
  );
  assert.ok(!same([closed], [{ ...closed, iterations: 1000 }]));
  assert.ok(!same([closed], [{ ...closed, vus: 10 }]));
  const open = { ...closed, iterations: null, vus: null, offered_rps: 10 };
  assert.ok(!same([open], [{ ...open, duration_s: 1800 }]));
  assert.ok(!same([closed, open], [closed, { ...open, duration_s: 1800 }]));
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scaledTitle } from '../../../lib/plan.js';

test('a title says where its rates are not those that are offered', () => {
  /** @param {number | null} offered_rps @returns {any} */
  const phases = (offered_rps) => [{ offered_rps }];
  assert.equal(scaledTitle('100 requests/s', phases(100), 1), '100 requests/s');
  assert.equal(scaledTitle('100 requests/s', phases(10), 0.1), '100 requests/s; at 0.1 x these rates');
  assert.equal(scaledTitle('100 requests/s', phases(6), 0.2 * 0.3), '100 requests/s; at 0.06 x these rates');
  assert.equal(scaledTitle('200 users', phases(null), 0.2), '200 users', 'users have no rate');
});

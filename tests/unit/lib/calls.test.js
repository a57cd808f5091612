import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withCalls } from '../../../lib/calls.js';

const NONE = { REQUESTS: null, CONCURRENCY: null };
/** @type {import('../../../lib/phases.js').Phase[]} */
const LOAD = [
  { name: 'steady', rate: 10, duration: '10s' },
  { name: 'load', vus: 100, iterations: 5000, duration: '10m' },
];

test('unset, they change nothing', () => {
  assert.equal(withCalls('load', LOAD, NONE), LOAD);
});

test('they replace the calls and the users of the phase that has a loop, and no others', () => {
  const [steady, load] = withCalls('load', LOAD, { REQUESTS: 200, CONCURRENCY: 20 });
  assert.equal(steady, LOAD[0]);
  assert.deepEqual(load, { name: 'load', vus: 20, iterations: 200, duration: '10m' });
  assert.equal(withCalls('load', LOAD, { ...NONE, CONCURRENCY: 7 })[1]?.vus, 7);
  const timed = withCalls('x', [{ name: 'a', vus: 2, duration: '5s' }], { ...NONE, CONCURRENCY: 3 });
  assert.deepEqual(timed, [{ name: 'a', vus: 3, duration: '5s' }]);
});

test('a test that compares numbers of users, or has none, says so', () => {
  const two = [...LOAD, { name: 'more', vus: 200, duration: '10s' }];
  assert.throws(
    () => withCalls('baseline', two, { ...NONE, REQUESTS: 5 }),
    /REQUESTS needs a test with exactly one closed phase, such as load; baseline has 2$/,
  );
  assert.throws(
    () => withCalls('spike', LOAD.slice(0, 1), { ...NONE, CONCURRENCY: 5 }),
    /CONCURRENCY needs a test with exactly one closed phase, such as load; spike has none$/,
  );
});

test('fewer calls than users', () => {
  assert.throws(
    () => withCalls('load', LOAD, { ...NONE, REQUESTS: 50 }),
    /REQUESTS is 50, fewer than CONCURRENCY=100/,
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from '../../../contract/config-error.js';
import { seededRandom } from '../../../contract/seeded-random.js';
import { checkedValues, neededSettings, SETTINGS } from '../../../scenarios/sweep/settings.ts';

test('the target takes every default value of every setting', () => {
  for (const [setting, values] of Object.entries(SETTINGS))
    assert.deepEqual(checkedValues(setting, []), values);
});

/** @type {[setting: string, values: string[], message: RegExp][]} */
const WRONG = [
  ['WORKERS', ['1', 'two'], /^VALUES has "two" for WORKERS; valid: a whole number from 1 to 64$/],
  [
    'CACHE_STRATEGY',
    ['none', 'all'],
    /^VALUES has "all" for CACHE_STRATEGY; valid: one of none, read-through/,
  ],
  ['COMPRESSION', ['gzip'], /^VALUES is "gzip"; valid: two or more different values of COMPRESSION/],
  ['THREADS', ['1', '2'], /^SETTING is "THREADS"; valid: WORKERS, POOL_SIZE/],
  ['toString', ['1', '2'], /^SETTING is "toString"; valid: /],
  ['WORKERS', ['1', '1'], /two or more different/],
  ['WORKERS', ['1', '2', '2'], /two or more different/],
];
for (const [setting, values, message] of WRONG) {
  test(`${setting} can't be swept over ${values.join(' ')}`, () => {
    assert.throws(
      () => checkedValues(setting, values),
      (error) => error instanceof ConfigError && message.test(error.message),
    );
  });
}

test('a seed has its own numbers, the same each time, evenly from 0 to 1', () => {
  const some = (/** @type {number} */ seed) => Array.from({ length: 1000 }, seededRandom(seed));
  assert.deepEqual(some(1), some(1));
  assert.notDeepEqual(some(1), some(2));
  const mean = some(1).reduce((sum, value) => sum + value, 0) / 1000;
  assert.ok(Math.abs(mean - 0.5) < 0.03);
  assert.ok(some(3).every((value) => value >= 0 && value < 1));
});

test('the database has connections for the most workers, and for the largest pool, or it is said', () => {
  assert.deepEqual(neededSettings('WORKERS', ['1', '2', '4'], {}), { POOL_SIZE: '24' });
  assert.deepEqual(neededSettings('WORKERS', ['4'], { POOL_SIZE: 'default' }), { POOL_SIZE: '24' });
  assert.deepEqual(neededSettings('WORKERS', ['1', '2'], {}), {});
  assert.deepEqual(neededSettings('WORKERS', ['1', '8'], { POOL_SIZE: '10' }), {});
  for (const [setting, values] of Object.entries(SETTINGS)) neededSettings(setting, values, {});
  assert.deepEqual(neededSettings('POOL_SIZE', ['50', '90'], { WORKERS: '1' }), {});
  assert.throws(
    () => neededSettings('POOL_SIZE', ['5', '50'], {}),
    (error) => error instanceof ConfigError && /at most 48 with WORKERS=2/.test(error.message),
  );
});

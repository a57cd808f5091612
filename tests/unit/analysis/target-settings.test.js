import assert from 'node:assert/strict';
import { test } from 'node:test';
import { targetSettings } from '../../../analysis/collect/target-settings.ts';

test('every setting has the value that it was given, or its default', () => {
  const { WORKERS, CACHE_TTL, COMPRESSION, ...rest } = targetSettings('WORKERS=4 CACHE_TTL=60');
  assert.deepEqual([WORKERS, CACHE_TTL, COMPRESSION], ['4', '60', 'none']);
  assert.ok('CONTENT' in rest && 'POOL_SIZE' in rest);
  assert.ok(!('TARGET_TOKEN' in rest) && !('HOST' in rest), 'what is no setting is not told');
  assert.equal(targetSettings('').WORKERS, '2');
});

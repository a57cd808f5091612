/** exporter/, tested by Go's own tests. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { command } from '../lab.js';

test('exporter/ passes its tests, and is formatted', async () => {
  const { code, output } = await command('go', ['-C', 'exporter', 'test', './...']);
  assert.equal(code, 0, output);
  assert.deepEqual(await command('gofmt', ['-l', 'exporter']).then(({ output: files }) => files), '');
});

/** The Go modules, tested by Go's own tests. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { command } from '../lab.js';

for (const folder of ['exporter', 'xk6-mcp']) {
  test(`${folder}/ passes its tests, and is formatted`, async () => {
    const { code, output } = await command('go', ['-C', folder, 'test', './...']);
    assert.equal(code, 0, output);
    const { output: unformatted } = await command('gofmt', ['-l', folder]);
    assert.equal(unformatted, '');
  });
}

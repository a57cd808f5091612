/** The module k6/x/mcp in a k6 of its own: the scripts of its page against a server by others, the race detector, generated input. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { command } from '../lab.js';
import { readPage } from '../markdown.js';
import { scratchFolder } from '../scratch.js';
import { startEverything } from '../servers/everything.js';
import { toolPath } from '../tool.js';

/** @type {Awaited<ReturnType<typeof startEverything>>} */
let server;
before(async () => {
  server = await startEverything();
});
after(() => server.stop());

const scripts = readPage('xk6-mcp/README.md').blocks.filter(({ language }) => language === 'javascript');

test('the page has six scripts of less than 20 lines', () => {
  assert.equal(scripts.length, 6);
  for (const { text } of scripts) assert.ok(text.trim().split('\n').length < 20, text);
});

for (const [index, { text }] of scripts.entries()) {
  test(`script ${index + 1} of the page passes`, async () => {
    const file = join(scratchFolder(), `script-${index}.js`);
    writeFileSync(file, text);
    const { code, output } = await command(toolPath('k6'), [
      'run',
      '--quiet',
      '--address',
      '',
      '--summary-export',
      `${file}.json`,
      file,
      '-e',
      `URL=${server.url}`,
    ]);
    assert.equal(code, 0, output);
    assert.doesNotMatch(output, /level=(error|warning)/);
    const { metrics } = JSON.parse(readFileSync(`${file}.json`, 'utf8'));
    assert.ok(metrics.mcp_request_duration.max > 0);
    assert.equal(metrics.mcp_request_failed.value, 0);
    // As many calls in each iteration.
    const calls = metrics.mcp_requests.count - (metrics.mcp_additional_requests?.count ?? 0);
    assert.ok(calls > 0 && calls % metrics.iterations.count === 0, `${calls} calls`);
  });
}

test('no data races', async () => {
  const { code, output } = await command('go', ['-C', 'xk6-mcp', 'test', '-race', '.']);
  assert.equal(code, 0, output);
});

for (const fuzz of ['FuzzEventReader', 'FuzzMessage', 'FuzzMemo']) {
  test(`generated input: ${fuzz}`, async () => {
    // A number of inputs: at the end of a time Go's fuzzer may fail by itself.
    const { code, output } = await command('go', [
      ...['-C', 'xk6-mcp', 'test', '-run', '^$', '-fuzz', `^${fuzz}$`, '-fuzztime', '50000x', '.'],
    ]);
    assert.equal(code, 0, output);
  });
}

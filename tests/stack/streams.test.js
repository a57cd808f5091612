/** `make streams` on servers that treat their streams as those of public reports do: what is wrong with them is named. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { freePort } from '../../contract/free-port.js';
import { assertMeasured, runTest } from '../lab.js';
import { ownStack } from '../own-stack.js';

await ownStack();

/** @param {string} mode and number, of tests/servers/streams.js @param {Record<string, string>} [variables] */
async function streams(mode, variables) {
  const port = await freePort();
  const result = await runTest('streams', {
    ...{ PROFILE: 'smoke', TARGET_TIMEOUT: '2s', TARGET_URL: `http://127.0.0.1:${port}/mcp` },
    SERVER_COMMAND: `exec node tests/servers/streams.js ${port} ${mode}`,
    ...variables,
  });
  assertMeasured(result);
  /** @type {any[]} */
  const found = result.document.findings;
  const own = found.filter(({ subject }) => subject === 'streams');
  return { ...result, own, text: own.map(({ statement }) => statement).join('\n') };
}

test('20 workers, each of which a held stream keeps: with 20 held no call is answered, until they are closed', async () => {
  const { text, document } = await streams('workers 20', { THRESHOLDS: 'off' });
  assert.match(
    text,
    /^with 20 streams held the server answers no calls: .*; they do again when the streams are closed$/m,
  );
  const held = document.tables.find((/** @type {any} */ { title }) => title === 'Held streams');
  assert.equal(Math.max(...held.rows.map((/** @type {any} */ row) => row[1])), 20);
});

test('refused from 50 on', async () => {
  const { text } = await streams('refuses 50');
  assert.match(text, /^with 50 streams held the server refuses more: 50 of 100 \(http_5xx, HTTP 503/m);
});

test('an idle limit of 2.5 s that withholds the headers', async () => {
  const { text } = await streams('silence 2.5');
  assert.match(text, /ends streams after 2\.5\d* s of silence: .* holds even the headers back/);
  assert.doesNotMatch(text, /never began/);
});

test('a limit of 3 s on the age of streams on which something comes', async () => {
  const { text, own } = await streams('age 3');
  assert.match(text, /ends streams 3\S* s after they began: /);
  assert.doesNotMatch(text, /it may as well be/);
  const { figures } = own.find(({ statement }) => statement.includes('after they began'));
  assert.ok(Math.abs(figures.limit_s - 3) < 0.5);
});

test('a server that keeps 400 KiB of each stream that it rejects', async () => {
  // Steps long enough for the server's own figures.
  const { text } = await streams('leaks 400', { DURATION: '65s', STREAMS: '100' });
  assert.match(text, /^the server offers no stream: all 100 were refused \(http_4xx, HTTP 405/m);
  const [, kib = ''] = /each refused stream costs the server (\d+) KiB of memory/.exec(text) ?? [];
  assert.ok(Number(kib) > 300 && Number(kib) < 600, text);
});

test('the reference target holds 100 streams, and ends none', async () => {
  const result = await runTest('streams', { PROFILE: 'smoke', THRESHOLDS: 'off' });
  assertMeasured(result);
  const { streams: record } = JSON.parse(readFileSync(join(result.folder, 'measured.json'), 'utf8'));
  assert.deepEqual([record.asked, record.opened, record.lost], [100, 100, 0]);
  // An acknowledgement each.
  assert.ok(record.messages >= 100);
  assert.equal(record.held.at(-1).count, 0);
});

/** `make streams` on servers that treat their streams as those of public reports do: what is wrong with them is named. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { freePort } from '../../contract/free-port.js';
import { assertMeasured, runTest } from '../lab.js';
import { ownStack } from '../own-stack.js';
import { statementsOf } from '../statements.js';

await ownStack();

/** @param {string} mode and number, of tests/servers/streams.js @param {Record<string, string>} [variables] */
async function run(mode, variables) {
  const port = await freePort();
  return await runTest('streams', {
    ...{ PROFILE: 'smoke', TARGET_TIMEOUT: '2s', TARGET_URL: `http://127.0.0.1:${port}/mcp` },
    SERVER_COMMAND: `exec node tests/servers/streams.js ${port} ${mode}`,
    ...variables,
  });
}

/** @param {string} mode @param {Record<string, string>} [variables] */
async function streams(mode, variables) {
  const result = await run(mode, variables);
  assertMeasured(result);
  /** @type {any[]} */
  const found = result.document.findings;
  const own = found.filter(({ subject }) => subject === 'streams');
  return { ...result, own, text: statementsOf(found, 'streams') };
}

test('20 workers, each of which a held stream keeps: with 20 held no call is answered, until they are closed', async () => {
  const { text, document } = await streams('workers 20', { THRESHOLDS: 'off' });
  assert.match(
    text,
    /^with 20 streams held, \S+ % of the calls got no answer; calls succeed again after the streams are closed$/m,
  );
  const held = document.tables.find((/** @type {any} */ { title }) => title === 'Held streams');
  assert.equal(Math.max(...held.rows.map((/** @type {any} */ row) => row[1])), 20);
});

test('refused from 50 on', async () => {
  const { text } = await streams('refuses 50');
  assert.match(text, /^the server refuses streams beyond 50: it refused 50 of 100 \(http_5xx, HTTP 503/m);
});

test('an idle limit of 2.5 s that withholds the headers', async () => {
  const { text } = await streams('silence 2.5');
  assert.match(text, /closes streams after 2\.5\d* s of silence: .* withholds them until/);
  assert.doesNotMatch(text, /never opened/);
});

test('a limit of 3 s on the age of streams on which something comes', async () => {
  const { text, own } = await streams('age 3');
  assert.match(text, /closes streams at an age of 3\S* s: /);
  assert.doesNotMatch(text, /may also be/);
  const { figures } = own.find(({ statement }) => statement.includes('at an age of'));
  assert.ok(Math.abs(figures.limit_s - 3) < 0.5);
});

test('a server that keeps 400 KiB of each stream that it rejects', async () => {
  // Steps long enough for the server's own figures.
  const { text } = await streams('leaks 400', { DURATION: '65s', STREAMS: '100' });
  assert.match(text, /^the server offers no streams: it refused all 100 \(http_4xx, HTTP 405/m);
  const [, kib = ''] = /each refused stream costs the server (\d+) KiB of memory/.exec(text) ?? [];
  assert.ok(Number(kib) > 300 && Number(kib) < 600, text);
});

const NOTIFY = { STREAMS: '30', THRESHOLDS: 'off', NOTIFY_TOOL: 'notify' };

test('notifications that reach the first 10 streams only', async () => {
  const { text, document } = await streams('drops 10', NOTIFY);
  // 4 calls with 10 and with 30 streams.
  assert.match(text, /^80 of 160 notifications did not arrive, the first with 30 streams held$/m);
  /** @type {any[]} */
  const tables = document.tables;
  const { rows } = tables.find(({ title }) => title === 'Notifications');
  assert.deepEqual(
    rows.map((/** @type {number[]} */ row) => row.slice(0, 5)),
    [
      [10, 4, 0, 40, 40],
      [30, 4, 0, 120, 40],
    ],
  );
});

test('notifications that are sent to one stream after the other, 10 ms apart', async () => {
  const { text } = await streams('lags 10', NOTIFY);
  assert.match(text, /^all 160 notifications of 8 NOTIFY_TOOL calls arrived$/m);
  const [, few = '', many = ''] = /delay: (\d+)\S* ms with 10 streams, (\d+)\S* ms with 30/.exec(text) ?? [];
  assert.ok(Number(few) >= 80 && Number(many) >= 270, text);
});

test('NOTIFY_TOOL fails: exit 3 and one line', async () => {
  const { exitCode, output } = await run('none', { NOTIFY_TOOL: 'none', NOTIFY_ARGS: '{"a":1}' });
  assert.equal(exitCode, 3, output);
  assert.match(output, /^ERROR: the call of NOTIFY_TOOL \(none\) failed: .*Unknown tool/m);
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

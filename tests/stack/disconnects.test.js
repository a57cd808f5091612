/** `make disconnects` on servers that treat clients which leave as those of public reports do: what they keep is named. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePort } from '../../contract/free-port.js';
import { assertMeasured, runTest } from '../lab.js';
import { ownStack } from '../own-stack.js';
import { startEverything } from '../servers/everything.js';
import { statementsOf } from '../statements.js';

await ownStack();

/** @param {Record<string, string>} variables */
async function disconnects(variables) {
  const result = await runTest('disconnects', { THRESHOLDS: 'off', ...variables });
  assertMeasured(result);
  /** @type {any[]} */
  const found = result.document.findings;
  const own = found.filter(({ subject }) => subject === 'disconnects');
  return { ...result, own, text: statementsOf(found, 'disconnects') };
}

test('sessions of 100 KiB that only their clients end: those of clients that are reset are kept, those that are ended are not', async () => {
  const port = await freePort();
  const { text, document } = await disconnects({
    ...{ PROFILE: 'quick', CLIENTS: '400', TARGET_URL: `http://127.0.0.1:${port}/mcp` },
    SERVER_COMMAND: `exec node tests/servers/streams.js ${port} keeps 100`,
  });
  // The heap of the server settles with the waves before.
  const [, kept = ''] =
    /^a client that resets its connections leaves the server with (\d+) KiB/m.exec(text) ?? [];
  assert.ok(Number(kept) > 80 && Number(kept) < 200, text);
  const [, ended = '0'] =
    /^a client that ends its session leaves the server with (\d+) KiB/m.exec(text) ?? [];
  assert.ok(Number(ended) < 60, text);
  assert.match(
    text,
    /^1 min after clients had reset their connections the server still knew (\d+) of \1 sessions$/m,
  );
  assert.match(text, /^200 clients reconnected within a second/m);
  const server = document.tables.find((/** @type {any} */ { title }) => title.startsWith('The server'));
  assert.equal(server.rows.length, 2 + 2 * 10 + 2 + 2);
});

test('a server that others wrote knows the sessions that were closed and reset, and no other', async () => {
  const everything = await startEverything();
  try {
    const { text } = await disconnects({ PROFILE: 'smoke', TARGET_URL: everything.url });
    assert.match(
      text,
      /^3 s after clients had closed their connections the server still knew 20 of 20 sessions$/m,
    );
    assert.match(
      text,
      /^8 s after clients had reset their connections the server still knew 20 of 20 sessions$/m,
    );
    assert.doesNotMatch(text, /ended their sessions/);
  } finally {
    await everything.stop();
  }
});

test('without sessions there is none to be known: the streams of 2026-07-28', async () => {
  const { text } = await disconnects({ PROFILE: 'smoke' });
  assert.doesNotMatch(text, /still knew/);
  assert.match(text, /^20 clients reconnected within a second/m);
});

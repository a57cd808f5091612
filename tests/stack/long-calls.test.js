/** `make long-calls` on servers that end, hold back, queue or share long calls: what they do is named. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePort } from '../../contract/free-port.js';
import { assertMeasured, runTest } from '../lab.js';
import { ownStack } from '../own-stack.js';
import { startEverything } from '../servers/everything.js';
import { statementsOf } from '../statements.js';

await ownStack();

/** @param {Record<string, string>} variables */
async function longCalls(variables) {
  const result = await runTest('long-calls', { PROFILE: 'smoke', ...variables });
  if (result.code !== 99) assertMeasured(result);
  return { ...result, text: statementsOf(result.document.findings, 'long-calls') };
}

/** @param {string} mode and seconds, of tests/servers/long-calls.js */
async function onServer(mode) {
  const port = await freePort();
  return longCalls({
    ...{ TOOL: 'job', ARGS: '{"ms":"MILLISECONDS"}', TARGET_URL: `http://127.0.0.1:${port}/mcp` },
    SERVER_COMMAND: `exec node tests/servers/long-calls.js ${port} ${mode}`,
  });
}

test('an idle limit of 4.5 s: calls with progress survive it, and the run fails', async () => {
  const { text, code, document } = await onServer('silence 4.5');
  assert.equal(code, 99);
  assert.match(text, /^calls of up to 1 s succeed without progress, calls of up to 5 s with progress$/m);
  assert.match(
    text,
    /ends calls without progress after 4\.5\d* s: 2 of 2 calls of 5 s or more failed \(http_5xx\)$/m,
  );
  assert.match(document.headline, /Calls of up to 1 s succeed without progress/);
});

test('a limit of 4.5 s on each call: progress does not help', async () => {
  const { text, code } = await onServer('age 4.5');
  assert.equal(code, 99);
  assert.match(text, /ends calls with progress, although 1\d notifications arrived, after 4\.5\d* s/);
});

test('progress that is held back until the result', async () => {
  const { text, code } = await onServer('buffered');
  assert.equal(code, 0);
  assert.match(
    text,
    /^progress arrives only with the result: the first notification of a call of 5 s arrived after/m,
  );
});

test('one call at a time, and abandoned calls are not stopped', async () => {
  const { text } = await onServer('serial');
  assert.match(text, /^calls queue: a call of \d s took/m);
  assert.match(text, /^a retry of .* waits for the first call, which the server does not stop/m);
});

test('a retry gets the result of the first call', async () => {
  const { text } = await onServer('joins');
  assert.match(
    text,
    /^a retry of .* gets the result of the first call: it took 2(\.\d+)? s instead of 4 s$/m,
  );
});

test('a server that others wrote, and the reference target', async () => {
  const everything = await startEverything();
  try {
    const own = { TOOL: 'trigger-long-running-operation', ARGS: '{"duration":"SECONDS","steps":4}' };
    for (const variables of [{ ...own, TARGET_URL: everything.url }, { TARGET_URL: '' }]) {
      const { text, code } = await longCalls(variables);
      assert.equal(code, 0);
      assert.match(text, /^calls of up to 5 s succeed, with progress and without$/m);
      assert.doesNotMatch(text, /no progress notifications/);
    }
  } finally {
    await everything.stop();
  }
});

test('what is missing is said before any call: exit 2', async () => {
  const TARGET_URL = 'http://127.0.0.1:9/mcp';
  for (const [variables, message] of /** @type {[Record<string, string>, RegExp][]} */ ([
    [
      { TARGET_URL },
      /long-calls calls one tool with an argument that sets its duration; valid: TOOL=name ARGS=/,
    ],
    [
      { TARGET_URL, TOOL: 'a', ARGS: '{}' },
      /^error: ARGS does not set how long a call takes; valid: SECONDS/m,
    ],
    [
      { CALL_DURATIONS: '1s,soon' },
      /^error: CALL_DURATIONS is "1s,soon"; valid: durations separated by commas/m,
    ],
  ])) {
    const { code, output } = await runTest('long-calls', { PROFILE: 'smoke', ...variables });
    assert.equal(code, 2);
    assert.match(output, message);
  }
});

/** `make rolling-restart`: what is lost with the old server is named, and what is not lost, too. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePort } from '../../contract/free-port.js';
import { assertMeasured, command, runTest } from '../lab.js';
import { ownStack } from '../own-stack.js';

await ownStack();

/** @param {Record<string, string>} variables */
async function rolling(variables) {
  const result = await runTest('rolling-restart', { PROFILE: 'smoke', THRESHOLDS: 'off', ...variables });
  assertMeasured(result);
  /** @type {any[]} */
  const found = result.document.findings;
  const own = found.filter(({ subject }) => subject === 'rolling-restart');
  return own.map(({ statement }) => statement).join('\n');
}

/** @param {number} port @param {string} command */
const at = (port, command) => ({
  TARGET_URL: `http://127.0.0.1:${port}/mcp`,
  SERVER_COMMAND: command,
});

test('sessions and streams in the memory of the old server: lost, opened again, held again', async () => {
  const port = await freePort();
  const text = await rolling(at(port, `exec node tests/servers/streams.js ${port}`));
  assert.match(text, /^no call failed while the server was replaced/m);
  const [, sessions = ''] =
    /^the new server did not know .*: (\d+) sessions had to be opened again$/m.exec(text) ?? [];
  assert.ok(Number(sessions) >= 50, text);
  assert.match(text, /^20 of 20 streams ended with the old server; all were held again /m);
});

test('the reference target without sessions: streams come back, nothing else is lost', async () => {
  const text = await rolling({});
  assert.match(text, /^no call failed while the server was replaced/m);
  assert.match(text, /^20 of 20 streams ended with the old server; all were held again /m);
  assert.doesNotMatch(text, /sessions/);
});

/** @type {[string, Record<string, string>, RegExp][]} */
const WRONG = [
  [
    'no command',
    { TARGET_URL: 'http://127.0.0.1:1/mcp' },
    /^error: SERVER_COMMAND is empty; rolling-restart needs the command/m,
  ],
  [
    'a command without the port',
    at(1234, 'exec node server.js'),
    /^error: SERVER_COMMAND does not contain the port of TARGET_URL \(1234\)/m,
  ],
  [
    'a URL that says it is ready at another port',
    { ...at(1234, 'exec node server.js 1234'), READY_URL: 'http://127.0.0.1:1235/' },
    /^error: READY_URL does not contain the port of TARGET_URL \(1234\)/m,
  ],
];
for (const [what, env, says] of WRONG)
  test(`${what}: exit 2 and one line`, async () => {
    const { code, output } = await command('scripts/run', ['rolling-restart'], env);
    assert.equal(code, 2, output);
    assert.match(output, says);
  });

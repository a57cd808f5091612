/** `make rolling-restart`: what is lost with the old server is named, and what is not lost, too. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { freePort } from '../../contract/free-port.js';
import { assertMeasured, command, runTest } from '../lab.js';
import { ownStack } from '../own-stack.js';
import { statementsOf } from '../statements.js';

await ownStack();

/** @param {Record<string, string>} variables */
async function rolling(variables) {
  const result = await runTest('rolling-restart', { PROFILE: 'smoke', THRESHOLDS: 'off', ...variables });
  if (!variables.THRESHOLDS) assertMeasured(result);
  return { ...result, text: statementsOf(result.document.findings, 'rolling-restart') };
}

/** @param {number} port @param {string} command */
const at = (port, command) => ({
  TARGET_URL: `http://127.0.0.1:${port}/mcp`,
  SERVER_COMMAND: command,
});

test('sessions and streams in the memory of the old server: lost, opened again, held again', async () => {
  const port = await freePort();
  const { text } = await rolling(at(port, `exec node tests/servers/streams.js ${port}`));
  assert.match(text, /^no call failed during or after the replacement/m);
  const [, sessions = ''] =
    /^the new server did not know .*: (\d+) sessions had to be re-opened$/m.exec(text) ?? [];
  assert.ok(Number(sessions) >= 50, text);
  assert.match(text, /^20 of 20 streams closed; all were open again /m);
});

test('the reference target without sessions: streams come back, nothing else is lost', async () => {
  const { text } = await rolling({});
  assert.match(text, /^no call failed during or after the replacement/m);
  assert.match(text, /^20 of 20 streams closed; all were open again /m);
  assert.doesNotMatch(text, /sessions/);
});

/**
 * A server that this process has started, and a command that replaces it at its port.
 *
 * @param {import('node:test').TestContext} t
 */
async function serverWithRestart(t) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/mcp`;
  const folder = mkdtempSync(join(tmpdir(), 'rolling-restart-'));
  const pid = join(folder, 'pid');
  const start = `node tests/servers/streams.js ${port} >${folder}/log 2>&1 & echo $! >${pid}`;
  const ready = `until curl --silent --output /dev/null ${url}; do sleep 0.1; done`;
  execFileSync('bash', ['-c', `${start}; ${ready}`]);
  t.after(() => {
    process.kill(Number(readFileSync(pid, 'utf8')));
    rmSync(folder, { recursive: true });
  });
  return { url, restart: `kill $(cat ${pid}); sleep 1; ${start}; ${ready}` };
}

test('RESTART_COMMAND replaces the server at its port: the calls of the gap fail', async (t) => {
  const { url, restart } = await serverWithRestart(t);
  const { text, code, document } = await rolling({
    ...{ TARGET_URL: url, RESTART_COMMAND: restart },
    THRESHOLDS: 'before.failure_rate=0.5',
  });
  assert.equal(code, 99);
  /** @type {any[]} */
  const judged = document.thresholds;
  const before = judged.find(
    ({ scope, metric }) => metric === 'failure_rate' && scope.phase === 'rolling-before',
  );
  assert.equal(before?.limit, 0.5);
  assert.match(document.headline, /rolling-replaced: \S+ % of calls failed \(limit 1 %\)/);
  assert.match(text, /^\d+ of [\d,]+ calls failed during and after the replacement: \d+ connect/m);
  assert.match(text, /^the new server did not know /m);
  assert.match(text, /^20 of 20 streams closed; all were open again /m);
});

test('RESTART_COMMAND fails: exit 1, with what it said last', async (t) => {
  const { url } = await serverWithRestart(t);
  const { code, output } = await command('scripts/run', ['rolling-restart'], {
    ...{ PROFILE: 'smoke', TARGET_URL: url, RESTART_COMMAND: 'echo no such deployment; exit 7' },
  });
  assert.equal(code, 1, output);
  assert.match(output, /RESTART_COMMAND failed with exit code 7; last output: no such deployment/);
});

/** @type {[string, Record<string, string>, RegExp][]} */
const WRONG = [
  [
    'no command',
    { TARGET_URL: 'http://127.0.0.1:1/mcp' },
    /^error: rolling-restart needs RESTART_COMMAND, .*, or SERVER_COMMAND, /m,
  ],
  [
    'two ways to replace the server',
    { ...at(1234, 'exec node server.js 1234'), RESTART_COMMAND: 'true' },
    /^error: set only one of RESTART_COMMAND and SERVER_COMMAND$/m,
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

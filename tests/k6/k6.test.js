/** Runs the k6 scripts of this folder against real servers: each must end with every check held. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { command, envFile, startEverything } from '../lab.js';
import { PATHS, startFailingServer } from './failing-server.js';

const { output: k6 } = await command('bash', ['-c', '. scripts/common.sh && tool_path k6']);

/** @param {string} script @param {Record<string, string>} env */
async function passes(script, env) {
  const { code, output } = await command(k6.trim(), ['run', '--address', '', `tests/k6/${script}`], env);
  assert.equal(code, 0, output.slice(-6000));
}

/** @type {Awaited<ReturnType<typeof startEverything>>} */
let everything;

before(async () => {
  everything = await startEverything();
});
after(() => everything.stop());

test('failures of every kind, over a real socket', async () => {
  const server = await startFailingServer();
  try {
    await passes('failures.js', { SERVER_URL: server.url, PATHS: PATHS.join(',') });
  } finally {
    await server.close();
  }
});

test('server-everything: legacy, SSE, sessions', () =>
  passes('client.js', {
    TARGET_URL: everything.url,
    WANT_ERA: 'legacy',
    WANT_SESSION: 'true',
    EVERYTHING: '1',
    TOOL: 'echo',
    ARGS: '{"message":"hi"}',
  }));

for (const [era, wanted] of [
  ['auto', 'modern'],
  ['legacy', 'legacy'],
]) {
  test(`the reference target: MCP_ERA=${era}`, () =>
    passes('client.js', {
      TARGET_URL: envFile('stack.env').TARGET_URL ?? '',
      TARGET_TOKEN: envFile('secrets.env').TARGET_TOKEN ?? '',
      MCP_ERA: era ?? '',
      WANT_ERA: wanted ?? '',
      WANT_SESSION: 'false',
      TOOL: 'get_user',
      ARGS: '{"user_id":1}',
    }));
}

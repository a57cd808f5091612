/** From the start of a server to its first answers: of a program, of a server with a command of its own, and of the reference target. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { freePort } from '../../contract/free-port.js';
import { assertMeasured, command, runTest } from '../lab.js';
import { ownStack } from '../own-stack.js';
import { processesWith } from '../process-tree.js';

await ownStack();

/** @param {any} result @returns {Record<string, number>[]} the rows of the table, by the names of the columns */
function rowsOf(result) {
  const [table] = result.document.tables;
  return table.rows.map((/** @type {number[]} */ row) =>
    Object.fromEntries(row.map((cell, index) => [table.columns[index].name, cell])),
  );
}

test('a program: each start has a process of its own, as many at once as were asked for', async () => {
  const result = await runTest('cold-start', {
    PROFILE: 'smoke',
    TARGET_COMMAND: 'node tests/servers/overlap.js concurrent',
    TOOL: 'quick',
    AT_ONCE: '1 3',
  });
  assertMeasured(result);
  const rows = rowsOf(result);
  assert.deepEqual(
    rows.map((row) => [row['at once'], row.starts]),
    [
      [1, 8],
      [3, 8],
    ],
  );
  for (const row of rows) {
    // The call takes 20 ms. The medians are those of different starts.
    const [start = 0, first = 0] = [row['start p50'], row['first call p50']];
    assert.ok(start > 5 && first > 25 && first < 30_000, JSON.stringify(row));
  }
  assert.match(JSON.stringify(result.document.findings), /"first answer .* MiB at rest"/);
});

test('a server with SERVER_COMMAND is started again and again, and not left', async () => {
  const port = await freePort();
  const result = await runTest('cold-start', {
    PROFILE: 'smoke',
    STARTS: '2',
    TARGET_URL: `http://127.0.0.1:${port}/mcp`,
    SERVER_COMMAND: `COLD_START_PORT=${port} exec node tests/pipelines/server.js ${port} 50`,
  });
  assertMeasured(result);
  const [row] = rowsOf(result);
  // It waits for 300 ms before it listens.
  assert.ok(row?.starts === 4 && Number(row['ready p50']) > 300, JSON.stringify(row));
  assert.ok(Number(row['first call p50']) > Number(row['tools/list p50']) + 20, JSON.stringify(row));
  assert.match(readFileSync(join(result.folder, 'server.log'), 'utf8'), /^listening on /m);
  assert.deepEqual(processesWith(`COLD_START_PORT=${port}`), []);
});

test('the reference target', async () => {
  const result = await runTest('cold-start', { PROFILE: 'smoke', STARTS: '1' });
  assertMeasured(result);
  assert.equal(rowsOf(result)[0]?.starts, 2);
});

test('SERVER_COMMAND starts the server of any other test', async () => {
  const port = await freePort();
  const result = await runTest('load', {
    REQUESTS: '50',
    CONCURRENCY: '5',
    TARGET_URL: `http://127.0.0.1:${port}/mcp`,
    SERVER_COMMAND: `API_KEY=sesame exec node tests/pipelines/server.js ${port}`,
  });
  assertMeasured(result);
  assert.equal(result.document.variables.SERVER_COMMAND, null, 'it may hold a secret');
});

/** @type {[what: string, env: Record<string, string>, code: number, says: RegExp][]} */
const REFUSED = [
  [
    'a server that ends at once',
    { TARGET_URL: 'http://127.0.0.1:1/mcp', SERVER_COMMAND: 'echo no module x; exit 4' },
    3,
    /the server exited with code 4 before it was ready; last output: no module x/,
  ],
  [
    'SERVER_COMMAND without an address',
    { SERVER_COMMAND: 'true' },
    2,
    /^error: TARGET_URL is empty; valid:/m,
  ],
  [
    'a server that somebody else starts',
    { TARGET_URL: 'http://127.0.0.1:1/mcp', ARGS: '{}', TOOL: 'a' },
    2,
    /^error: SERVER_COMMAND is empty; cold-start needs the command/m,
  ],
];

for (const [what, env, expected, says] of REFUSED) {
  test(`${what}: exit code ${expected} and one line`, async () => {
    const { code, output } = await command('scripts/run', ['cold-start', 'PROFILE=smoke'], env);
    assert.equal(code, expected, output);
    assert.match(output, says);
  });
}

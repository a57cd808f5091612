/** A server that is a program, on the real stack: found out, loaded and judged as one with a URL is. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { assertMeasured, command, runTest } from '../lab.js';
import { ownStack } from '../own-stack.js';
import { processesWith } from '../process-tree.js';

await ownStack();

const EVERYTHING = 'node node_modules/@modelcontextprotocol/server-everything/dist/index.js stdio';
const SECRET = 'open-sesame-open-sesame';
process.env.STDIO_TEST_KEY = SECRET;

for (const processes of ['2', 'per-vu']) {
  test(`server-everything, PROCESSES=${processes}`, async () => {
    const result = await runTest('load', {
      PROFILE: 'smoke',
      TOOL: 'echo',
      ARGS: '{"message":"a"}',
      REQUESTS: '400',
      CONCURRENCY: '4',
      TARGET_COMMAND: EVERYTHING,
      TARGET_ENV: 'STDIO_TEST_KEY',
      PROCESSES: processes,
    });
    assertMeasured(result);
    const { target, phases, variables } = result.document;
    assert.equal(target.url, `stdio:${EVERYTHING}`);
    assert.equal(target.server.name, 'mcp-servers/everything');
    assert.equal(phases.at(-1)?.failed, 0);
    assert.equal(variables.TARGET_COMMAND, EVERYTHING);
    // One of set-up, and those of the 4 VUs of the warm-up, which the other VUs take over.
    const { starts } = JSON.parse(readFileSync(join(result.folder, 'measured.json'), 'utf8')).processes;
    if (processes === 'per-vu') assert.ok(starts >= 5 && starts < 9, String(starts));
    // Neither in what the run leaves nor in a process that outlives it.
    for (const name of readdirSync(result.folder, { recursive: true, withFileTypes: true }).filter((one) =>
      one.isFile(),
    ))
      assert.ok(!readFileSync(join(name.parentPath, name.name), 'utf8').includes(SECRET), name.name);
    assert.deepEqual(
      processesWith(`STDIO_TEST_KEY=${SECRET}`).filter(({ command: words }) => words.includes('everything')),
      [],
    );
  });
}

/** @type {[what: string, env: Record<string, string>, code: number, says: RegExp][]} */
const REFUSED = [
  [
    'ends at once',
    { TARGET_COMMAND: `python3 -c 'raise SystemExit("no module x")'` },
    3,
    /^ERROR: python3 cannot be used \(the server ended: exit status 1: no module\s+x\);/m,
  ],
  ['does not exist', { TARGET_COMMAND: 'no-such-program' }, 3, /^ERROR: no-such-program cannot be used/m],
  [
    'has an open quote',
    { TARGET_COMMAND: "node 'a" },
    2,
    /^error: TARGET_COMMAND is "node 'a"; valid: a command/m,
  ],
  [
    'has a URL as well',
    { TARGET_COMMAND: 'node a', TARGET_URL: 'http://127.0.0.1:1/mcp' },
    2,
    /^error: set only one of TARGET_URL and TARGET_COMMAND/m,
  ],
  [
    'wants a variable that is not set',
    { TARGET_COMMAND: 'node a', TARGET_ENV: 'NO_SUCH_KEY' },
    2,
    /TARGET_ENV has NO_SUCH_KEY; valid/,
  ],
];

for (const [what, env, expected, says] of REFUSED) {
  test(`a command that ${what}: exit code ${expected} and one line`, async () => {
    const { code, output } = await command('scripts/run', ['spike', 'PROFILE=smoke'], env);
    assert.equal(code, expected, output);
    assert.match(output, says);
  });
}

test('a test that takes a connection says so', async () => {
  const { code, output } = await command('scripts/run', ['connections', 'PROFILE=smoke'], {
    TARGET_COMMAND: EVERYTHING,
  });
  assert.equal(code, 2, output);
  assert.match(output, /^error: the test connections keeps connections open; set TARGET_URL/m);
});

/** What two calls at once do to it, and what is said. @type {[mode: string, subject: string, says: RegExp][]} */
const OVERLAPS = [
  ['lock', 'silence', /^the process stopped answering .*, when \d+ calls were open at once/],
  ['lose', 'lost', /^\d+ calls got no answer before the end of the run, although later calls did/],
  ['serial', 'processes', /^a server process handles one call at a time: at most 9\.\d+\/s/],
];

for (const [mode, subject, says] of OVERLAPS) {
  test(`calls that overlap, of a server that is made to ${mode}`, async () => {
    const result = await runTest('sustained', {
      PROFILE: 'smoke',
      TARGET_COMMAND: `node tests/servers/overlap.js ${mode}`,
      PROCESSES: '1',
    });
    const { findings } = result.document;
    const found = findings.filter((/** @type {any} */ one) => one.subject === subject);
    assert.match(
      found.map((/** @type {any} */ { statement }) => statement).join('\n'),
      new RegExp(says, 'm'),
    );
    assert.equal(result.code, 99, result.output);
    assert.doesNotMatch(JSON.stringify(findings), /broken, not overloaded|was away/);
  });
}

test('capacity: how many processes the machine holds, one for each VU', async () => {
  const result = await runTest('capacity', {
    PROFILE: 'smoke',
    CAPACITY_OF: 'processes',
    MAX_VUS: '10',
    TARGET_COMMAND: 'node tests/servers/overlap.js concurrent',
    TOOL: 'quick',
  });
  assertMeasured(result);
  const search = result.document.tables.find(
    (/** @type {any} */ { title }) => title === 'Capacity: the search',
  );
  const [name, processes] = search.columns.map((/** @type {any} */ column) => column.name);
  assert.deepEqual([name, processes], ['step', 'processes']);
  assert.deepEqual(
    search.rows.map((/** @type {any} */ row) => row[1]),
    [10, 10],
  );
  assert.match(
    JSON.stringify(result.document.findings),
    /at least 10 processes, held for \d+ s: nothing higher was tried \(MAX_VUS\)/,
  );
  // One process for each VU, and one of the set-up.
  const { starts } = JSON.parse(
    readFileSync(join(result.folder, 'trials/hold-2/measured.json'), 'utf8'),
  ).processes;
  assert.equal(starts, 11);
});

test('what the system knows of its processes is watched', async () => {
  const result = await runTest('sustained', {
    PROFILE: 'smoke',
    DURATION: '20s',
    THRESHOLDS: 'off',
    TOOL: 'echo',
    ARGS: '{"message":"a"}',
    TARGET_COMMAND: EVERYTHING,
    PROCESSES: '2',
  });
  assertMeasured(result);
  const { signals } = result.document;
  const meanOf = (/** @type {string} */ name) =>
    signals.findLast((/** @type {any} */ { signal }) => signal === name)?.avg;
  // The processes of two servers, and nothing else of k6's.
  assert.equal(meanOf('workers'), 2);
  assert.ok(meanOf('memory') > 50e6 && meanOf('cpu') > 0, JSON.stringify(signals));
});

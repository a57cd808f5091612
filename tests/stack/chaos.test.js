/** Faults on the real stack: made, removed, and told of; and removed, too, where the test does not come to its end. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { command, envFile, runTest } from '../lab.js';
import { ownStack } from '../own-stack.js';
import { processTree } from '../process-tree.js';
import { startEverything } from '../servers/everything.js';

await ownStack();

const SHORT = { PROFILE: 'smoke', DURATION: '10s', RECOVERY_S: '2' };

/** @param {any} document @returns {Record<string, any>[]} the rows of the first table, by column */
function faults({ tables: [{ columns, rows }] }) {
  return rows.map((/** @type {any[]} */ row) =>
    Object.fromEntries(
      columns.map((/** @type {{name: string}} */ { name }, /** @type {number} */ index) => [
        name,
        row[index],
      ]),
    ),
  );
}

/** @param {{code: number | null, exitCode: number | null, output: string, document: any}} run whatever the machine made of its bounds */
function cameToItsEnd({ code, exitCode, output, document }) {
  assert.ok(code === 0 || code === 98 || code === 99, output.slice(-5000));
  assert.equal(exitCode, document.verdict.exit_code);
}

/** One user, whom the cache has from the first call on, and names, which only the database knows. */
const CACHED_AND_NOT = {
  schema: 'mcp-load-lab/workload/1',
  name: 'cached and not',
  dialect: 'mcp',
  operations: {
    cached: {
      class: 'read',
      method: 'tools/call',
      params: { name: 'get_user' },
      arguments: [{ user_id: 7 }],
    },
    not_cached: {
      class: 'read',
      method: 'tools/call',
      params: { name: 'search_users' },
      arguments: [{ query: 'a' }],
    },
  },
  mixes: { default: { cached: 1, not_cached: 1 } },
};

test('the database is cut off under load: its share of the calls fails, and works again when it is back', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chaos-'));
  const WORKLOAD = join(folder, 'cached-and-not.json');
  writeFileSync(WORKLOAD, JSON.stringify(CACHED_AND_NOT));
  // On a machine that has no time a slow answer is no failure.
  const run = await runTest('chaos', { ...SHORT, FAULTS: 'database-cut', WORKLOAD, TARGET_TIMEOUT: '10s' });
  rmSync(folder, { recursive: true });
  cameToItsEnd(run);
  const { phases, operations, tables, failures } = run.document;
  const [row, ...none] = faults(run.document);
  assert.deepEqual(none, []);
  assert.equal(row?.scenario, 'Database cut off');
  // With what the target itself said of it: not to be had again once the test is over.
  const said = readFileSync(`${run.folder}/target.log`, 'utf8');
  const seen = JSON.stringify({ row, operations, tables, failures, said });
  const failed = (/** @type {string} */ name) =>
    operations.find((/** @type {any} */ { operation }) => operation === name).failed;
  assert.ok(failed('not_cached') > 0, `reads that are not cached fail: ${seen}`);
  assert.equal(failed('cached'), 0, seen);
  assert.ok(row?.success > 0 && row.success < 1, seen);
  assert.equal(row?.failures, failed('not_cached'), seen);
  assert.notEqual(row?.status, 'not made');
  const after = phases.find((/** @type {any} */ { labels }) => labels.part === 'after');
  assert.ok(after.failed < after.requests / 2, 'it was removed');
  assert.match(run.output, /^FAULTS IN THE MIDDLE OF A STEADY LOAD$/m);
  assert.ok(readFileSync(`${run.folder}/report.md`, 'utf8').includes('Database cut off'));
});

test("any server: a proxy in front of it is the fault; what is inside of it can't be reached, and the row says so", async () => {
  const everything = await startEverything();
  try {
    const run = await runTest('chaos', { ...SHORT, FAULTS: 'latency redis-cut', TARGET_URL: everything.url });
    cameToItsEnd(run);
    const [, redis] = faults(run.document);
    // Node.js closes a connection that was idle for 5 s, and behind the latency a call may be on its way on it by then.
    const failures = run.document.failures.filter((/** @type {any} */ { sample }) => !/\bEOF$/.test(sample));
    assert.deepEqual(failures, []);
    const fault = run.document.phases.find((/** @type {any} */ { labels }) => labels.part === 'fault');
    // Most users open a session first, which takes three times the latency: some calls are made after it.
    assert.ok(fault.latency_ms.max > 150, `${fault.latency_ms.max} ms`);
    assert.equal(redis?.status, 'not made');
    assert.match(
      run.document.tables[0].notes.join('\n'),
      /Redis cut off .* was not injected: it needs the processes and stores/,
    );
  } finally {
    await everything.stop();
  }
});

test('a fault that there is not: exit 2, and those that there are', async () => {
  const { code, output } = await command('scripts/run', ['chaos', 'FAULTS=latency nope']);
  assert.equal(code, 2);
  assert.match(output, /^error: FAULTS is "latency nope"; valid: latency, reset, .*storm/);
});

/** @param {number} port @returns {Promise<boolean>} */
const listens = (port) =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

/** @param {() => boolean | Promise<boolean>} condition @param {() => string} what */
async function until(condition, what) {
  const deadline = Date.now() + 180_000;
  while (!(await condition())) {
    assert.ok(Date.now() < deadline, `waited in vain for ${what()}`);
    await sleep(50);
  }
}

/** @type {[string, (run: number) => void, number][]} */
const ENDS = [
  ['Ctrl-C', (run) => process.kill(-run, 'SIGINT'), 105],
  [
    'the end of the load generator',
    (run) => {
      const k6 = processTree(run).find(({ command: line }) => /\/k6 run /.test(line));
      process.kill(Number(k6?.pid), 'SIGKILL');
    },
    137,
  ],
];

for (const [name, end, expected] of ENDS) {
  test(`${name} in the middle of a fault: it is removed, and nothing is left behind`, async (t) => {
    const { REDIS_PORT, PROMETHEUS_TARGETS_DIR } = envFile('stack.env');
    const watched = `${PROMETHEUS_TARGETS_DIR}/target.json`;
    const before = readFileSync(watched, 'utf8');
    const child = spawn(
      'scripts/run',
      ['chaos', 'PROFILE=smoke', 'FAULTS=redis-gone storm', 'DURATION=12s'],
      {
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    const ended = new Promise((resolve) => child.once('close', resolve));
    const pid = Number(child.pid);
    t.after(() => child.exitCode === null && process.kill(-pid, 'SIGTERM'));
    await until(
      () => /^chaos, \d of \d: redis-gone/m.test(output),
      () => `the fault to be announced:\n${output}`,
    );
    await until(
      async () => !(await listens(Number(REDIS_PORT))),
      () => `Redis to be stopped:\n${output}`,
    );
    const ours = processTree(pid);
    assert.ok(ours.some(({ command: line }) => /toxiproxy/.test(line)));
    assert.notEqual(readFileSync(watched, 'utf8'), before);
    end(pid);
    assert.equal(await ended, expected, output.slice(-3000));

    assert.ok(await listens(Number(REDIS_PORT)), 'Redis is back');
    assert.equal(readFileSync(watched, 'utf8'), before);
    const left = ours.filter(({ pid: one, started }) => {
      const stat = existsSync(`/proc/${one}/stat`) ? readFileSync(`/proc/${one}/stat`, 'utf8') : '';
      return stat.split(') ').pop()?.split(' ')[19] === started;
    });
    assert.deepEqual(left, []);
    assert.doesNotMatch(output, /^chaos, .*: storm/m, 'no further fault is made');
  });
}

/** Operations on resources of a proxy manager: each test of them on the real stack, and that none leaves a row behind. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { envFile, runTest } from '../lab.js';
import { ownStack } from '../own-stack.js';
import { processTree } from '../process-tree.js';

await ownStack();

/** What it takes to see the rows of an owner: a count of what would be removed. */
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** @param {string} owner @returns {Promise<number>} */
async function rowsOf(owner) {
  const params = { name: 'bulk_delete_resources', arguments: { owner, dry_run: true }, _meta: META };
  const response = await fetch(String(envFile('stack.env').TARGET_URL), {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${envFile('secrets.env').TARGET_TOKEN}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'tools/call',
      'Mcp-Name': 'bulk_delete_resources',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
  const { result } = JSON.parse(/\{.*\}/.exec(await response.text())?.[0] ?? '');
  return result.structuredContent.matched;
}

/** The tables that each prints, and in which column of the first one every row has a figure. */
const TESTS = {
  crud: {
    tables: ['Operations', 'Performance budget (p95)'],
    figure: 'ops/s',
    rows: 22,
  },
  concurrency: {
    tables: [
      'Concurrent calls of list_proxy_hosts (50 in all)',
      'Concurrent calls of create_proxy_host (20 in all)',
    ],
    figure: 'throughput',
    rows: 5,
  },
  bulk: {
    tables: ['Batch size: proxy hosts enabled or disabled', 'Certificate renewal'],
    figure: 'throughput',
    rows: 5,
  },
  scale: {
    tables: [
      'List operations: all resources in one answer',
      'List operations: pages of 50',
      'Bulk operations at scale: 1,000 proxy hosts, one call',
      'Certificate renewal at scale',
    ],
    figure: 'throughput',
    rows: 6,
  },
};

for (const [name, { tables, figure, rows }] of Object.entries(TESTS)) {
  test(`${name} prints its tables, and leaves nothing behind`, async () => {
    // Concurrency is a shape in time; the others take as long as their calls.
    /** @type {Record<string, string>} */
    const length = name === 'concurrency' ? { DURATION: '10s' } : {};
    const { code, exitCode, output, folder, document } = await runTest(name, { PROFILE: 'smoke', ...length });
    assert.ok(document, output.slice(-3000));
    assert.equal(exitCode, document.verdict.exit_code);
    // On a busy machine a budget may be missed; nothing else is right here.
    assert.ok(code === 0 || code === 99, output.slice(-3000));
    assert.deepEqual(
      document.tables.map((/** @type {any} */ { title }) => title),
      tables,
    );
    const [first] = document.tables;
    const column = first.columns.findIndex((/** @type {any} */ one) => one.name === figure);
    assert.equal(first.rows.length, rows);
    for (const row of first.rows) assert.ok(row[column] > 0, `${name}: ${row}`);
    for (const { name: phase, measured, failed, vus } of document.phases) {
      // Of many users some may wait for a connection to the database longer than the target lets them.
      if (measured && vus === 1) assert.equal(failed, 0, phase);
    }
    const report = readFileSync(`${folder}/report.md`, 'utf8');
    for (const title of tables) assert.ok(report.includes(`## ${title}`), title);
    assert.equal(await rowsOf(document.testid), 0);
  });
}

/** @type {[string, (run: number, k6: number) => void, number][]} */
const ENDS = [
  ['Ctrl-C', (run) => process.kill(-run, 'SIGINT'), 105],
  ['the sudden end of the load generator', (_, k6) => process.kill(k6, 'SIGKILL'), 137],
];

for (const [name, end, expected] of ENDS) {
  test(`${name} leaves no row behind either`, async () => {
    const testid = `scale-ended-by-${expected}`;
    const child = spawn('scripts/run', ['scale', 'PROFILE=smoke', `TESTID=${testid}`], {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    const ended = new Promise((resolve) => child.once('close', resolve));
    const deadline = Date.now() + 60_000;
    while ((await rowsOf(testid)) < 100) {
      assert.ok(Date.now() < deadline, output.slice(-3000));
      await sleep(100);
    }
    end(Number(child.pid), loadOf(Number(child.pid)));
    assert.equal(await ended, expected, output.slice(-3000));
    assert.equal(await rowsOf(testid), 0);
  });
}

/** @param {number} run @returns {number} the k6 that makes its load */
function loadOf(run) {
  const k6 = processTree(run).find(({ command }) => /^\S*\/k6 run /.test(command));
  assert.ok(k6);
  return k6.pid;
}

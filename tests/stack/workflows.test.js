/** `make workflows`, `make payload` and `make connections`, each in a few seconds; and sessions that are held on a server of others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { command, envFile, runTest } from '../lab.js';
import { ownStack } from '../own-stack.js';
import { startEverything } from '../servers/everything.js';

await ownStack();

const SMOKE = { PROFILE: 'smoke', THRESHOLDS: 'off' };

/** @param {any} document @param {string} title @returns {any[][]} */
const rowsOf = ({ tables }, title) => tables.find((/** @type {any} */ table) => table.title === title).rows;

/** @param {any} result of runTest */
function isMeasured({ code, exitCode, output, document }) {
  assert.equal(code, 0, output);
  assert.equal(document.verdict.exit_code, exitCode);
  for (const phase of document.phases.filter((/** @type {any} */ { measured }) => measured)) {
    assert.ok(phase.requests > 0, phase.name);
    assert.equal(phase.failed, 0, phase.name);
  }
}

test('workflows: each step in its row, the sequence as one, and the target as it was before', async () => {
  const { TARGET_SETTINGS: before } = envFile('stack.env');
  const result = await runTest('workflows', { ...SMOKE, DURATION: '10s' });
  isMeasured(result);
  const { document } = result;
  assert.equal(document.target.era, 'legacy');
  const rows = rowsOf(document, 'Workflows');
  assert.deepEqual(
    rows.map(([name]) => name),
    ['Tool call', 'Resource list', 'Resource subscribe', 'Prompt list', 'Tool call sequence'],
  );
  for (const [name, count, p50, p95, p99] of rows) {
    assert.ok(count > 20, name);
    assert.ok(p50 <= p95 && p95 <= p99, name);
  }
  // Three calls take longer than each of them.
  const sequence = document.phases.at(-1);
  assert.ok(rows.at(-1)?.[1] <= sequence.iterations);
  assert.ok(rows.at(-1)?.[2] > sequence.latency_ms.p50);
  const sent = document.operations.find((/** @type {any} */ { operation }) => operation === 'tool-sequence');
  assert.equal(sent.requests, 3 * sequence.iterations);
  assert.equal(envFile('stack.env').TARGET_SETTINGS, before);
});

test('payload: what was to be carried went over the wire, each way', async () => {
  const result = await runTest('payload', { ...SMOKE, DURATION: '6s' });
  isMeasured(result);
  const rows = rowsOf(result.document, 'Payload');
  assert.deepEqual(
    rows.map(([kb]) => Number(kb)),
    [1, 2, 4, 8, 16, 32],
  );
  for (const [kb, messages, , , , , sent, received] of rows) {
    assert.ok(sent > messages * kb * 1024 && received > messages * kb * 1024, `${kb} KB`);
  }
});

test('connections: held, used, opened and ended, left behind and given back', async () => {
  const result = await runTest('connections', {
    ...SMOKE,
    CONNECTIONS: '30',
    DURATION: '5s',
    THRESHOLDS: '',
  });
  isMeasured(result);
  const { document } = result;
  assert.deepEqual(
    rowsOf(document, 'Concurrent sessions').map(([kind, size]) => [kind, size]),
    [
      ['idle', 0],
      ['idle', 30],
      ['active', 30],
    ],
  );
  const [opened, churn, abandoned] = rowsOf(document, 'Sessions that come and go');
  for (const [name, count, , p50] of [opened, churn, abandoned].map((row) => row ?? [])) {
    assert.ok(count > 0 && p50 > 0, name);
  }
  const kept = document.thresholds.find((/** @type {any} */ { metric }) => metric === 'sessions_kept');
  assert.deepEqual([kept.observed, kept.samples, kept.outcome], [0, 20, 'pass']);
});

/** @type {[string, string[], RegExp][]} */
const WRONG_USE = [
  [
    'an era without sessions',
    ['TARGET_PROTOCOL=modern'],
    /TARGET_PROTOCOL is "modern", which has no sessions; valid: legacy, or a version with initialize/,
  ],
  ['no numbers', ['CONNECTIONS=many'], /CONNECTIONS is "many"; valid: whole numbers from 1 to/],
];
for (const [name, args, message] of WRONG_USE) {
  test(`connections with ${name}: exit 2 and one line`, async () => {
    const { code, output } = await command('scripts/run', ['connections', ...args]);
    assert.equal(code, 2, output);
    assert.match(output, message);
    assert.equal(output.trim().split('\n').length, 1, output);
  });
}

test('connections of a server that others wrote: held, left, and still known', async () => {
  const everything = await startEverything();
  try {
    const result = await runTest('connections', {
      ...SMOKE,
      CONNECTIONS: '25',
      DURATION: '5s',
      SESSION_EXPIRY_S: '1',
      TARGET_URL: everything.url,
    });
    isMeasured(result);
    const [, idle] = rowsOf(result.document, 'Concurrent sessions');
    assert.deepEqual(idle?.slice(0, 2), ['idle', 25]);
    const { findings } = result.document;
    const said = findings.map((/** @type {any} */ { statement }) => statement).join('\n');
    assert.match(said, /^After 1 s without use, the server still knew 20 of 20 sessions\.$/m);
  } finally {
    await everything.stop();
  }
});

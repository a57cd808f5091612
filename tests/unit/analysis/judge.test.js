import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { judge } from '../../../analysis/judge/judge.ts';
import { validateRun } from '../../../analysis/judge/run.ts';
import { measuredDocument, objective } from './build.js';

const root = mkdtempSync(join(tmpdir(), 'mcp-load-lab-judge-'));
after(() => rmSync(root, { recursive: true }));

/** @param {string} directory @param {number} k6Exit @param {string | null} [prometheus] */
async function judged(directory, k6Exit, prometheus = null) {
  let stdout = '';
  const print = (/** @type {string} */ text) => (stdout += text);
  const status = await judge({
    ...{ directory, k6Exit, prometheus, server: '', settings: '', k6Version: '1.8.1' },
    print,
  });
  return { status, stdout };
}

let count = 0;
/** @param {Record<string, string>} files @returns {string} a results folder */
function results(files) {
  const directory = join(root, `spike-${count++}`);
  mkdirSync(directory);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content);
  return directory;
}

/** @param {string} directory @returns {any} */
const runOf = (directory) => JSON.parse(readFileSync(join(directory, 'run.json'), 'utf8'));

const GOOD = JSON.stringify(
  measuredDocument({ phases: [{ name: 'a', figures: {} }], objectives: [objective('a', 'p99_ms', '<', 85)] }),
);
const WRITTEN = ['junit.xml', 'report.html', 'report.md', 'run.json', 'summary.csv'];

test('a run is judged, written and shown', async () => {
  const directory = results({ 'measured.json': GOOD, 'k6.log': '' });
  const { status, stdout } = await judged(directory, 0);
  assert.equal(status, 0, stdout);
  assert.deepEqual(readdirSync(directory).sort(), [
    'junit.xml',
    'k6.log',
    'measured.json',
    'report.html',
    'report.md',
    'run.json',
    'summary.csv',
    'timeline.json',
  ]);
  assert.match(stdout, /VERDICT pass \(exit code 0\)/);
  assert.match(stdout, /server signals are missing because the run did not use Prometheus/);
  assert.ok(stdout.includes(`\nresults: ${directory}\n`));
  const run = runOf(directory);
  assert.equal(validateRun(run), null);
  assert.equal(run.environment.k6, '1.8.1');
  assert.equal(run.environment.node, process.versions.node);
  assert.match(run.environment.git.commit, /^[0-9a-f]{40}$/);
});

test('written again from the same inputs, every file is the same to the byte', async () => {
  const directory = results({ 'measured.json': GOOD });
  const read = () => WRITTEN.map((name) => readFileSync(join(directory, name), 'utf8'));
  await judged(directory, 0);
  const first = read();
  await judged(directory, 0);
  assert.deepEqual(read(), first);
});

/** @param {string} message */
const aborted = (message) =>
  JSON.stringify({
    schema: 'mcp-load-lab/measured/1',
    ...{ began: 1, ended: 2, end: { reason: 'abort', exitCode: 108, message } },
    ...{ vus: 0, vusMax: 0, warmup: 0, groups: [], thresholds: [] },
  });

test('the exit code is the verdict of the run', async () => {
  const slow = JSON.stringify(
    measuredDocument({
      phases: [{ name: 'a', figures: { p99: 900 } }],
      objectives: [objective('a', 'p99_ms', '<', 85)],
    }),
  );
  const silent = JSON.stringify(measuredDocument({ phases: [{ name: 'a' }] }));
  const cases = /** @type {[Record<string, string>, number, number][]} */ ([
    [{ 'measured.json': slow }, 99, 99],
    [{ 'measured.json': silent }, 0, 98],
    [{ 'measured.json': aborted('test aborted: exit 2: PROFILE is "nope"') }, 108, 2],
    [{ 'measured.json': aborted('test aborted: exit 3: nobody there') }, 108, 3],
    // Anybody may write such a line, a server too.
    [{ 'measured.json': GOOD, 'k6.log': 'test aborted: exit 3: nobody there\n' }, 108, 108],
    [{ 'measured.json': GOOD }, 105, 105],
    [{}, 137, 137],
    [{ 'measured.json': '{"schema"', 'k6.log': '\u0000\u0001\ufffd' }, 0, 1],
  ]);
  for (const [files, k6Exit, expected] of cases) {
    const directory = results(files);
    const { status, stdout } = await judged(directory, k6Exit);
    assert.equal(status, expected, stdout);
    assert.equal(validateRun(runOf(directory)), null);
    assert.equal(runOf(directory).verdict.exit_code, expected);
    for (const name of WRITTEN) assert.ok(readdirSync(directory).includes(name), name);
  }
});

test('a Prometheus that is not there costs its signals, not the run', async () => {
  const directory = results({ 'measured.json': GOOD });
  const { status } = await judged(directory, 0, 'http://user:pa55word@127.0.0.1:1/');
  assert.equal(status, 0);
  const text = readFileSync(join(directory, 'run.json'), 'utf8');
  assert.match(
    text,
    /server signals are missing because Prometheus at http:\/\/127\.0\.0\.1:1 cannot be reached/,
  );
  assert.ok(!text.includes('pa55word'));
});

test('the token is in nothing that is written or shown', async (t) => {
  const token = 'tok-5ecret-0123';
  const document = measuredDocument({
    phases: [{ name: 'a', figures: { failures: { tool: 1 } } }],
    plan: { target: { url: 'http://127.0.0.1/mcp', server: { name: `echo ${token}`, version: '1' } } },
  });
  const log = `failure tool of echo: you sent ${token}\n`;
  const directory = results({ 'measured.json': JSON.stringify(document), 'k6.log': log });
  process.env.TARGET_TOKEN = token;
  t.after(() => delete process.env.TARGET_TOKEN);
  const { stdout } = await judged(directory, 0);
  for (const text of [stdout, ...WRITTEN.map((name) => readFileSync(join(directory, name), 'utf8'))]) {
    assert.ok(!text.includes(token));
  }
  assert.equal(runOf(directory).failures[0].sample, 'echo: you sent ***');
});

test('a folder that can not be written to is one clear line', async () => {
  const directory = results({ 'measured.json': GOOD });
  // A folder of the file's name: no rename can replace it, not even for root.
  mkdirSync(join(directory, 'run.json'));
  await assert.rejects(judged(directory, 0), ({ message }) => {
    assert.match(message, /^the results cannot be written to .*: \w+: .*run\.json/);
    return !message.includes('\n');
  });
  assert.deepEqual(readdirSync(directory).sort(), ['measured.json', 'run.json']);
});

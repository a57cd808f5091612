import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { validateRun } from '../../../analysis/run.js';
import { objective, summaryDocument } from './build.js';

const main = fileURLToPath(new URL('../../../analysis/main.js', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'mcp-load-lab-main-'));
after(() => rmSync(root, { recursive: true }));

/**
 * @param {string[]} args
 * @param {Record<string, string>} [env]
 */
function analyse(args, env = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, ...env },
  });
  return { status, stdout, stderr };
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
  summaryDocument({ phases: [{ name: 'a', figures: {} }], objectives: [objective('a', 'p99_ms', '<', 85)] }),
);
const WRITTEN = ['junit.xml', 'report.html', 'report.md', 'run.json', 'summary.csv'];

test('a run is judged, written and shown', () => {
  const directory = results({ 'summary.json': GOOD, 'k6.log': '' });
  const { status, stdout, stderr } = analyse([
    directory,
    '--k6-exit',
    '0',
    '--k6-version',
    'k6 v1.8.1 (go1.26.8, linux/amd64)',
  ]);
  assert.deepEqual([status, stderr], [0, '']);
  assert.deepEqual(readdirSync(directory).sort(), [
    'junit.xml',
    'k6.log',
    'report.html',
    'report.md',
    'run.json',
    'summary.csv',
    'summary.json',
  ]);
  assert.match(stdout, /VERDICT pass \(exit code 0\)/);
  assert.match(stdout, /server signals are missing because the run was without Prometheus/);
  assert.ok(stdout.includes(`\nresults: ${directory}\n`));
  const run = runOf(directory);
  assert.equal(validateRun(run), null);
  assert.equal(run.environment.k6, '1.8.1');
  assert.equal(run.environment.node, process.versions.node);
  assert.match(run.environment.git.commit, /^[0-9a-f]{40}$/);
});

test('written again from the same inputs, every file is the same to the byte', () => {
  const directory = results({ 'summary.json': GOOD });
  const read = () => WRITTEN.map((name) => readFileSync(join(directory, name), 'utf8'));
  analyse([directory, '--k6-exit', '0']);
  const first = read();
  analyse([directory, '--k6-exit', '0']);
  assert.deepEqual(read(), first);
});

/** @param {string} message */
const aborted = (message) =>
  JSON.stringify({
    schema: 'mcp-load-lab/measured/1',
    ...{ began: 1, ended: 2, end: { reason: 'abort', exitCode: 108, message } },
    ...{ vus: 0, vusMax: 0, warmup: 0, groups: [], thresholds: [] },
  });

test('the exit code is the verdict of the run', () => {
  const slow = JSON.stringify(
    summaryDocument({
      phases: [{ name: 'a', figures: { p99: 900 } }],
      objectives: [objective('a', 'p99_ms', '<', 85)],
    }),
  );
  const silent = JSON.stringify(summaryDocument({ phases: [{ name: 'a' }] }));
  const cases = /** @type {[Record<string, string>, string, number][]} */ ([
    [{ 'summary.json': slow }, '99', 99],
    [{ 'summary.json': silent }, '0', 98],
    [{ 'measured.json': aborted('test aborted: exit 2: PROFILE is "nope"') }, '108', 2],
    [{ 'measured.json': aborted('test aborted: exit 3: nobody there') }, '108', 3],
    // Anybody may write such a line, a server too.
    [{ 'summary.json': GOOD, 'k6.log': 'test aborted: exit 3: nobody there\n' }, '108', 108],
    [{ 'summary.json': GOOD }, '105', 105],
    [{}, '137', 137],
    [{ 'summary.json': '{"schema"', 'k6.log': '\u0000\u0001\ufffd' }, '0', 1],
  ]);
  for (const [files, k6Exit, expected] of cases) {
    const directory = results(files);
    const { status, stdout, stderr } = analyse([directory, '--k6-exit', k6Exit]);
    assert.equal(status, expected, stdout + stderr);
    assert.equal(validateRun(runOf(directory)), null);
    assert.equal(runOf(directory).verdict.exit_code, expected);
    for (const name of WRITTEN) assert.ok(readdirSync(directory).includes(name), name);
  }
});

test('a Prometheus that is not there costs its signals, not the run', () => {
  const directory = results({ 'summary.json': GOOD });
  const { status } = analyse([
    directory,
    '--k6-exit',
    '0',
    '--prometheus',
    'http://user:pa55word@127.0.0.1:1/',
  ]);
  assert.equal(status, 0);
  const text = readFileSync(join(directory, 'run.json'), 'utf8');
  assert.match(
    text,
    /server signals are missing because Prometheus at http:\/\/127\.0\.0\.1:1 can't be reached/,
  );
  assert.ok(!text.includes('pa55word'));
});

test('a streamed run whose Prometheus is gone: 98 and why; with its summary left before, judged as ever', () => {
  const { plan } = JSON.parse(GOOD);
  const options = ['--k6-exit', '0', '--prometheus', 'http://127.0.0.1:1', '--streamed-until', '1767323105'];
  const lost = results({ 'plan.json': JSON.stringify(plan) });
  const { status, stdout } = analyse([lost, ...options]);
  assert.equal(status, 98);
  assert.match(
    stdout.replace(/\s+/g, ' '),
    /what the generators wrote to Prometheus can't be read: Prometheus at/,
  );
  assert.equal(validateRun(runOf(lost)), null);
  const kept = results({ 'plan.json': JSON.stringify(plan), 'summary.json': GOOD });
  assert.equal(analyse([kept, ...options]).status, 0);
});

test('the token is in nothing that is written or shown', () => {
  const token = 'tok-5ecret-0123';
  const document = summaryDocument({
    phases: [{ name: 'a', figures: { failures: { tool: 1 } } }],
    plan: { target: { url: 'http://127.0.0.1/mcp', server: { name: `echo ${token}`, version: '1' } } },
  });
  const log = `failure tool of echo: you sent ${token}\n`;
  const directory = results({ 'summary.json': JSON.stringify(document), 'k6.log': log });
  const { stdout } = analyse([directory, '--k6-exit', '0'], { TARGET_TOKEN: token });
  for (const text of [stdout, ...WRITTEN.map((name) => readFileSync(join(directory, name), 'utf8'))]) {
    assert.ok(!text.includes(token));
  }
  assert.equal(runOf(directory).failures[0].sample, 'echo: you sent ***');
});

test('bad usage is one line and how it is meant, exit code 2', () => {
  const directory = results({ 'summary.json': GOOD });
  const cases = /** @type {[string[], RegExp][]} */ ([
    [[], /one results folder is needed, got 0/],
    [[directory, directory, '--k6-exit', '0'], /one results folder is needed, got 2/],
    [[join(root, 'nowhere'), '--k6-exit', '0'], /no results folder .*nowhere/],
    [[directory], /--k6-exit is "", valid: 0 to 255/],
    [[directory, '--k6-exit', 'ok'], /--k6-exit is "ok", valid: 0 to 255/],
    [[directory, '--k6-exit', '256'], /--k6-exit is "256"/],
    [[directory, '--k6-exit', '0', '--verbose'], /Unknown option '--verbose'/],
    [
      [directory, '--k6-exit', '0', '--streamed-until', 'now'],
      /--streamed-until is "now", valid: a Unix time/,
    ],
    [[directory, '--k6-exit', '0', '--streamed-until', '1'], /--streamed-until needs --prometheus/],
  ]);
  for (const [args, message] of cases) {
    const { status, stdout, stderr } = analyse(args);
    assert.deepEqual([status, stdout], [2, '']);
    const [line, usage, rest] = stderr.split('\n');
    assert.match(line ?? '', message);
    assert.match(usage ?? '', /^usage: node analysis\/main\.js /);
    assert.equal(rest, '');
  }
  assert.deepEqual(readdirSync(directory), ['summary.json']);
});

test('a folder that can not be written to is one clear line', () => {
  const directory = results({ 'summary.json': GOOD });
  // A folder of the file's name: no rename can replace it, not even for root.
  mkdirSync(join(directory, 'run.json'));
  const { status, stderr } = analyse([directory, '--k6-exit', '0']);
  assert.equal(status, 1);
  assert.match(stderr, /^analysis: the results can't be written to .*: \w+: .*run\.json/);
  assert.equal(stderr.trimEnd().split('\n').length, 1);
  assert.deepEqual(readdirSync(directory).sort(), ['run.json', 'summary.json']);
});

/** Runs whose figures can't be trusted, made for real; and the watcher next to k6, which never outlives its trial. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { burn } from '../../bench/attribution/disturb.js';
import { runTest } from '../lab.js';
import { ownStack } from '../own-stack.js';
import { processTree } from '../process-tree.js';

await ownStack();

const SHORT = {
  PROFILE: 'smoke',
  DURATION: '8s',
  RATE_SCALE: '0.3',
  THRESHOLDS: 'off',
  MAX_BACKGROUND_CPU: '0.2',
};
const linux = { skip: !existsSync('/proc/self/schedstat') && 'the watcher needs /proc' };

/** @param {RegExp} command @param {number} [root] @returns {number[]} the processes with such a command line that this test's own runs started */
const running = (command, root = process.pid) =>
  processTree(root)
    .filter((one) => command.test(one.command))
    .map(({ pid }) => pid);

/** @param {number} pid @returns {boolean} one that has ended, but that nobody has waited for, has no command line any more */
const isRunning = (pid) => processTree(pid).some((one) => one.pid === pid && one.command !== '');

const K6 = /\/k6 run /;
const WATCHER = /analysis\/collect\/host-watch\.ts/;

/** @param {() => boolean} what @param {string} message */
async function until(what, message) {
  const deadline = Date.now() + 20_000;
  while (!what()) {
    assert.ok(Date.now() < deadline, message);
    await sleep(50);
  }
}

/** @param {any} document @param {RegExp} reason */
function assertInvalid(document, reason) {
  const { outcome, reasons } = document.verdict;
  assert.equal(outcome, 'invalid', reasons.join('\n'));
  assert.ok(
    reasons.some((/** @type {string} */ text) => reason.test(text)),
    reasons.join('\n'),
  );
}

test('a generator that does not run for two seconds', linux, async () => {
  const TESTID = `stopped-${process.pid}`;
  const seconds = join(process.env.RESULTS_DIR ?? '', TESTID, 'seconds.jsonl');
  const { exitCode: code, document } = await runTest('sustained', { ...SHORT, TESTID }, async () => {
    const isMeasured = () =>
      existsSync(seconds) && readFileSync(seconds, 'utf8').includes('"phase":"sustained"');
    await until(isMeasured, 'the measured phase did not begin');
    await sleep(2000);
    const [k6 = 0] = running(K6);
    process.kill(k6, 'SIGSTOP');
    await sleep(2000);
    process.kill(k6, 'SIGCONT');
  });
  assert.equal(code, 98);
  assertInvalid(document, /the load generator was short of CPU in sustained: .*; give k6 more CPU/);
  const found = document.findings.find((/** @type {any} */ { kind }) => kind === 'generator');
  assert.equal(found.observations[0].series, 'generator_delay');
});

test('another process on every processor is named, and the series are in the timeline', linux, async () => {
  const cool = await burn(availableParallelism());
  try {
    const { exitCode: code, document, folder } = await runTest('sustained', SHORT);
    assert.equal(code, 98);
    assertInvalid(
      document,
      /other processes used \S+ % of the machine's CPU in sustained, most of it by "\w+": .*; stop them/,
    );
    const { signals } = JSON.parse(readFileSync(`${folder}/timeline.json`, 'utf8'));
    const names = ['generator_allowed', 'generator_delay', 'db_cpu', 'cache_cpu'];
    for (const name of [...names, 'target_process_cpu', 'stack_cpu', 'other_cpu']) {
      const values =
        signals[name]?.values.filter((/** @type {number | null} */ value) => value !== null) ?? [];
      assert.ok(values.length > 3, name);
      assert.ok(
        values.every((/** @type {number} */ value) => value >= 0),
        name,
      );
    }
    assert.ok(Math.max(...signals.other_cpu.values) > 0.3);
    assert.ok(Math.max(...signals.target_process_cpu.values) > 0);
  } finally {
    await cool();
  }
});

test('users that are too few for the load, of a server that is quick', async () => {
  const { exitCode: code, document } = await runTest('sustained', {
    PROFILE: 'smoke',
    DURATION: '8s',
    RATE_SCALE: '5',
    MAX_VUS: '1',
  });
  assert.equal(code, 98);
  assertInvalid(document, /: 1 VU is too few; set MAX_VUS to \d+ or more \(a mean latency of /);
});

test('the watcher ends with its trial, also where k6 crashes', linux, async () => {
  const { document } = await runTest('sustained', { ...SHORT, DURATION: '30s' }, async () => {
    const [k6 = 0] = running(K6);
    assert.equal(running(WATCHER).length, 1);
    process.kill(k6, 'SIGKILL');
  });
  assert.equal(document.verdict.exit_code, 137);
  assert.deepEqual(running(WATCHER), []);
});

test('the watcher ends by itself where its trial was killed', linux, async () => {
  const child = spawn(
    'scripts/run',
    ['sustained', ...Object.entries({ ...SHORT, DURATION: '60s' }).map((each) => each.join('='))],
    {
      stdio: 'ignore',
    },
  );
  const ended = new Promise((resolve) => child.once('close', resolve));
  const [pid = 0] = [child.pid];
  await until(() => running(K6, pid).length > 0 && running(WATCHER, pid).length > 0, 'no load');
  const [watcher = 0] = running(WATCHER, pid);
  const [k6 = 0] = running(K6, pid);
  process.kill(pid, 'SIGKILL');
  await until(() => !isRunning(watcher), 'the watcher is still there');
  try {
    process.kill(k6, 'SIGINT');
  } catch (error) {
    // The kernel told it of the trial's end, too, and it may be gone.
    assert.equal(/** @type {NodeJS.ErrnoException} */ (error).code, 'ESRCH');
  }
  await ended;
});

test('the watcher ends by itself where its trial was killed before it began', linux, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'watcher-'));
  const trial = spawn('true');
  await new Promise((resolve) => trial.once('close', resolve));
  const arguments_ = ['analysis/collect/host-watch.ts', join(folder, 'host-watch.json'), String(trial.pid)];
  const watcher = spawn(process.execPath, arguments_, { stdio: 'inherit' });
  const ended = new Promise((resolve) => watcher.once('close', resolve));
  try {
    const pid = watcher.pid ?? 0;
    await until(() => !isRunning(pid), 'the watcher is still there');
  } finally {
    watcher.kill();
    await ended;
    rmSync(folder, { recursive: true });
  }
});

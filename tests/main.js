#!/usr/bin/env node
/**
 * Runs the project's own tests; `make check`, `make test` and `make test-all` call this.
 *
 *   node tests/main.js [FILE|FOLDER ...]     by default those of `make test`
 *
 * Unit tests share the processors. Every other file has the machine to itself, because it measures a load; each can be run by itself, too:
 * scripts/node --test FILE.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism, constants } from 'node:os';
import { join } from 'node:path';
import { scratchFolder } from './scratch.js';

/** What each change has to pass. The rest of tests/ is in `make test-all`: every scenario, the long and the rare. */
const EACH_CHANGE = [
  'tests/unit',
  'tests/stack/rules.test.js',
  'tests/k6/k6.test.js',
  'tests/k6/stdio.test.js',
  'tests/k6/hostile-target.test.js',
  'tests/browser/report.test.js',
  'tests/browser/hostile.test.js',
  'tests/browser/live.test.js',
  'tests/stack/native.test.js',
  'tests/docker/compose.test.js',
  'tests/docker/fresh-clone.test.js',
];

/** Without these a folder's tests are left out, which the end of the output says; in CI nothing may be left out. */
const NEEDS = [
  {
    folder: 'tests/docker',
    need: 'a Docker engine with Compose',
    check: ['sh', '-c', 'docker info && docker compose version'],
  },
  { folder: 'tests/browser', need: 'a Chromium', check: ['scripts/setup', 'browser'] },
];

/** @param {string} path @returns {string[]} the test files there */
function testFiles(path) {
  if (!existsSync(path)) throw new Error(`${path} does not exist; valid: files and folders of tests/`);
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .sort((a, b) => a.name.localeCompare(b.name))
    .flatMap((entry) => {
      const inside = join(path, entry.name);
      if (entry.isDirectory()) return testFiles(inside);
      return entry.name.endsWith('.test.js') ? [inside] : [];
    });
}

/** @param {string} file */
const isUnit = (file) => file.startsWith('tests/unit/');

/** @type {import('node:child_process').ChildProcess | undefined} */
let running;
/** @type {NodeJS.Signals | undefined} the first one that asked for the end */
let interrupted;
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(signal, () => {
    if (!interrupted && running?.pid) process.kill(-running.pid, 'SIGTERM');
    interrupted ??= signal;
  });
}

/** @param {string[]} files @returns {Promise<{passed: number, failed: number}>} */
async function run(files) {
  const counts = join(scratchFolder(), 'counts');
  writeFileSync(counts, '');
  const since = Date.now();
  // A process group of its own: nothing that a test started goes on when the tests are interrupted.
  running = spawn(
    process.execPath,
    [
      '--test',
      `--test-concurrency=${availableParallelism()}`,
      '--test-reporter=./tests/reporter.js',
      ...files,
    ],
    {
      detached: true,
      env: { ...process.env, TEST_COUNTS: counts },
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  const code = await new Promise((resolve) => running?.once('close', resolve));
  running = undefined;
  const [, passed = 0, failed = 0] = (/^(\d+) (\d+)$/m.exec(readFileSync(counts, 'utf8')) ?? []).map(Number);
  const what = files.length > 1 ? `${files.length} files` : files[0];
  process.stdout.write(`${what}: ${Math.round((Date.now() - since) / 1000)} s\n\n`);
  return { passed, failed: code === 0 ? failed : Math.max(failed, 1) };
}

/** @param {string[]} wanted files or folders @returns {Promise<number>} exit code */
async function main(wanted) {
  let files = [...new Set(wanted.flatMap(testFiles))];
  /** @type {string[]} */
  const leftOut = [];
  for (const { folder, need, check } of NEEDS) {
    if (!files.some((file) => file.startsWith(folder))) continue;
    const [command = '', ...args] = check;
    if (spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'], timeout: 600_000 }).status === 0)
      continue;
    if (process.env.CI === 'true') throw new Error(`${folder} needs ${need}`);
    files = files.filter((file) => !file.startsWith(folder));
    leftOut.push(`not tested: ${folder}, which needs ${need}\n`);
  }
  const groups = [files.filter(isUnit), ...files.filter((file) => !isUnit(file)).map((file) => [file])];
  const total = { passed: 0, failed: 0 };
  for (const group of groups) {
    if (interrupted || group.length === 0) continue;
    const { passed, failed } = await run(group);
    total.passed += passed;
    total.failed += failed;
  }
  if (interrupted) return 128 + constants.signals[interrupted];
  process.stdout.write(`${leftOut.join('')}${total.passed} passed, ${total.failed} failed\n`);
  // Where nothing was tested, nothing has passed.
  return total.failed > 0 || total.passed === 0 ? 1 : 0;
}

try {
  process.exitCode = await main(process.argv.length > 2 ? process.argv.slice(2) : EACH_CHANGE);
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 2;
}

/**
 * What the pages say, done by someone who has just cloned the project: each command as it stands, one after the other, with a
 * stack of its own in its own .run/. Only the load is less: see ENVIRONMENT.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { STORY } from '../docs-commands.js';
import { command } from '../lab.js';
import { readPage } from '../markdown.js';
import { projectFiles } from '../project-files.js';
import { startEverything } from '../servers/everything.js';

const ENVIRONMENT = {
  ...{ PROFILE: 'smoke', DURATION: '6s', OBJECTIVES: 'off', OTHER_CPU: '1', STACK: 'native' },
  AUTHORITY_LATENCY_MS: '100',
  // Of `make fuzz`.
  ...{ MINUTES: '0', AREA: 'configuration' },
};
/** What the tests of the other layers have of their own. */
const NOT_OURS = [
  'RUN_DIR',
  'RESULTS_DIR',
  'TEST_COUNTS',
  'MAKEFLAGS',
  'MAKELEVEL',
  'NODE_TEST_CONTEXT',
  'DISPLAY',
  'WAYLAND_DISPLAY',
];

const clone = mkdtempSync(join(tmpdir(), 'docs-clone-'));
/** @type {Record<string, string>} */
const env = Object.fromEntries(
  Object.entries({ ...process.env, ...ENVIRONMENT }).flatMap(([name, value]) =>
    value === undefined || NOT_OURS.includes(name) ? [] : [[name, value]],
  ),
);
/** @type {Awaited<ReturnType<typeof startEverything>>} */
let everything;

before(async () => {
  for (const file of projectFiles()) {
    mkdirSync(dirname(join(clone, file)), { recursive: true });
    // With its time, or the packages would look older than the file that they are of.
    cpSync(file, join(clone, file), { preserveTimestamps: true });
  }
  symlinkSync(resolve('node_modules'), join(clone, 'node_modules'));
  // Files that a page shows, and has its reader save.
  const [script] = readPage('docs/workloads.md').blocks.filter(({ language }) => language === 'js');
  writeFileSync(join(clone, 'my.js'), script?.text ?? '');
  everything = await startEverything();
});
after(async () => {
  await everything?.stop();
  await command('bash', ['-c', `cd '${clone}' && env -u RUN_DIR STACK=native scripts/clean`]);
  rmSync(clone, { recursive: true, force: true });
});

/** @type {Record<string, () => string | undefined>} what stands in for a text of a command */
const STAND_IN = {
  url: () => everything.url,
  metrics: () =>
    /^TARGET_METRICS_URL=http:\/\/(.*)$/m.exec(readFileSync(join(clone, '.run/stack.env'), 'utf8'))?.[1],
  test: () => 'sustained',
  newest: () => realpathSync(join(clone, 'results/latest')),
};

/**
 * @param {string} text
 * @param {NodeJS.ProcessEnv} with_
 * @param {RegExp | undefined} until as soon as it has said this, it gets a Ctrl-C
 * @returns {Promise<{code: number | null, output: string}>}
 */
function runInClone(text, with_, until) {
  return new Promise((done) => {
    // A process group of its own: Ctrl-C reaches all of one.
    const child = spawn('bash', ['-c', text], {
      ...{ cwd: clone, env: with_, detached: true },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let told = false;
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk;
        if (told || !until?.test(output)) return;
        told = true;
        process.kill(-Number(child.pid), 'SIGINT');
      });
    }
    child.on('close', (code) => done({ code, output }));
  });
}

for (const { command: text, stands = {}, dry, says, untilThen } of STORY) {
  test(dry ? `${text} (DRY_RUN=1)` : text, { timeout: 180_000 }, async () => {
    const line = Object.entries(stands).reduce(
      (all, [part, name]) => all.replaceAll(part, STAND_IN[name]?.() ?? ''),
      text,
    );
    const { code, output } = await runInClone(
      line,
      { ...env, ...(dry && { DRY_RUN: '1' }) },
      untilThen ? says : undefined,
    );
    assert.match(output, says, output.slice(-3000));
    // Two lanes of tests on a small machine: that the figures can't be trusted takes nothing from the command.
    if (!untilThen)
      assert.ok(code === 0 || code === 98 || /^exit code 98 \(make/m.test(output), output.slice(-3000));
  });
}

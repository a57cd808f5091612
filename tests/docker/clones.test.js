/** More than one stack on one host, clones that hardly anybody can read, and an `up` that does not end well. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { command } from '../lab.js';
import { assertJudged, Clone } from './clone.js';
import { docker } from './docker.js';

const BRIEF = { PROFILE: 'smoke', REQUESTS: '200', CONCURRENCY: '2', THRESHOLDS: 'off' };

/** @type {Clone} under umask 077, on a host whose shell and utilities are busybox */
let first;
/** @type {Clone} */
let second;
before(() => {
  first = new Clone({ umask: '077', shell: 'busybox' });
  second = new Clone({ shell: 'dash' });
});
after(async () => {
  await first.remove();
  await second.remove();
});

test('a container that does not start: up fails, and leaves no container', async () => {
  const dockerfile = join(first.folder, 'Dockerfile');
  const text = readFileSync(dockerfile, 'utf8');
  // Docker refuses to start a container as a user that its image does not have.
  writeFileSync(dockerfile, text.replace(/^USER node$/m, 'USER root\nRUN userdel node\nUSER node'));
  const up = await first.command(first.script('up'));
  assert.equal(up.code, 1, up.output);
  assert.match(up.output, /^error: /m);
  assert.deepEqual(first.containers(), []);
  const status = await first.command(first.script('status'));
  assert.equal(status.code, 1, status.output);
  first.git('checkout', '--quiet', 'Dockerfile');
});

test('an up that is killed while the database is set up: the next one works, also under umask 077 and with busybox', async () => {
  assert.equal(statSync(join(first.folder, 'provisioning/prometheus/prometheus.yml')).mode & 0o077, 0);
  let pid = 0;
  const cutOff = first.command(first.script('up'), {
    onStart: (started) => {
      pid = started;
    },
  });
  const postgres = await appears(() =>
    first.containers('label=com.docker.compose.service=postgres', 'status=running'),
  );
  process.kill(-pid, 'SIGKILL');
  docker('kill', postgres);
  const { code } = await cutOff;
  assert.equal(code, null);
  assert.doesNotMatch(await logOf(postgres), /init process complete/);

  const up = await first.command(first.script('up'));
  assert.equal(up.code, 0, up.output);
  const status = await first.command(first.script('status'));
  assert.equal(status.code, 0, status.output);
  const plan = await first.command(first.script('run', 'load', 'DRY_RUN=1'));
  assert.equal(plan.code, 0, plan.output);
});

test('two clones at once: each has its own stack, and a load on one is no load on the other', async () => {
  const before = first.service('target').Id;
  const up = await second.make('up');
  assert.equal(up.code, 0, up.output);
  assert.notDeepEqual(first.projects(), second.projects());
  assert.notEqual(first.envFile('stack.env').TARGET_URL, second.envFile('stack.env').TARGET_URL);
  assert.notEqual(first.service('target').Config.Image, second.service('target').Config.Image);

  const runs = await Promise.all([first, second].map((clone) => clone.run('load', BRIEF)));
  for (const run of runs) {
    assertJudged(run);
    const measured = run.document.phases.find((/** @type {any} */ { measured }) => measured);
    assert.ok(measured.requests >= 200, `${measured.requests} requests`);
  }
  const calls = await Promise.all(
    [first, second].map((clone) =>
      clone.askPrometheus('count by (testid) (last_over_time({testid!=""}[10m]))'),
    ),
  );
  for (const [index, series] of calls.entries()) {
    const seen = series.map(({ metric }) => metric.testid);
    assert.ok(seen.includes(runs[index]?.document.testid), `${seen}`);
    assert.ok(!seen.includes(runs[1 - index]?.document.testid), `${seen}`);
  }
  assert.equal(first.service('target').Id, before, 'the target was re-created');
});

test('a native stack alongside: both are up', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-load-lab-native-'));
  const native = { STACK: 'native', RUN_DIR: join(folder, 'run'), RESULTS_DIR: join(folder, 'results') };
  try {
    const up = await command('scripts/up', [], native);
    assert.equal(up.code, 0, up.output);
    const run = await command(
      'scripts/run',
      ['load', ...Object.entries(BRIEF).map(([name, value]) => `${name}=${value}`)],
      native,
    );
    assert.ok(run.code === 0 || run.code === 98, run.output);
    const status = await first.make('status');
    assert.equal(status.code, 0, status.output);
    assert.equal((await command('scripts/status', [], native)).code, 0);
  } finally {
    await command('scripts/clean', [], native);
    rmSync(folder, { recursive: true, force: true });
  }
});

test('make clean removes what either kind of stack left, whatever this host could start now', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-load-lab-both-'));
  const RUN_DIR = join(folder, 'run');
  const run = async (/** @type {string} */ STACK, /** @type {string[]} */ ...[script = '', ...words]) => {
    const ended = await command(`scripts/${script}`, words, { STACK, RUN_DIR });
    assert.equal(ended.code, 0, ended.output);
  };
  try {
    for (const STACK of ['', 'native']) {
      await run('native', 'up');
      await run('native', 'down');
      await run('docker', 'up', 'observe');
      const [, project = ''] =
        /^COMPOSE_PROJECT_NAME=(.*)$/m.exec(readFileSync(join(RUN_DIR, 'compose.env'), 'utf8')) ?? [];
      assert.ok(Clone.leftOf(project).length > 0);
      await run('docker', 'down');
      await run(STACK, 'clean');
      assert.deepEqual(Clone.leftOf(project), []);
      assert.ok(!existsSync(RUN_DIR));
    }
    // What is native alone, on a host that has Docker.
    await run('native', 'up', 'observe');
    await run('native', 'down');
    await run('', 'clean');
    assert.ok(!existsSync(RUN_DIR));
  } finally {
    await command('scripts/clean', [], { RUN_DIR });
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a lock of a process that is gone holds nobody up, where another process has its number now', async () => {
  const lock = join(first.folder, '.run/lock');
  for (const left of [`${process.pid}`, `${process.pid} 1`]) {
    symlinkSync(left, lock);
    const plan = await first.command(first.script('run', 'load', 'DRY_RUN=1'));
    assert.equal(plan.code, 0, plan.output);
    assert.doesNotMatch(plan.output, /waiting for another/);
  }
});

test('make down and make clean in one clone leave the other’s stack alone', async () => {
  const projects = first.projects();
  const down = await first.command(first.script('down'));
  assert.equal(down.code, 0, down.output);
  assert.deepEqual(first.containers(), []);
  const clean = await first.make('clean');
  assert.equal(clean.code, 0, clean.output);
  for (const project of projects) assert.deepEqual(Clone.leftOf(project), []);
  const status = await second.make('status');
  assert.equal(status.code, 0, status.output);
});

/** @param {() => string[]} find @returns {Promise<string>} the first that is found */
async function appears(find) {
  const end = Date.now() + 120_000;
  while (Date.now() < end) {
    const [found] = find();
    if (found) return found;
    await sleep(100);
  }
  throw new Error('no such container in 120 s');
}

/** @param {string} id @returns {Promise<string>} */
const logOf = async (id) => (await command('docker', ['logs', id])).output;

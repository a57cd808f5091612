/** What a test run leaves where it is killed, interrupted or cut off: nothing, at the latest after the next start; and what is not its own stays. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Clone } from '../docker/clone.js';
import { projectsBelow } from '../docker/leftovers.js';
import { command } from '../lab.js';
import { processesWith, processTree } from '../process-tree.js';

/** For `.ci/run` no engine may answer, and it has to be root to start one. */
const answers = (/** @type {Record<string, string | undefined>} */ env) =>
  spawnSync('docker', ['info'], { env: { ...process.env, ...env }, stdio: 'ignore', timeout: 20_000 })
    .status === 0;
const NO_ENGINE = { DOCKER_HOST: undefined, DOCKER_CONFIG: undefined };
const ownEngine = {
  skip:
    process.getuid?.() !== 0
      ? 'only root can start an engine'
      : answers(NO_ENGINE) && 'an engine answers already',
};
const givenEngine = { skip: !answers({}) && 'no Docker engine answers' };

/** Where this file's own runs have their folders: a short path, because a socket's may have 107 characters. */
const base = mkdtempSync('/tmp/lab-');
after(() => rmSync(base, { recursive: true, force: true }));
const PREFIX = 'mcp-load-lab-';
/** @param {string} kind @returns {string[]} */
const foldersOf = (kind) =>
  readdirSync(base)
    .filter((name) => new RegExp(`^${PREFIX}${kind}-\\w{6}$`).test(name))
    .map((name) => join(base, name));

/**
 * @param {string[]} words
 * @param {Record<string, string | undefined>} [env]
 */
function start([file = '', ...args], env = {}) {
  const child = spawn(file, args, {
    env: { ...process.env, NODE_TEST_CONTEXT: undefined, TEST_SCRATCH: undefined, TMPDIR: base, ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const started = {
    pid: Number(child.pid),
    output: '',
    ended: false,
    code: /** @type {number | null} */ (null),
  };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (started.output += chunk));
  // Not `close`: what it started may go on with its output.
  const end = new Promise((resolve) => child.once('exit', resolve)).then((code) => {
    Object.assign(started, { ended: true, code });
  });
  return Object.assign(started, { end });
}

/** @param {() => unknown} what @param {string} message @param {number} [withinS] */
async function until(what, message, withinS = 120) {
  const deadline = Date.now() + withinS * 1000;
  while (!what()) {
    assert.ok(Date.now() < deadline, message);
    await sleep(100);
  }
}

/** @param {{pid: number, started: string}[]} processes @returns {string[]} the command lines of those that still run */
const survivors = (processes) =>
  processes.flatMap(({ pid, started }) =>
    processTree(pid)
      .filter((one) => one.pid === pid && one.started === started && one.command !== '')
      .map(({ command: line }) => line),
  );

/** A container that starts again, and a process that keeps a processor busy. */
const LOAD = `docker run --detach --restart always --entrypoint sleep "$(docker images --quiet | head -n 1)" 600 &&
  echo UNDER LOAD && exec node -e 'for (;;);'`;

test(
  '.ci/run killed with -9: its processes and mounts end at once, and the next start sweeps the rest',
  ownEngine,
  async () => {
    const run = start(['bash', '.ci/run', 'bash', '-c', LOAD], NO_ENGINE);
    await until(() => run.output.includes('UNDER LOAD') || run.ended, run.output, 300);
    const processes = processTree(run.pid);
    for (const name of ['dockerd', 'containerd-shim', 'sleep 600', 'for (;;);'])
      assert.ok(
        processes.some(({ command: line }) => line.includes(name)),
        `${name}\n${run.output}`,
      );
    process.kill(run.pid, 'SIGKILL');
    await until(() => survivors(processes).length === 0, 'something goes on', 5);
    const [engine = ''] = foldersOf('engine');
    assert.ok(!readFileSync('/proc/self/mountinfo', 'utf8').includes(engine));
    const pool = readFileSync(join(engine, 'pool'), 'utf8').trim();
    const bridges = () =>
      execFileSync('ip', ['-4', '-oneline', 'address', 'show', 'to', pool], { encoding: 'utf8' });
    assert.notEqual(bridges(), '', 'the bridge is what a namespace does not take with it');

    const next = start(['bash', '.ci/run', 'true'], NO_ENGINE);
    await next.end;
    assert.equal(next.code, 0, next.output);
    assert.deepEqual(foldersOf('engine'), []);
    assert.equal(bridges(), '');
    const rules = execFileSync('iptables-save', { encoding: 'utf8' });
    assert.ok(!rules.includes(`lab-${engine.slice(-6)}`), rules);
    const others = spawnSync('pgrep', ['-x', 'dockerd']).status === 0;
    if (!others) assert.doesNotMatch(rules, /DOCKER/);
  },
);

test('.ci/run ends in order on TERM, also a second one, also while images are made', ownEngine, async () => {
  const run = start(['bash', '.ci/run', 'true'], NO_ENGINE);
  await until(() => /making images/.test(run.output) || run.ended, run.output, 300);
  await sleep(2000);
  const processes = processTree(run.pid);
  const since = Date.now();
  process.kill(run.pid, 'SIGTERM');
  await sleep(500);
  if (!run.ended) process.kill(run.pid, 'SIGTERM');
  await run.end;
  assert.equal(run.code, 143, run.output);
  assert.ok(Date.now() - since < 20_000, `${Date.now() - since} ms`);
  assert.deepEqual(survivors(processes), []);
  assert.deepEqual(foldersOf('engine'), []);
});

test(
  'tests killed with -9 on an engine that was there: the next start removes what they made, and leaves those of a run that lives',
  givenEngine,
  async () => {
    const spike = ['node', 'tests/main.js', 'tests/docker/fresh-clone.test.js'];
    const alive = start(spike);
    await until(() => projectsBelow(base).length === 1 || alive.ended, 'the first has no containers', 300);
    const [living = ''] = foldersOf('test');
    const dead = start(spike);
    await until(
      () => projectsBelow(base).length === 2 || alive.ended || dead.ended,
      'the second has no containers',
      300,
    );
    assert.ok(!alive.ended && !dead.ended, `${alive.output}\n${dead.output}`);
    const [left = ''] = foldersOf('test').filter((folder) => folder !== living);
    process.kill(dead.pid, 'SIGKILL');
    await dead.end;
    assert.equal(projectsBelow(left).length, 1);

    const next = start(['node', 'tests/main.js', 'tests/unit/lib/names-of.test.js']);
    await next.end;
    assert.equal(next.code, 0, next.output);
    assert.deepEqual(foldersOf('test'), [living]);
    assert.deepEqual(projectsBelow(left), []);
    assert.deepEqual(
      processesWith(`TMPDIR=${left}`).map(({ command: line }) => line),
      [],
    );
    await alive.end;
    assert.equal(alive.code, 0, alive.output);
    assert.deepEqual(foldersOf('test'), []);
  },
);

/**
 * Interrupts tests, started where somebody's own stack is up.
 *
 * @param {Record<string, string>} env of that stack
 */
async function interrupted(env) {
  const run = start(['node', 'tests/main.js', 'tests/stack/rbac.test.js'], env);
  await until(() => processesWith(`TMPDIR=${foldersOf('test')[0]}`).length > 5 || run.ended, run.output);
  const since = Date.now();
  process.kill(-run.pid, 'SIGINT');
  await run.end;
  assert.equal(run.code, 130, run.output);
  assert.ok(Date.now() - since < 20_000, `${Date.now() - since} ms`);
  assert.deepEqual(foldersOf('test'), []);
}

test("Ctrl-C leaves somebody's own native stack as it is", async () => {
  const env = { RUN_DIR: join(base, 'own/run'), STACK: 'native' };
  const up = await command('scripts/up', ['observe'], env);
  assert.equal(up.code, 0, up.output);
  const before = readFileSync(join(env.RUN_DIR, 'stack.env'), 'utf8');
  try {
    await interrupted(env);
    const status = await command('scripts/status', [], env);
    assert.equal(status.code, 0, status.output);
    assert.equal(readFileSync(join(env.RUN_DIR, 'stack.env'), 'utf8'), before);
  } finally {
    await command('scripts/clean', [], env);
  }
});

test("Ctrl-C leaves somebody's own stack in containers as it is", givenEngine, async () => {
  const clone = new Clone();
  try {
    const up = await clone.make('up', {}, { STACK: 'docker' });
    assert.equal(up.code, 0, up.output);
    const before = clone.containers();
    await interrupted({ RUN_DIR: join(clone.folder, '.run') });
    assert.deepEqual(clone.containers(), before);
    const status = await clone.make('status');
    assert.equal(status.code, 0, status.output);
  } finally {
    await clone.remove();
  }
});

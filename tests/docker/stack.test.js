/**
 * The stack in containers, by the commands that people type in a fresh clone. The host has a POSIX shell, POSIX utilities, Docker, git and
 * make; no bash, no Node.js. One stack for all of it: what is done to it comes last.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEverything } from '../servers/everything.js';
import { assertJudged, Clone, latest, PARTS, runsIn } from './clone.js';
import { docker, inspect, watchHealthChecks } from './docker.js';
import { inTerminal, terminalResult } from './terminal.js';

/** A load of some seconds that no machine is too small for. */
const BRIEF = { PROFILE: 'smoke', REQUESTS: '200', CONCURRENCY: '2' };
/** @type {Clone} */
let clone;
/** @type {string} Compose's, of this clone */
let project;
before(() => {
  clone = new Clone({ shell: 'dash' });
});
after(() => clone.remove());

/** @param {() => unknown} check @param {number} withinS */
async function eventually(check, withinS) {
  const end = Date.now() + withinS * 1000;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > end) throw error;
      await sleep(1000);
    }
  }
}

/** @returns {string[]} the commands of docs/ci.md for Compose */
const composeLines = () =>
  readFileSync('docs/ci.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('docker compose '));

test('make chaos says at once that it needs the native stack: exit 2, and nothing is started', async () => {
  const chaos = await clone.command(clone.script('run', 'chaos', 'PROFILE=smoke'));
  assert.equal(chaos.code, 2, chaos.output);
  assert.match(chaos.output, /^error: .*\bchaos\b.*STACK=native/m);
  assert.ok(chaos.seconds < 10, `${chaos.seconds} s`);
  const made = await clone.make('chaos', { PROFILE: 'smoke' });
  assert.equal(made.code, 2, made.output);
  assert.match(made.output, /STACK=native/);
  assert.deepEqual(clone.containers(), []);
  assert.ok(!existsSync(join(clone.folder, '.run/stack.env')));
});

test('make up is enough for everything that follows', async () => {
  const up = await clone.make('up');
  assert.equal(up.code, 0, up.output);
  [project = ''] = clone.projects();
  assert.equal(clone.projects().length, 1);
});

/** @type {() => Map<string, number[]>} */
let checksSince;
/** @type {number} */
let watchedSince;
test('in a terminal the verdict comes, and Docker’s client hardly uses a CPU', async () => {
  checksSince = watchHealthChecks(project);
  watchedSince = Date.now();
  const run = await clone.run('load', BRIEF, { terminal: inTerminal() });
  const { code, cpu_s: cpu } = terminalResult(run.output);
  assertJudged({ ...run, code });
  assert.match(run.output, /VERDICT /);
  assert.ok(cpu < run.seconds / 2, `${cpu} s of CPU time in ${run.seconds} s`);
});

test('Ctrl-C in a terminal: exit 105, and what was measured until then is reported', async () => {
  const awaited = join(clone.results, 'stopped', 'plan.json');
  const run = await clone.run(
    'load',
    { TESTID: 'stopped', PROFILE: 'smoke', REQUESTS: '100000', CONCURRENCY: '2', THRESHOLDS: 'off' },
    { terminal: inTerminal('--interrupt-when', awaited) },
  );
  assert.equal(terminalResult(run.output).code, 105, run.output);
  assert.equal(run.document?.testid, 'stopped', run.output);
  assert.ok(run.document.partial, 'the report does not say that the run was cut short');
  assert.ok(existsSync(join(run.folder, 'measured.json')), 'k6 left no measured.json');
  assert.ok(existsSync(join(run.folder, 'report.html')));
  const measured = run.document.phases.find((/** @type {any} */ { measured }) => measured);
  assert.ok(measured.requests > 100 && measured.requests < 100_000, `${measured.requests} requests`);
  assert.deepEqual(clone.oneOffs(), []);
});

test('the commands of docs/ci.md for Compose use the stack that is up, and leave its target as it is', async () => {
  const line = composeLines().find((text) => /^docker compose .* run --rm spike$/.test(text)) ?? '';
  assert.ok(line, 'docs/ci.md has no such command');
  const before = clone.service('target').Id;
  const known = runsIn(clone.results);
  const ended = await clone.command(['sh', '-c', line], {
    env: { PROFILE: 'smoke', RATE_SCALE: '0.2', DURATION: '6s' },
  });
  const added = runsIn(clone.results).filter((name) => !known.includes(name));
  assert.equal(added.length, 1, ended.output);
  assertJudged({ ...ended, ...latest(clone.results) });
  assert.deepEqual(clone.projects(), [project]);
  assert.equal(clone.service('target').Id, before, 'the target was re-created');
});

test('where no container can be told to be the target’s, the watch says so, and other processes make no run invalid', async () => {
  const line = composeLines().find((text) => /^docker compose .* run --rm spike$/.test(text)) ?? '';
  const file = join(clone.folder, '.run/compose.env');
  const text = readFileSync(file, 'utf8');
  // Engines without containerd's shims: no process says which container it is of.
  writeFileSync(file, text.replace(/^LAB_CONTAINERS=.*$/m, "LAB_CONTAINERS='target=none postgres=none'"));
  try {
    const ended = await clone.command(['sh', '-c', line.replace(/spike$/, 'load')], {
      env: { ...BRIEF, REQUESTS: '1000', THRESHOLDS: 'off', MAX_BACKGROUND_CPU: '0.01' },
    });
    const run = latest(clone.results);
    assertJudged({ ...ended, ...run });
    const watch = JSON.parse(readFileSync(join(run.folder, 'host-watch.json'), 'utf8'));
    assert.equal(watch.target, 'unknown');
    const others = run.document.findings.filter(
      (/** @type {any} */ { subject }) => subject === 'other processes',
    );
    assert.match(
      others[0]?.statement ?? '',
      /^processes other than the generator and the server used/,
      ended.output,
    );
    assert.doesNotMatch(run.document.verdict.reasons.join('\n'), /other processes/);
  } finally {
    writeFileSync(file, text);
  }
});

test('once healthy, a part is checked at most every 20 s', async () => {
  // Those of a stack that does not answer would be none, too.
  const rest = 65_000 - (Date.now() - watchedSince);
  if (rest > 0) await sleep(rest);
  const checks = checksSince();
  assert.deepEqual([...checks.keys()].sort(), [...PARTS].sort());
  for (const [service, starts] of checks) {
    const gaps = starts.slice(1).map((at, index) => at - Number(starts[index]));
    assert.ok(Math.min(...gaps) >= 20, `${service}: ${gaps.map(Math.round)} s`);
  }
});

test('the exporters answer nobody without their password, and nobody with that of Prometheus', async () => {
  const { PROMETHEUS_PASSWORD, EXPORTERS_PASSWORD } = clone.envFile('secrets.env');
  const from = clone.service('upstream').Id;
  // In the environment, for the container's processes are on this machine's list.
  const script = `fetch(process.argv[1], { headers: { authorization: 'Basic ' + btoa('lab:' + process.env.PASSWORD) } })
    .then((answer) => console.log(answer.status))`;
  const ask = (/** @type {string} */ address, password = '') =>
    docker('exec', '--env', `PASSWORD=${password}`, from, 'node', '-e', script, `http://${address}/metrics`);
  for (const exporter of ['node-exporter:9100', 'postgres-exporter:9187', 'target:9101']) {
    assert.equal(ask(exporter), '401', exporter);
    assert.equal(ask(exporter, PROMETHEUS_PASSWORD), '401', exporter);
    assert.equal(ask(exporter, EXPORTERS_PASSWORD), '200', exporter);
  }
  assert.equal(ask('prometheus:9090', EXPORTERS_PASSWORD), '401');
  const scraped = await clone.askPrometheus('up{job=~"prometheus|node|postgres|redis"}');
  assert.deepEqual(
    scraped.map(({ value }) => value[1]),
    Array(5).fill('1'),
  );
});

test('a server on this host’s loopback address is loaded, and no signal of the reference target is shown as its own', async () => {
  const everything = await startEverything();
  try {
    const run = await clone.run('load', { ...BRIEF, THRESHOLDS: 'off', TARGET_URL: everything.url });
    assertJudged(run);
    assert.match(run.document.target.server.name, /everything/);
    const measured = run.document.phases.find((/** @type {any} */ { measured }) => measured);
    assert.ok(measured.requests >= 200, `${measured.requests} requests`);
    const shown = new Set(run.document.signals.map((/** @type {any} */ { signal }) => signal));
    for (const signal of ['network', 'tcp_retransmits', 'db_connections', 'worker_cpu'])
      assert.ok(!shown.has(signal), signal);
  } finally {
    await everything.stop();
  }
});

test('docs/ci.md: a server on this host is loaded by Compose as host.docker.internal', async () => {
  const everything = await startEverything();
  try {
    const line = composeLines().find((text) => text.includes('host.docker.internal')) ?? '';
    assert.match(line, /^docker compose .* run --rm .* load$/);
    const { port } = new URL(everything.url);
    const known = runsIn(clone.results);
    const ended = await clone.command(
      ['sh', '-c', line.replace(/(host\.docker\.internal):\d+/, `$1:${port}`)],
      {
        env: { ...BRIEF, THRESHOLDS: 'off' },
      },
    );
    assert.equal(runsIn(clone.results).length, known.length + 1, ended.output);
    const run = { ...ended, ...latest(clone.results) };
    assertJudged(run);
    assert.match(run.document.target.server.name, /everything/);
    assert.deepEqual(clone.projects(), [project]);
  } finally {
    await everything.stop();
  }
});

test('make plan asks for no confirmation of the stack’s own target, and sends nothing', async () => {
  const known = runsIn(clone.results);
  const plan = await clone.make('plan', { TEST: 'load' });
  assert.equal(plan.code, 0, plan.output);
  assert.doesNotMatch(plan.output, /TARGET_CONFIRM/);
  assert.match(plan.output, /http:\/\/target:8000\/mcp/);
  assert.deepEqual(runsIn(clone.results), known);
});

test('a machine without CPU left: the watch sees other processes, and findings say what generator and target share', async () => {
  const burners = Array.from({ length: 2 }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  );
  try {
    const run = await clone.run('load', {
      ...BRIEF,
      REQUESTS: '2500',
      THRESHOLDS: 'off',
      MAX_BACKGROUND_CPU: '0.1',
    });
    assertJudged(run);
    const watch = JSON.parse(readFileSync(join(run.folder, 'host-watch.json'), 'utf8'));
    const column = (/** @type {string} */ name) => watch.columns.indexOf(name);
    const first = watch.points[0];
    const last = watch.points.at(-1);
    const used = (/** @type {string} */ name) => last[column(name)] - first[column(name)];
    const seconds = used('at_s');
    assert.ok(used('other') > seconds / 2, `others used ${used('other')} s of CPU in ${seconds} s`);
    for (const group of ['generator', 'target', 'db'])
      assert.ok(used(group) > 0, `${group}: ${used(group)} s of CPU`);
    assert.equal(run.document.verdict.outcome, 'invalid', run.output);
    assert.ok(
      run.document.verdict.reasons.some((/** @type {string} */ reason) =>
        /^other processes used .* of the machine's CPU/.test(reason),
      ),
      run.output,
    );
    const shared = run.document.findings.find(
      (/** @type {any} */ { subject }) => subject === 'shared machine',
    );
    assert.ok(shared, run.output);
  } finally {
    for (const burner of burners) burner.kill('SIGKILL');
  }
});

test('results outside the project: RESULTS_DIR and RUN may be any folder', async () => {
  const outside = join(clone.base, 'elsewhere', 'results');
  const run = await clone.run('load', { ...BRIEF, RESULTS_DIR: outside });
  assertJudged(run);
  const compared = await clone.command(
    clone.script('compare', `RESULTS_DIR=${outside}`, `BASE=${run.document.testid}`, 'HEAD=nope'),
  );
  assert.equal(compared.code, 2, compared.output);
  assert.match(compared.output, /HEAD has "nope"/, 'the run of BASE is found there');
  const copy = join(clone.base, 'copy of a run');
  cpSync(join(outside, run.document.testid), copy, { recursive: true });
  rmSync(join(copy, 'report.html'));
  const report = await clone.make('report', { RUN: copy });
  assert.equal(report.code, 0, report.output);
  assert.ok(existsSync(join(copy, 'report.html')), report.output);
});

test('a restarted target has its network signals again', async () => {
  const target = clone.service('target').Id;
  docker('restart', target);
  const since = Date.now() / 1000;
  await eventually(async () => {
    const [up] = await clone.askPrometheus('up{job="node", instance=~"target:.*"} == 1');
    assert.ok(up, 'the exporter in the target’s network is not scraped');
    // Of the old network there would be no more samples.
    const [sample] = await clone.askPrometheus(
      'timestamp(node_netstat_Tcp_ActiveOpens{job="node", instance=~"target:.*"})',
    );
    assert.ok(Number(sample?.value[1]) > since, `the newest sample is older than the restart`);
  }, 90);
  assert.equal(clone.service('target').Id, target);
  await eventually(async () => {
    const status = await clone.make('status');
    assert.equal(status.code, 0, status.output);
  }, 60);
});

/** Does the target answer on this host, and Prometheus? */
const assertReached = () =>
  eventually(async () => {
    const answer = await fetch(clone.envFile('stack.env').TARGET_URL?.replace(/mcp$/, 'health') ?? '');
    assert.equal(answer.status, 200);
    const scraped = await clone.askPrometheus('up{instance=~"target:.*"}');
    assert.deepEqual(
      scraped.map(({ value }) => value[1]),
      ['1', '1'],
    );
  }, 30);

test('make up WORKERS=2 replaces the target, and nothing next to it', async () => {
  const [target, network, namespace] = ['target', 'target-network', 'target-namespace'].map((name) =>
    clone.service(name),
  );
  const up = await clone.make('up', { WORKERS: '2' });
  assert.equal(up.code, 0, up.output);
  assert.match(up.output, /^target .* WORKERS=2$/m);
  assert.notEqual(clone.service('target').Id, target.Id);
  for (const part of [network, namespace])
    assert.deepEqual(inspect(part.Id)[0].State.StartedAt, part.State.StartedAt, part.Name);
  const processes = docker('exec', namespace.Id, 'ps', '-o', 'args');
  assert.equal(processes.match(/target\/server\.js/g)?.length, 3, processes);
  await assertReached();
});

test('a target whose network is gone is not called healthy: it ends with it, and make up brings both back', async () => {
  docker('restart', '--time', '1', clone.service('target-namespace').Id);
  const status = await clone.make('status');
  assert.notEqual(status.code, 0, status.output);
  assert.match(status.output, /^target +down /m);
  const up = await clone.make('up');
  assert.equal(up.code, 0, up.output);
  assert.match(up.output, /^target +up .* WORKERS=2$/m);
  await assertReached();
});

test('after git pull the next command runs the new code: run.json has its commit', async () => {
  const scenario = join(clone.folder, 'scenarios/baseline.js');
  const text = readFileSync(scenario, 'utf8');
  assert.match(text, /^ {2}title: '/m);
  writeFileSync(scenario, text.replace(/^ {2}title: '/m, "  title: 'Pulled just now: "));
  clone.git('commit', '--quiet', '--all', '--message', 'Change a title');
  const variables = { PROFILE: 'smoke', DURATION: '12s', THRESHOLDS: 'off' };
  const made = await clone.make('baseline', variables);
  const { document, folder } = latest(clone.results);
  assert.equal(document.test, 'baseline', made.output);
  assertJudged({ ...made, code: document.verdict.exit_code, document, folder });
  assert.match(document.title, /^Pulled just now: /);
  assert.deepEqual(document.environment.git, { commit: clone.git('rev-parse', 'HEAD'), dirty: false });
  appendFileSync(scenario, '// changed\n');
  const run = await clone.run('load', BRIEF);
  assert.equal(run.document?.environment.git.dirty, true, run.output);
  const ofProject = `label=com.docker.compose.project=${project}`;
  assert.equal(
    docker('images', '--quiet', '--filter', 'dangling=true', '--filter', ofProject),
    '',
    'images that were replaced',
  );
});

/**
 * What `kubectl apply -k` would hand to a cluster, as far as it can be checked without one: it is rendered by kustomize, checked
 * against Kubernetes' and the operators' schemas, and the k6 commands that the k6-operator makes of it are run here.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { runOf } from '../../deploy/kubernetes/manifests.ts';
import { SPLIT } from '../../scripts/test-reference.ts';
import { expand, initializerArguments, runnerArguments } from '../kubernetes/operator.js';
import { checker } from '../kubernetes/schemas.js';
import { command, envFile, freePort, prometheusAccess, startCommand } from '../lab.js';
import { ownStack } from '../own-stack.js';
import { toolPath } from '../tool.js';

await ownStack();

const FOLDER = 'deploy/kubernetes';
const scratch = mkdtempSync(join(tmpdir(), 'kubernetes-'));
after(() => rmSync(scratch, { recursive: true }));

/** @param {string} folder @returns {any[]} */
function render(folder) {
  const text = execFileSync(toolPath('kustomize'), ['build', folder], { encoding: 'utf8' });
  return parseAllDocuments(text).map((one) => one.toJS());
}

/** @param {any[]} manifests @param {string} kind */
const the = (manifests, kind) => manifests.find((one) => one.kind === kind);

/** @param {any[]} manifests */
const runVariables = (manifests) =>
  manifests.find((one) => one.kind === 'ConfigMap' && one.metadata.name === 'mcp-load-lab-run');

/**
 * A kustomization of one's own, as example/ is one.
 *
 * @param {Record<string, string>} variables
 */
function ownRun(variables) {
  const folder = mkdtempSync(join(scratch, 'run-'));
  // kustomize takes relative paths alone.
  const root = join('../'.repeat(folder.split('/').length - 1), resolve(FOLDER));
  const kustomization = {
    resources: [join(root, 'base')],
    configMapGenerator: [
      {
        name: 'mcp-load-lab-run',
        namespace: 'mcp-load-lab',
        behavior: 'merge',
        literals: Object.entries(variables).map(([name, value]) => `${name}=${value}`),
      },
    ],
    generatorOptions: { disableNameSuffixHash: true },
  };
  writeFileSync(join(folder, 'kustomization.yaml'), stringify(kustomization));
  return folder;
}

test('everything that is applied is as the API server and the operators want it', () => {
  const check = checker(process.env.K6_OPERATOR_CRD);
  const rules = parseAllDocuments(execFileSync(`${FOLDER}/rules.js`, { encoding: 'utf8' }));
  const manifests = [
    ...runOf(render(`${FOLDER}/base`)).manifests,
    ...[`${FOLDER}/example`, `${FOLDER}/monitoring`].flatMap(render),
    ...rules.map((one) => one.toJS()),
    parse(readFileSync(`${FOLDER}/namespace.yaml`, 'utf8')),
    parse(readFileSync(`${FOLDER}/network-policy.yaml`, 'utf8')),
  ];
  for (const one of manifests) assert.deepEqual(check(one), [], one.metadata.name);
  const kinds = new Set(manifests.map(({ kind }) => kind));
  assert.deepEqual([...kinds].sort(), [
    'ConfigMap',
    'Job',
    'Namespace',
    'NetworkPolicy',
    'PrometheusRule',
    'Secret',
    'Service',
    'ServiceMonitor',
    'TestRun',
  ]);
});

test('a field that is wrong is found, in each kind', () => {
  const check = checker(process.env.K6_OPERATOR_CRD);
  const example = render(`${FOLDER}/example`);
  const monitoring = render(`${FOLDER}/monitoring`);
  /** @type {[any, (manifest: any) => void, RegExp][]} */
  const wrong = [
    [the(example, 'TestRun'), ({ spec }) => delete spec.script, /required property 'script'/],
    [the(example, 'TestRun'), ({ spec }) => (spec.parallelism = '2'), /parallelism: must be integer/],
    [the(example, 'TestRun'), ({ spec }) => (spec.arguements = ''), /additional properties arguements/],
    [the(example, 'TestRun'), ({ spec }) => (spec.runner.envForm = []), /runner: .*envForm/],
    [the(example, 'TestRun'), ({ spec }) => delete spec.runner.env[0].name, /env\/0: .*'name'/],
    [
      the(example, 'TestRun'),
      ({ spec }) => (spec.runner.containerSecurityContext.readonlyRootFilesystem = true),
      /containerSecurityContext: .*readonlyRootFilesystem/,
    ],
    [the(example, 'TestRun'), ({ spec }) => (spec.cleanup = 'pre'), /cleanup: must be .*allowed values/],
    [runVariables(example), ({ data }) => (data.MAX_VUS = 100), /data\/MAX_VUS: must be string/],
    [the(monitoring, 'ServiceMonitor'), ({ spec }) => delete spec.selector, /required property 'selector'/],
    [
      the(monitoring, 'ServiceMonitor'),
      ({ spec }) => (spec.endpoints[0].relabelings[0].target = 'job'),
      /relabelings\/0: .*target/,
    ],
    [the(monitoring, 'ServiceMonitor'), (one) => (one.apiVersion = 'monitoring.coreos.com/v2'), /no schema/],
  ];
  for (const [manifest, change, expected] of wrong) {
    const changed = structuredClone(manifest);
    change(changed);
    assert.match(check(changed).join('\n'), expected);
  }
});

test('the image of a run is named in one place', () => {
  const manifests = render(`${FOLDER}/example`);
  const { spec } = the(manifests, 'TestRun');
  assert.equal(spec.runner.image, 'registry.example.com/your-group/mcp-load-lab/lab:0.1.0');
  assert.equal(spec.initializer.image, spec.runner.image);
  assert.equal(the(manifests, 'Job').spec.template.spec.containers[0].image, spec.runner.image);
});

test('the rules are ones that Prometheus takes', () => {
  for (const document of parseAllDocuments(execFileSync(`${FOLDER}/rules.js`, { encoding: 'utf8' }))) {
    const { metadata, spec } = document.toJS();
    const file = join(scratch, `${metadata.name}.yml`);
    writeFileSync(file, stringify(spec));
    execFileSync(toolPath('promtool'), ['check', 'rules', file], { stdio: 'pipe' });
  }
});

/**
 * The environment of a runner, or of the initializer.
 *
 * @param {any[]} manifests
 * @param {string} generator the name of the Job
 * @param {Record<string, string>} [secret]
 */
function container(manifests, generator, secret = {}) {
  const { data } = runVariables(manifests);
  return { PATH: process.env.PATH ?? '', ...data, ...secret, GENERATOR: generator };
}

/** @param {any[]} manifests @param {string} archive to write */
function initialize(manifests, archive) {
  const testrun = the(manifests, 'TestRun');
  const env = container(manifests, `${testrun.metadata.name}-initializer`);
  const [pack = [], inspect = []] = initializerArguments(testrun, archive);
  const k6 = (/** @type {string[]} */ args) =>
    execFileSync(toolPath('k6'), args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  k6(expand(pack, env));
  return { testrun, inspected: JSON.parse(k6(inspect)) };
}

/**
 * Whether a runner's memory is enough for its users, at what docs/scale.md has measured.
 *
 * @param {number} users
 * @param {any} testrun
 */
function fits(users, { metadata, spec }) {
  const [, megabytes] = /^ +memory += VUs x ([\d.]+) MB$/m.exec(readFileSync('docs/scale.md', 'utf8')) ?? [];
  const [, mebibytes] = /^GOMEMLIMIT=(\d+)MiB$/m.exec(readFileSync(`${FOLDER}/base/run.env`, 'utf8')) ?? [];
  const each = (users / spec.parallelism) * Number(megabytes);
  assert.ok(each < (Number(mebibytes) * 1024 ** 2) / 1e6, `${metadata.name}: ${each} MB a runner`);
}

test('the initializer finds each test to be one that two runners can share', () => {
  for (const name of SPLIT) {
    const { testrun, inspected } = initialize(render(ownRun({ TEST: name })), join(scratch, `${name}.tar`));
    // The operator refuses a run with fewer users than runners.
    assert.ok(inspected.maxVUs >= testrun.spec.parallelism, name);
    fits(inspected.maxVUs, testrun);
    assert.equal(inspected.ext['mcp-load-lab'].test, name);
  }
});

test('the runners of the example have the memory for its users', () => {
  const manifests = render(`${FOLDER}/example`);
  const { WORKLOAD: _, ...variables } = runVariables(manifests).data;
  const { inspected } = initialize(render(ownRun(variables)), join(scratch, 'example.tar'));
  assert.ok(inspected.maxVUs > 10_000);
  fits(inspected.maxVUs, the(manifests, 'TestRun'));
});

/** @param {string} cluster @param {string} what @param {any} answer */
const tell = (cluster, what, answer) => writeFileSync(join(cluster, `${what}.json`), JSON.stringify(answer));

/** @param {string} file @returns {Promise<any>} as soon as it is there, and whole */
async function awaited(file) {
  for (let tries = 0; tries < 600; tries += 1) {
    try {
      return JSON.parse(readFileSync(file, 'utf8'));
    } catch {
      await pause(100);
    }
  }
  throw new Error(`${file} does not come`);
}

/**
 * The collector, as its Job runs it, on a port of this machine.
 *
 * @param {any[]} manifests
 * @param {string} folder that stands for the cluster
 */
async function collect(manifests, folder) {
  const [{ env, command: words }] = the(manifests, 'Job').spec.template.spec.containers;
  const own = Object.fromEntries(env.map((/** @type {any} */ { name, value }) => [name, value]));
  const port = await freePort();
  const { K6_LAB_TOKEN } = the(manifests, 'Secret').stringData;
  const more = { K6_LAB_TOKEN, FOLDER: join(folder, own.FOLDER), HOST: '127.0.0.1', PORT: `${port}` };
  const job = spawn(words[0], words.slice(1), { env: { ...process.env, ...own, ...more }, stdio: 'inherit' });
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; !(await fetch(`${url}/ready`).catch(() => null))?.ok; tries += 1) {
    assert.ok(tries < 100, 'the collector does not come up');
    await pause(50);
  }
  return { url, stop: () => job.kill() };
}

/**
 * Does with what is applied as the operator would: runs the runners, paused and then started together, and tells what became of them.
 *
 * @param {string} cluster a folder
 * @param {(runners: import('node:child_process').ChildProcess[]) => void} [meanwhile]
 */
async function operate(cluster, meanwhile) {
  const { items: manifests } = await awaited(join(cluster, 'apply.json'));
  const testrun = the(manifests, 'TestRun');
  const { name } = testrun.metadata;
  const stage = (/** @type {string} */ stage) =>
    tell(cluster, `testruns.k6.io_${name}`, { ...testrun, status: { stage } });
  const { url, stop } = await collect(manifests, cluster);
  try {
    const { PROMETHEUS_USERNAME, PROMETHEUS_PASSWORD } = prometheusAccess();
    const secret = {
      TARGET_TOKEN: `${envFile('secrets.env').TARGET_TOKEN}\n`,
      K6_LAB_TOKEN: the(manifests, 'Secret').stringData.K6_LAB_TOKEN,
      K6_PROMETHEUS_RW_USERNAME: PROMETHEUS_USERNAME,
      K6_PROMETHEUS_RW_PASSWORD: PROMETHEUS_PASSWORD,
    };
    const runners = [];
    for (let index = 1; index <= testrun.spec.parallelism; index += 1) {
      const job = `${name}-${index}`;
      const env = { ...container(manifests, job, secret), K6_LAB_SERVER_URL: `${url}/${job}` };
      const port = await freePort();
      const words = expand(runnerArguments(testrun, index), env).map((word) =>
        word.replace('0.0.0.0:6565', `127.0.0.1:${port}`).replace('/tmp/lab', join(cluster, `lab-${index}`)),
      );
      const k6 = spawn(toolPath('k6'), words, { env, stdio: ['ignore', 'pipe', 'pipe'] });
      let log = '';
      for (const stream of [k6.stdout, k6.stderr]) stream.on('data', (chunk) => (log += chunk));
      const ended = once(k6, 'close').then(([code, signal]) => {
        writeFileSync(join(cluster, `job_${job}.log`), log);
        const terminated = { exitCode: signal === 'SIGKILL' ? 137 : code };
        return {
          metadata: { name: `${job}-abcde`, labels: { 'job-name': job } },
          status: { containerStatuses: [{ state: { terminated } }] },
        };
      });
      runners.push({ api: `http://127.0.0.1:${port}/v1/status`, ended, k6 });
    }
    stage('created');
    for (const { api } of runners) {
      // As soon as it listens, which takes the making of its users.
      for (let tries = 0; !(await fetch(api).catch(() => null))?.ok; tries += 1) {
        assert.ok(tries < 200, 'k6 does not come up');
        await pause(50);
      }
    }
    stage('started');
    const data = { data: { attributes: { paused: false }, id: 'default', type: 'status' } };
    for (const { api } of runners) await fetch(api, { method: 'PATCH', body: JSON.stringify(data) });
    meanwhile?.(runners.map(({ k6 }) => k6));
    tell(cluster, 'pods', { items: await Promise.all(runners.map(({ ended }) => ended)) });
    stage('finished');
    await awaited(join(cluster, 'delete.json'));
  } catch (error) {
    stage('error');
    throw error;
  } finally {
    stop();
  }
}

/** The environment in which kubectl is that of tests/kubernetes. @param {string} cluster a folder */
const kubectlOf = (cluster) => ({
  CLUSTER: cluster,
  KUSTOMIZE: toolPath('kustomize'),
  PATH: [resolve('tests/kubernetes'), process.env.PATH].join(delimiter),
  RESULTS_DIR: join(cluster, 'results'),
});

/**
 * @param {Record<string, string>} variables
 * @param {Parameters<typeof operate>[1]} [meanwhile]
 * @returns {Promise<{code: number | null, output: string, results: string, run: any}>}
 */
async function runInCluster(variables, meanwhile) {
  const cluster = mkdtempSync(join(scratch, 'cluster-'));
  const { TARGET_URL = '', PROMETHEUS_URL = '' } = envFile('stack.env');
  const folder = ownRun({
    ...{ PROFILE: 'smoke', MAX_VUS: '50', MAX_BACKGROUND_CPU: '1', TARGET_URL },
    ...{ K6_PROMETHEUS_RW_SERVER_URL: `${PROMETHEUS_URL}/api/v1/write`, ...variables },
  });
  const env = { ...kubectlOf(cluster), ...prometheusAccess() };
  const words = [`${FOLDER}/main.ts`, folder, '--prometheus', PROMETHEUS_URL, '--server', 'reference'];
  const [{ code, output }] = await Promise.all([
    command(process.execPath, words, env),
    operate(cluster, meanwhile),
  ]);
  const results = join(env.RESULTS_DIR, 'latest');
  return { code, output, results, run: JSON.parse(readFileSync(join(results, 'run.json'), 'utf8')) };
}

test('two runners share the load, and are judged once, as a whole', async () => {
  const { code, output, results, run } = await runInCluster({ TEST: 'sustained', DURATION: '6s' });
  // A busy machine may make the figures invalid (98), or miss an objective (99), but not wrong.
  assert.ok([0, 98, 99].includes(code ?? -1), output);
  const [phase] = run.phases.filter((/** @type {any} */ one) => one.measured);
  // 850/s at a fifth of the rate.
  assert.equal(phase.offered_rps, 170);
  assert.ok(Math.abs(phase.requests + phase.dropped - 170 * 6) <= 2, `${phase.requests} + ${phase.dropped}`);
  const parts = readdirSync(join(results, 'runners')).map((name) => {
    const { groups } = JSON.parse(readFileSync(join(results, 'runners', name, 'measured.json'), 'utf8'));
    const own = groups.filter((/** @type {any} */ one) => one.phase === 'sustained');
    const sum = (/** @type {string} */ field) =>
      own.reduce((/** @type {number} */ total, /** @type {any} */ one) => total + (one[field] ?? 0), 0);
    return { name, requests: sum('requests'), planned: sum('requests') + sum('dropped') };
  });
  assert.deepEqual(
    parts.map(({ name }) => name),
    ['mcp-load-lab-1', 'mcp-load-lab-2'],
  );
  for (const { planned } of parts) assert.ok(Math.abs(planned - 170 * 3) <= 1, `${planned} of 1,020`);
  assert.equal(
    phase.requests,
    (parts[0]?.requests ?? 0) + (parts[1]?.requests ?? 0),
    'what both sent is added up',
  );
  const seconds = readFileSync(join(results, 'seconds.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const inSeconds = seconds
    .flatMap(({ groups = {} }) => Object.values(groups))
    .reduce((sum, { requests = 0 }) => sum + requests, 0);
  assert.equal(inSeconds, phase.requests);
  assert.ok(run.signals.length > 0, output);
});

test('a runner that is killed is named, with its exit code', async () => {
  const { code, output, run } = await runInCluster({ TEST: 'sustained', DURATION: '6s' }, ([, second]) =>
    setTimeout(() => second?.kill('SIGKILL'), 2000),
  );
  assert.equal(code, 137, output);
  assert.match(
    run.verdict.reasons[0],
    /^mcp-load-lab-2 delivered no figures \(it exited with code 137\), so the run is not judged$/,
  );
});

test('a target that is not there ends the run with 3 and why', async () => {
  const TARGET_URL = `http://127.0.0.1:${await freePort()}/mcp`;
  const { code, output, run } = await runInCluster({ TEST: 'sustained', TARGET_URL });
  assert.equal(code, 3, output);
  assert.equal(run.verdict.exit_code, 3);
  assert.match(run.verdict.reasons[0], /cannot be reached|can't be reached|refused/);
});

test('Ctrl-C removes the run from the cluster', async () => {
  const cluster = mkdtempSync(join(scratch, 'cluster-'));
  const { child, ended } = startCommand(
    process.execPath,
    [`${FOLDER}/main.ts`, ownRun({})],
    kubectlOf(cluster),
  );
  const { items } = await awaited(join(cluster, 'apply.json'));
  child.kill('SIGINT');
  const { code, output } = await ended;
  assert.equal(code, 130, output);
  assert.deepEqual(JSON.parse(readFileSync(join(cluster, 'delete.json'), 'utf8')).items, items);
  assert.match(output, /interrupted/);
});

test('bad usage is one clear line, with exit code 2', async () => {
  const none = await command(process.execPath, [`${FOLDER}/main.ts`]);
  assert.equal(none.code, 2);
  assert.match(none.output, /^error: expected one kustomization folder, got 0; usage: /);
});

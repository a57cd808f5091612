/**
 * What `kubectl apply -k` would hand to a cluster, as far as it can be checked without one: it is rendered by kustomize, checked
 * against Kubernetes' and the operators' schemas, and the k6 commands that the k6-operator makes of it are run here.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { expand, initializerArguments, runnerArguments } from '../kubernetes/operator.js';
import { checker } from '../kubernetes/schemas.js';
import { askPrometheus, command, envFile, freePort, prometheusAccess } from '../lab.js';
import { ownStack } from '../own-stack.js';
import { toolPath } from '../tool.js';

await ownStack();

const FOLDER = 'deploy/kubernetes';
const OVERLAYS = readdirSync(`${FOLDER}/overlays`);
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
 * @param {string} overlay
 * @param {Record<string, string>} variables
 * @param {string[]} [components]
 */
function ownRun(overlay, variables, components = []) {
  const folder = mkdtempSync(join(scratch, 'run-'));
  // kustomize takes relative paths alone.
  const root = join('../'.repeat(folder.split('/').length - 1), resolve(FOLDER));
  const kustomization = {
    resources: [join(root, 'overlays', overlay)],
    components: components.map((name) => join(root, 'components', name)),
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
    ...OVERLAYS.flatMap((name) => render(`${FOLDER}/overlays/${name}`)),
    ...[`${FOLDER}/example`, `${FOLDER}/monitoring`].flatMap(render),
    ...render(ownRun('load', {}, ['testid'])),
    ...rules.map((one) => one.toJS()),
    parse(readFileSync(`${FOLDER}/namespace.yaml`, 'utf8')),
  ];
  for (const one of manifests) assert.deepEqual(check(one), [], one.metadata.name);
  const kinds = new Set(manifests.map(({ kind }) => kind));
  assert.deepEqual([...kinds].sort(), [
    'ConfigMap',
    'Namespace',
    'PrometheusRule',
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
  const { spec } = the(render(`${FOLDER}/example`), 'TestRun');
  assert.equal(spec.runner.image, 'registry.example.com/your-group/mcp-load-lab/lab:0.1.0');
  assert.equal(spec.initializer.image, spec.runner.image);
  assert.equal(spec.runner.metadata.labels.testid, 'spike-2026-01-02-1');
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

/** @param {string} folder a kustomization @param {string} archive to write */
function initialize(folder, archive) {
  const manifests = render(folder);
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
  const [, megabytes] =
    /^ +memory += users x ([\d.]+) MB$/m.exec(readFileSync('docs/scale.md', 'utf8')) ?? [];
  const [, mebibytes] = /^GOMEMLIMIT=(\d+)MiB$/m.exec(readFileSync(`${FOLDER}/base/run.env`, 'utf8')) ?? [];
  const each = (users / spec.parallelism) * Number(megabytes);
  assert.ok(each < (Number(mebibytes) * 1024 ** 2) / 1e6, `${metadata.name}: ${each} MB a runner`);
}

test('the initializer finds each test to be one that two runners can share', () => {
  for (const name of OVERLAYS) {
    const { testrun, inspected } = initialize(`${FOLDER}/overlays/${name}`, join(scratch, `${name}.tar`));
    // The operator refuses a run with fewer users than runners.
    assert.ok(inspected.maxVUs >= testrun.spec.parallelism, name);
    fits(inspected.maxVUs, testrun);
    assert.equal(testrun.metadata.name, name);
    assert.equal(inspected.ext['mcp-load-lab'].test, name);
  }
});

test('the runners of the example have the memory for its users', () => {
  const manifests = render(`${FOLDER}/example`);
  const { WORKLOAD: _, ...variables } = runVariables(manifests).data;
  const { inspected } = initialize(ownRun('spike', variables), join(scratch, 'example.tar'));
  assert.ok(inspected.maxVUs > 10_000);
  fits(inspected.maxVUs, the(manifests, 'TestRun'));
});

/**
 * Runs a kustomization's runners as the operator does, paused and then started together, and leaves what the cluster would
 * tell of them.
 *
 * @param {string} folder
 * @returns {Promise<string>} the cluster's folder
 */
async function operate(folder) {
  const manifests = render(folder);
  const testrun = the(manifests, 'TestRun');
  const { name } = testrun.metadata;
  const cluster = mkdtempSync(join(scratch, 'cluster-'));
  const { PROMETHEUS_USERNAME, PROMETHEUS_PASSWORD } = prometheusAccess();
  const secret = {
    TARGET_TOKEN: envFile('secrets.env').TARGET_TOKEN ?? '',
    K6_PROMETHEUS_RW_USERNAME: PROMETHEUS_USERNAME,
    K6_PROMETHEUS_RW_PASSWORD: PROMETHEUS_PASSWORD,
  };
  const runners = [];
  for (let index = 1; index <= testrun.spec.parallelism; index += 1) {
    const env = container(manifests, `${name}-${index}`, secret);
    const port = await freePort();
    const words = expand(runnerArguments(testrun, index), env).map((word) =>
      word.replace('0.0.0.0:6565', `127.0.0.1:${port}`),
    );
    const k6 = spawn(toolPath('k6'), words, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let log = '';
    for (const stream of [k6.stdout, k6.stderr]) stream.on('data', (chunk) => (log += chunk));
    const ended = once(k6, 'close').then(([code]) => {
      const pod = `${name}-${index}-abcde`;
      writeFileSync(join(cluster, `${pod}.log`), log);
      const terminated = { exitCode: code, startedAt, finishedAt: new Date().toISOString() };
      return { metadata: { name: pod }, status: { containerStatuses: [{ state: { terminated } }] } };
    });
    const startedAt = new Date().toISOString();
    runners.push({ url: `http://127.0.0.1:${port}/v1/status`, ended });
  }
  for (const { url } of runners) {
    // As soon as it listens, which takes the making of its users.
    for (let tries = 0; ; tries += 1) {
      const answer = await fetch(url).catch(() => null);
      if (answer?.ok) break;
      assert.ok(tries < 200, 'k6 does not come up');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  const data = { data: { attributes: { paused: false }, id: 'default', type: 'status' } };
  for (const { url } of runners) await fetch(url, { method: 'PATCH', body: JSON.stringify(data) });
  const items = await Promise.all(runners.map(({ ended }) => ended));
  tell(cluster, 'pods', { items });
  tell(cluster, 'configmap_mcp-load-lab-run', runVariables(manifests));
  tell(cluster, `testruns.k6.io_${name}`, { ...testrun, status: { stage: 'finished' } });
  return cluster;
}

/** @param {string} cluster @param {string} what @param {any} answer */
const tell = (cluster, what, answer) => writeFileSync(join(cluster, `${what}.json`), JSON.stringify(answer));

/** @param {string} cluster @param {string} name @param {string} testid */
async function judge(cluster, name, testid) {
  const results = join(cluster, 'results');
  mkdirSync(results, { recursive: true });
  const options = ['--prometheus', envFile('stack.env').PROMETHEUS_URL ?? '', '--server', 'reference'];
  const PATH = [resolve('tests/kubernetes'), process.env.PATH].join(delimiter);
  const env = { CLUSTER: cluster, PATH, RESULTS_DIR: results, ...prometheusAccess() };
  const { code, output } = await command(`${FOLDER}/judge.js`, [name, ...options], env);
  const file = join(results, testid, 'run.json');
  return { code, output, file };
}

/** @param {string} testid */
function onThisStack(testid) {
  const { TARGET_URL = '', PROMETHEUS_URL = '' } = envFile('stack.env');
  return { TESTID: testid, TARGET_URL, K6_PROMETHEUS_RW_SERVER_URL: `${PROMETHEUS_URL}/api/v1/write` };
}

const unique = (/** @type {string} */ name) => `${name}-${process.pid}-${Date.now()}`;

test('two runners share the load, and are judged once, as a whole', async () => {
  const testid = unique('sustained');
  const variables = {
    ...onThisStack(testid),
    PROFILE: 'smoke',
    DURATION: '6s',
    MAX_VUS: '50',
    MAX_BACKGROUND_CPU: '1',
  };
  const cluster = await operate(ownRun('sustained', variables, ['testid']));
  const { code, output, file } = await judge(cluster, 'sustained', testid);
  // A busy machine may make the figures invalid (98), or miss an objective (99), but not wrong.
  assert.ok([0, 98, 99].includes(code ?? -1), output);
  const run = JSON.parse(readFileSync(file, 'utf8'));
  const [phase] = run.phases.filter((/** @type {any} */ one) => one.measured);
  // 850/s at a fifth of the rate.
  assert.equal(phase.offered_rps, 170);
  assert.ok(Math.abs(phase.requests + phase.dropped - 170 * 6) <= 2, `${phase.requests} + ${phase.dropped}`);
  const sent = await byGenerator(testid, 'mcp_requests');
  assert.equal(phase.requests, sum(sent), 'what both wrote is added up');
  const planned = await byGenerator(testid, 'mcp_requests|dropped_iterations');
  assert.deepEqual(Object.keys(planned).sort(), ['sustained-1', 'sustained-2']);
  for (const count of Object.values(planned)) assert.ok(Math.abs(count - 170 * 3) <= 1, `${count} of 1,020`);

  const again = await judge(cluster, 'sustained', testid);
  assert.equal(again.code, 2);
  assert.match(again.output, /^judge: sustained-\S+ is judged already: /);
  rmSync(join(cluster, 'results'), { recursive: true });

  const pods = () => JSON.parse(readFileSync(join(cluster, 'pods.json'), 'utf8'));
  const { items } = pods();
  // Of another one of the same name, two minutes later.
  const later = pods();
  for (const { status } of later.items) {
    const { terminated } = status.containerStatuses[0].state;
    terminated.startedAt = new Date(Date.parse(terminated.startedAt) + 120_000).toISOString();
    terminated.finishedAt = new Date(Date.parse(terminated.startedAt) + 1).toISOString();
  }
  tell(cluster, 'pods', later);
  const mixed = await judge(cluster, 'sustained', testid);
  assert.equal(mixed.code, 98);
  assert.match(
    mixed.output,
    /^judge: sustained-\S+ was another run's TESTID, too, at 2\S+: their figures can't/m,
  );

  // Of a runner that was killed.
  const killed = pods();
  killed.items = structuredClone(items);
  killed.items[1].status.containerStatuses[0].state.terminated.exitCode = 137;
  tell(cluster, 'pods', killed);
  const error = await judge(cluster, 'sustained', testid);
  assert.equal(error.code, 137, error.output);

  // Of one that never reached Prometheus.
  const testrun = JSON.parse(readFileSync(join(cluster, 'testruns.k6.io_sustained.json'), 'utf8'));
  testrun.spec.parallelism = 3;
  tell(cluster, 'testruns.k6.io_sustained', testrun);
  tell(cluster, 'pods', { items: [...items, items[0]] });
  const missing = await judge(cluster, 'sustained', testid);
  assert.equal(missing.code, 98);
  assert.match(
    missing.output,
    /^judge: Prometheus has figures of 2 of 3 runners of sustained-.*: not judged$/m,
  );
});

/** @param {Record<string, number>} counts */
const sum = (counts) => Object.values(counts).reduce((total, count) => total + count, 0);

/**
 * @param {string} testid
 * @param {string} names of counters, a regular expression
 * @returns {Promise<Record<string, number>>} their sum in the measured phase, by generator
 */
async function byGenerator(testid, names) {
  const series = `{__name__=~"k6_(${names})_total",testid="${testid}",scenario="sustained"}`;
  const query = `sum by (generator) (last_over_time(${series}[5m]))`;
  const { result } = await askPrometheus('query', { query });
  return Object.fromEntries(
    result.map((/** @type {any} */ { metric, value }) => [metric.generator, Number(value[1])]),
  );
}

test('bad usage is one clear line, with exit code 2', async () => {
  const none = await command(`${FOLDER}/judge.js`, []);
  assert.equal(none.code, 2);
  assert.match(none.output, /^judge: one TestRun is needed, got 0\nusage: /);
});

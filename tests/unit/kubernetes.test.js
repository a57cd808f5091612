import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import { generatorEnvironment } from '../../cli/k6.ts';
import { partOf, scriptOf } from '../../contract/tests.js';
import { runOf } from '../../deploy/kubernetes/manifests.ts';
import { variables } from '../../lib/config.js';
import { SPLIT } from '../../scripts/test-reference.ts';
import { expand, initializerArguments, segment } from '../kubernetes/operator.js';

const FOLDER = 'deploy/kubernetes';
const read = (/** @type {string} */ file) => parse(readFileSync(`${FOLDER}/${file}`, 'utf8'));
/** @type {Record<string, string>} */
const runEnv = Object.fromEntries(
  [...readFileSync(`${FOLDER}/base/run.env`, 'utf8').matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [
    name,
    value,
  ]),
);

test('none of them steers something, or is one user, or leaves things behind', () => {
  assert.ok(SPLIT.includes('spike') && !SPLIT.includes('capacity') && !SPLIT.includes('crud'));
  for (const name of SPLIT) {
    assert.equal(partOf(name, 'trials'), null);
    const source = readFileSync(scriptOf(name), 'utf8');
    assert.doesNotMatch(source, /^ {2}(sequence|prepare|cleanUp|observe):/m, name);
  }
});

test('a runner is tuned as a run on one machine is', () => {
  const ofAll = Object.entries(process.env).filter(([name]) => /^K6_(AUTO|NO)_/.test(name));
  assert.equal(ofAll.length, 2);
  for (const [name, value = ''] of [...ofAll, ...Object.entries(generatorEnvironment(0))]) {
    // The image's working folder is the project's.
    if (name !== 'GOMEMLIMIT') assert.equal(runEnv[name], value.replace(`${process.cwd()}/`, ''), name);
  }
  const { runner } = read('base/testrun.yaml').spec;
  const mebibytes = (/** @type {string} */ text) =>
    Number.parseInt(text, 10) * (text.includes('G') ? 1024 : 1);
  assert.equal(mebibytes(runEnv.GOMEMLIMIT ?? ''), 0.75 * mebibytes(runner.resources.limits.memory));
});

test('what is in git holds variables that there are, and no secret', () => {
  for (const [name, definition] of Object.entries(variables)) {
    if ('secret' in definition) assert.ok(!(name in runEnv), name);
  }
  for (const name of Object.keys(runEnv)) {
    assert.ok(name in variables || name === 'TEST' || /^(K6_|GO)/.test(name), name);
  }
  const { runner, initializer } = read('base/testrun.yaml').spec;
  assert.ok(runner.envFrom.some((/** @type {any} */ { secretRef }) => secretRef?.optional));
  assert.ok(!JSON.stringify(initializer).includes('secretRef'), 'what the initializer finds is in its log');
});

test('no pod may do more than a restricted one', () => {
  const { runner, initializer, starter } = read('base/testrun.yaml').spec;
  for (const pod of [runner, initializer, starter]) {
    assert.equal(pod.securityContext.runAsNonRoot, true);
    assert.equal(pod.securityContext.seccompProfile.type, 'RuntimeDefault');
    assert.deepEqual(pod.containerSecurityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    assert.equal(pod.automountServiceAccountToken, 'false');
  }
  const [job] = parseAllDocuments(readFileSync(`${FOLDER}/base/collector.yaml`, 'utf8'));
  const { spec } = /** @type {any} */ (job).toJS().spec.template;
  const [container] = spec.containers;
  assert.deepEqual(
    [spec.securityContext, spec.automountServiceAccountToken],
    [{ ...runner.securityContext }, false],
  );
  assert.deepEqual(container.securityContext, runner.containerSecurityContext);
});

test('the recording rules are those of the stack, but for what a generator is compared with', () => {
  const rules = 'provisioning/prometheus/rules';
  const groupsOf = (/** @type {any[]} */ all) => all.flatMap(({ rules }) => rules);
  const expected = groupsOf(
    readdirSync(rules).flatMap((file) => parse(readFileSync(`${rules}/${file}`, 'utf8')).groups),
  );
  const made = parseAllDocuments(execFileSync(`${FOLDER}/rules.js`, { encoding: 'utf8' })).map((one) =>
    one.toJS(),
  );
  const actual = groupsOf(made.flatMap(({ spec }) => spec.groups));
  assert.equal(actual.length, expected.length);
  const differ = actual.filter((rule, at) => JSON.stringify(rule) !== JSON.stringify(expected[at]));
  assert.deepEqual(
    differ.map(({ record }) => record),
    ['signal:generator_cpu:ratio'],
  );
  for (const { spec } of made) for (const { interval } of spec.groups) assert.match(interval, /^\d+s$/);
});

test('runners get the segments that the operator computes', () => {
  assert.deepEqual(segment(1, 1), []);
  assert.deepEqual(segment(1, 3), ['--execution-segment=0:1/3', '--execution-segment-sequence=0,1/3,2/3,1']);
  assert.deepEqual(segment(3, 3)[0], '--execution-segment=2/3:1');
});

test('what k6 archive has no use for is not handed to it', () => {
  const spec = {
    script: { localFile: 'scenarios/load.js' },
    arguments: '--tag a=$(A) --out experimental-prometheus-rw --no-thresholds',
    initializer: { env: [{ name: 'A' }] },
  };
  const [archive] = initializerArguments({ spec }, '/tmp/load.js.archived.tar');
  assert.deepEqual(expand(archive ?? [], { A: '1' }), [
    ...['archive', 'scenarios/load.js', '-e', 'A=1', '-O', '/tmp/load.js.archived.tar'],
    ...['--tag', 'a=1', '--no-thresholds'],
  ]);
});

/** @param {Record<string, string>} data @returns {any[]} */
const rendered = (data) => [
  { kind: 'ConfigMap', metadata: { name: 'mcp-load-lab-run' }, data },
  {
    kind: 'TestRun',
    metadata: { name: 'mcp-load-lab', namespace: 'n' },
    spec: { parallelism: 2, script: {}, runner: { metadata: { labels: {} } } },
  },
  {
    kind: 'Job',
    metadata: { name: 'c' },
    spec: { template: { spec: { containers: [{ env: [] }] } } },
  },
];

test('a run has a TESTID of its own, as a label too, and a token; the collector knows its runners', () => {
  const manifests = rendered({ TEST: 'spike' });
  const run = runOf(manifests);
  assert.match(run.testid, /^spike-2\d{7}T\d{6}Z-\w+$/);
  const [variables, testrun, job] = manifests;
  assert.equal(variables.data.TESTID, run.testid);
  assert.equal(testrun.spec.runner.metadata.labels.testid, run.testid);
  assert.equal(testrun.spec.script.localFile, 'scenarios/spike.js');
  assert.deepEqual(run.runners, ['mcp-load-lab-1', 'mcp-load-lab-2']);
  assert.deepEqual(job.spec.template.spec.containers[0].env, [
    { name: 'RUNNERS', value: run.runners.join() },
  ]);
  const [secret] = run.manifests;
  assert.deepEqual([secret?.kind, secret?.metadata.namespace], ['Secret', 'n']);
  assert.match(secret?.stringData.K6_LAB_TOKEN, /^[0-9a-f]{64}$/);
  assert.notEqual(
    runOf(rendered({ TEST: 'spike' })).manifests[0]?.stringData.K6_LAB_TOKEN,
    secret?.stringData.K6_LAB_TOKEN,
  );
  assert.equal(runOf(rendered({ TEST: 'spike', TESTID: 'mine' })).testid, 'mine');
});

test('its script is that of its test, also if the test is a folder', () => {
  const manifests = rendered({ TEST: 'ramp' });
  runOf(manifests);
  assert.equal(manifests[1].spec.script.localFile, 'scenarios/ramp/test.js');
});

test('a run that can not be made is one line, and says why', () => {
  /** @type {[any[], number, RegExp][]} */
  const cases = [
    [rendered({}), 2, /^TEST is ""; valid: baseline, batch, /],
    [rendered({ TEST: 'capacity' }), 2, /^TEST is "capacity"; valid: /],
    [rendered({ TEST: 'spike', TESTID: '../x' }), 2, /^TESTID is "\.\.\/x"; valid: /],
    [rendered({ TEST: 'spike' }).slice(1), 1, /has 0 ConfigMaps, expected one/],
    [[...rendered({ TEST: 'spike' }), { kind: 'TestRun', metadata: {} }], 1, /has 2 TestRuns, expected one/],
  ];
  for (const [manifests, code, message] of cases) assert.throws(() => runOf(manifests), { code, message });
});

test("a policy admits only the operator, its starter and Prometheus to k6's API, which runners have", () => {
  const { namespace } = read('base/kustomization.yaml');
  const { metadata, spec } = read('network-policy.yaml');
  assert.equal(metadata.namespace, namespace);
  // As the operator labels runners, and their Services, which Prometheus looks for.
  const [monitor] = parseAllDocuments(readFileSync(`${FOLDER}/monitoring/generators.yaml`, 'utf8'));
  assert.deepEqual(spec.podSelector, monitor?.toJS().spec.selector);
  const { port } = read('base/testrun.yaml').spec.runner.readinessProbe.httpGet;
  assert.equal(spec.ingress.length, 1);
  const [{ from, ports }] = spec.ingress;
  assert.deepEqual(ports, [{ protocol: 'TCP', port }]);
  // An empty selector would admit all.
  for (const peer of from)
    for (const { matchLabels } of Object.values(peer)) assert.ok(Object.keys(matchLabels).length > 0);
});

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import { generatorEnvironment } from '../../cli/k6.ts';
import { afterRun } from '../../deploy/kubernetes/after-run.js';
import { variables } from '../../lib/config.js';
import { expand, initializerArguments, segment } from '../kubernetes/operator.js';

const FOLDER = 'deploy/kubernetes';
const read = (/** @type {string} */ file) => parse(readFileSync(`${FOLDER}/${file}`, 'utf8'));
const names = (/** @type {string} */ folder) => readdirSync(folder).map((file) => file.replace(/\.js$/, ''));
/** @type {Record<string, string>} */
const runEnv = Object.fromEntries(
  [...readFileSync(`${FOLDER}/base/run.env`, 'utf8').matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [
    name,
    value,
  ]),
);

test('each test has an overlay, or the reason why it has none', () => {
  const guide = readFileSync(`${FOLDER}/README.md`, 'utf8');
  const [, table = ''] = /\| not here \| why \|\n\|---\|---\|\n((?:\|.*\n)+)/.exec(guide) ?? [];
  const without = [...table.matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([\w-]+)`/g)].map(([, name]) => name),
  );
  assert.deepEqual([...names(`${FOLDER}/overlays`), ...without].sort(), names('scenarios').sort());
});

test('no overlay is of a test that steers something, or is one user, or leaves things behind', () => {
  for (const name of names(`${FOLDER}/overlays`)) {
    assert.ok(!existsSync(`experiments/${name}.js`), name);
    const source = readFileSync(`scenarios/${name}.js`, 'utf8');
    assert.doesNotMatch(source, /^ {2}(sequence|prepare|cleanUp|raw|observe):/m, name);
  }
});

test('overlays differ in the name of the test alone', () => {
  const text = (/** @type {string} */ name) =>
    readFileSync(`${FOLDER}/overlays/${name}/kustomization.yaml`, 'utf8');
  const expected = text('spike');
  assert.equal(expected.match(/spike/g)?.length, 3);
  for (const name of names(`${FOLDER}/overlays`))
    assert.equal(text(name), expected.replaceAll('spike', name), name);
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
    assert.ok(name in variables || name === 'TESTID' || /^(K6_|GO)/.test(name), name);
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

/** @param {string} pod @param {number} exitCode @param {string} finishedAt */
const ended = (pod, exitCode, finishedAt) => ({
  metadata: { name: pod },
  status: {
    containerStatuses: [
      { state: { terminated: { exitCode, startedAt: '2026-01-02T00:00:00Z', finishedAt } } },
    ],
  },
});
const PODS = [ended('spike-1-a', 0, '2026-01-02T00:10:00Z'), ended('spike-2-b', 0, '2026-01-02T00:10:02Z')];
const RUN = { TESTID: 'spike-1', TEST: 'spike' };

/** @param {string} [stage] */
const testrun = (stage) => ({
  metadata: { name: 'spike' },
  spec: { parallelism: 2 },
  ...(stage && { status: { stage } }),
});

test('a run is judged when all its runners ended, by the last of them', () => {
  assert.deepEqual(afterRun(testrun('finished'), RUN, PODS), {
    testid: 'spike-1',
    test: 'spike',
    pods: ['spike-1-a', 'spike-2-b'],
    k6Exit: 0,
    startedS: Date.parse('2026-01-02T00:00:00Z') / 1000,
    endedS: Date.parse('2026-01-02T00:10:02Z') / 1000,
  });
  const killed = [PODS[0], ended('spike-2-b', 137, '2026-01-02T00:05:00Z')];
  const found = afterRun(testrun('finished'), RUN, killed);
  assert.equal('k6Exit' in found && found.k6Exit, 137);
});

test('a run that can not be judged is one line, and says why', () => {
  const running = {
    metadata: { name: 'spike-2-b' },
    status: { containerStatuses: [{ state: { running: {} } }] },
  };
  /** @type {[any, Record<string, string>, any[], number, RegExp][]} */
  const cases = [
    [
      testrun(),
      RUN,
      [],
      2,
      /^spike is not over, its stage is "new"; wait for it: kubectl wait testrun\/spike /,
    ],
    [testrun('started'), RUN, PODS, 2, /its stage is "started"/],
    [
      testrun('error'),
      RUN,
      PODS,
      2,
      /^the operator could not run spike; see why: kubectl logs job\/spike-initializer$/,
    ],
    [
      testrun('finished'),
      RUN,
      [PODS[0], running],
      98,
      /tells of 1 of 2 runners of spike how they ended: not judged$/,
    ],
    [testrun('finished'), RUN, [PODS[0]], 98, /tells of 1 of 2 runners/],
    [
      testrun('finished'),
      { ...RUN, TESTID: '../x' },
      PODS,
      2,
      /^TESTID of the ConfigMap .* is "\.\.\/x"; valid: /,
    ],
  ];
  for (const [run, env, pods, code, problem] of cases) {
    const found = afterRun(run, env, pods);
    assert.ok('problem' in found);
    assert.equal(found.code, code);
    assert.match(found.problem, problem);
  }
});

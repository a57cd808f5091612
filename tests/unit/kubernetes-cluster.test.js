/** How a run in a cluster is watched, by answers in the form that Kubernetes 1.30 and the k6-operator 1.6 give them. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { Cluster } from '../../deploy/kubernetes/cluster.ts';

const scratch = mkdtempSync(join(tmpdir(), 'cluster-'));
after(() => rmSync(scratch, { recursive: true }));
process.env.PATH = [resolve('tests/kubernetes'), process.env.PATH].join(delimiter);

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(scratch, 'one-'));
  process.env.CLUSTER = folder;
});

const RUNNERS = ['mcp-load-lab-1', 'mcp-load-lab-2'];
const RUN = {
  ...{ testid: 't', name: 'mcp-load-lab', namespace: 'n', collector: 'c', runners: RUNNERS },
  manifests: [{ kind: 'TestRun', metadata: { name: 'mcp-load-lab' } }],
};
const cluster = () => new Cluster(RUN, { poll: 5, saySame: 60_000, start: 300 });

/** @param {string} name @param {any} answer */
const tell = (name, answer) =>
  writeFileSync(join(folder, name), typeof answer === 'string' ? answer : JSON.stringify(answer));
const stage = (/** @type {string} */ stage) =>
  tell('testruns.k6.io_mcp-load-lab.json', { status: { stage } });
/** @param {any[]} states of the runners' containers, null: there is none yet @param {any} [status] */
const pods = (states, status = {}) =>
  tell('pods.json', {
    items: states.map((state, index) => ({
      metadata: { name: `${RUNNERS[index]}-x7k2p`, labels: { 'job-name': RUNNERS[index] } },
      status: { ...status, ...(state && { containerStatuses: [{ name: 'k6', state }] }) },
    })),
  });
const ended = (/** @type {number} */ exitCode) => ({ terminated: { exitCode, reason: 'Error' } });

test('a finished run is over, with what is known of its runners', async () => {
  stage('finished');
  pods([ended(0), ended(137)]);
  await cluster().untilOver();
  assert.deepEqual(Object.fromEntries(await cluster().exitCodes()), {
    'mcp-load-lab-1': 0,
    'mcp-load-lab-2': 137,
  });
});

test('the stage "error" is the end, with the reason of the initializer, and not waited out', async () => {
  stage('error');
  tell(
    'job_mcp-load-lab-initializer.log',
    'time="2026-11-26T10:00:00Z" level=error msg="could not initialize \'scenarios/spike.js\': test aborted: exit 2: PROFILE is \\"nope\\"; valid: smoke, quick, full at abort (file:///lib/abort.js:9:3(2))"\n',
  );
  await assert.rejects(cluster().untilOver(), {
    code: 2,
    message: 'PROFILE is "nope"; valid: smoke, quick, full',
  });
  tell('job_mcp-load-lab-initializer.log', 'LocalFile not found exiting...\n');
  await assert.rejects(cluster().untilOver(), {
    code: 1,
    message: /^mcp-load-lab-initializer: LocalFile not found/,
  });
});

test('a runner that ends before the start is the end: the operator would wait for it for ever', async () => {
  stage('created');
  pods([{ running: {} }, ended(108)]);
  tell(
    'job_mcp-load-lab-2.log',
    'time="2026-11-26T10:00:00Z" level=error msg="test aborted: exit 2: TARGET_TOKEN is set, but not to printable characters"\n',
  );
  await assert.rejects(cluster().untilOver(), { code: 2, message: /^TARGET_TOKEN is set, but/ });
});

test('what a server says in a log is no reason, and no order to a terminal', async () => {
  stage('created');
  pods([ended(107), ended(107)]);
  const hostile = 'level=error msg="x\\n\\x1b[2Jtest aborted: exit 3: nothing"';
  tell('job_mcp-load-lab-1.log', `time="2026-11-26T10:00:00Z" ${hostile}\n`);
  await assert.rejects(cluster().untilOver(), ({ code, message }) => code === 1 && !/\p{Cc}/u.test(message));
});

test('runners that can not start are said, and waited for no longer than patience lasts', async () => {
  stage('created');
  pods([{ waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image "lab"' } }, null]);
  await assert.rejects(cluster().untilOver(), {
    code: 1,
    message:
      /stage is "created": mcp-load-lab-1-x7k2p waits: ImagePullBackOff: Back-off pulling image "lab"$/,
  });
  pods([null, null], {
    conditions: [
      { type: 'PodScheduled', status: 'False', message: '0/1 nodes are available: 1 Insufficient cpu.' },
    ],
  });
  await assert.rejects(cluster().untilOver(), {
    message: /waits: 0\/1 nodes are available: 1 Insufficient cpu\.$/,
  });
});

test('what a runner did under way does not end the others', async () => {
  stage('started');
  pods([ended(108), { running: {} }]);
  setTimeout(() => stage('finished'), 100);
  await cluster().untilOver();
});

test('a run that is there is not replaced; what is made is removed', async () => {
  stage('finished');
  await assert.rejects(cluster().needNone(), { code: 2, message: /delete testrun mcp-load-lab$/ });
  rmSync(join(folder, 'testruns.k6.io_mcp-load-lab.json'));
  await cluster().needNone();
  await cluster().make();
  await cluster().remove();
  for (const verb of ['apply', 'delete'])
    assert.deepEqual(JSON.parse(readFileSync(join(folder, `${verb}.json`), 'utf8')).items, RUN.manifests);
});

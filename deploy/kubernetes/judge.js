#!/usr/bin/env node
/**
 * Judges a test that the k6-operator ran, once and as a whole, and leaves the same results as a run on one machine:
 *
 *   deploy/kubernetes/judge.js TESTRUN --prometheus URL [--namespace mcp-load-lab] [--server LABEL] [--results FOLDER]
 *
 * It asks the cluster by `kubectl` for the run's variables and what became of its runners, and Prometheus for all figures. It
 * exits with the verdict's code.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Prometheus } from '../../analysis/prometheus.js';
import { toolPath } from '../../experiments/tool-path.js';
import { afterRun } from './after-run.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const USAGE =
  'usage: deploy/kubernetes/judge.js TESTRUN --prometheus URL [--namespace NAME] [--server LABEL] [--results FOLDER]';
const LONG_QUERY_MS = 60_000;
/** More than the clocks of a cluster's nodes are. */
const CLOCKS_APART_S = 60;
const LOOK_BACK = '7d';

/** Ends the command with a code and one line. */
class Stop extends Error {
  /** @param {number} code @param {string} message */
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** @param {string[]} args */
function parse(args) {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        prometheus: { type: 'string' },
        namespace: { type: 'string', default: 'mcp-load-lab' },
        server: { type: 'string', default: '' },
        results: { type: 'string', default: process.env.RESULTS_DIR || join(ROOT, 'results') },
      },
    });
    const [name, ...more] = positionals;
    if (!name || more.length > 0) throw new Error(`one TestRun is needed, got ${positionals.length}`);
    if (!values.prometheus) throw new Error('--prometheus is missing: where the runners wrote their figures');
    return { ...values, name, prometheus: values.prometheus };
  } catch (error) {
    throw new Stop(2, `${/** @type {Error} */ (error).message}\n${USAGE}`);
  }
}

/** @param {string} namespace */
const kubectlIn =
  (namespace) =>
  (/** @type {string[]} */ ...args) => {
    const { status, error, stdout, stderr } = spawnSync('kubectl', ['--namespace', namespace, ...args], {
      encoding: 'utf8',
      maxBuffer: 2 ** 30,
    });
    if (error) throw new Stop(2, `kubectl can't be started: ${error.message}`);
    // Above its last line are those of its log.
    if (status !== 0) throw new Stop(2, `kubectl ${args.join(' ')}: ${stderr.trim().split('\n').at(-1)}`);
    return stdout;
  };

/** @returns {Promise<number>} the exit code */
async function main() {
  const { name, namespace, prometheus, server, results } = parse(process.argv.slice(2));
  const kubectl = kubectlIn(namespace);
  const ask = (/** @type {string[]} */ ...args) => JSON.parse(kubectl('get', ...args, '--output', 'json'));
  const testrun = ask(`testruns.k6.io/${name}`);
  const variables = /** @type {Record<string, string>} */ (ask('configmap/mcp-load-lab-run').data);
  const run = afterRun(testrun, variables, ask('pods', '--selector', `k6_cr=${name},runner=true`).items);
  if ('problem' in run) throw new Stop(run.code, run.problem);

  await needOwnFigures(prometheus, run);
  const folder = join(resolve(results), run.testid);
  if (existsSync(join(folder, 'run.json')))
    throw new Stop(
      2,
      `${run.testid} is judged already: ${folder}; its reports are written again by: make report RUN=${run.testid}`,
    );
  mkdirSync(folder, { recursive: true });
  if (variables.WORKLOAD) {
    const { data } = ask('configmap/mcp-load-lab-workload');
    variables.WORKLOAD = join(folder, 'workload.json');
    writeFileSync(variables.WORKLOAD, data['workload.json']);
  }
  const logs = run.pods.map((pod) => kubectl('logs', pod, '--container', 'k6'));
  writeFileSync(join(folder, 'k6.log'), errorsOf(logs.join('\n')));
  leavePlan(folder, run.test, variables);

  const { status } = spawnSync(
    process.execPath,
    [
      join(ROOT, 'analysis/main.js'),
      folder,
      ...['--k6-exit', String(run.k6Exit), '--prometheus', prometheus, '--server', server],
      ...['--streamed-until', String(run.endedS + 1)],
    ],
    { stdio: 'inherit' },
  );
  return status ?? 1;
}

/** @param {string} log @returns {string} what a run on one machine keeps of it */
function errorsOf(log) {
  const lines = log.split('\n').filter((line) => /^time=\S+ level=(error|fatal) /.test(line));
  return lines.map((line) => `${line}\n`).join('');
}

/**
 * What was to be called, from the same script and the same variables as in the cluster.
 *
 * @param {string} folder
 * @param {string} test
 * @param {Record<string, string>} variables
 */
function leavePlan(folder, test, variables) {
  const scratch = mkdtempSync(join(tmpdir(), 'judge-'));
  try {
    const script = join(ROOT, 'scenarios', `${test}.js`);
    const { status, stdout, stderr } = spawnSync(
      toolPath('k6'),
      ['inspect', '--log-format', 'raw', '--include-system-env-vars', script],
      { env: { PATH: process.env.PATH, ...variables }, encoding: 'utf8', maxBuffer: 2 ** 28 },
    );
    if (status !== 0) throw new Stop(2, `the plan of ${test}: ${stderr.trim().split('\n').at(-1)}`);
    const inspected = join(scratch, 'inspected.json');
    writeFileSync(inspected, stdout);
    const plan = join(ROOT, 'analysis/plan.js');
    execFileSync(process.execPath, [plan, inspected, '--write', join(folder, 'plan.json'), '--brief'], {
      stdio: 'inherit',
    });
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/**
 * A runner whose figures never came would make the load less, not wrong: with many of them that would go unseen. And an earlier
 * run of the same name would be added to this one.
 *
 * @param {string} url
 * @param {import('./after-run.js').Ended} run
 */
async function needOwnFigures(url, { testid, startedS, endedS, pods }) {
  const prometheus = new Prometheus(url, { timeoutMs: LONG_QUERY_MS });
  const started = `k6_mcp_started_seconds{testid=${JSON.stringify(testid)}}`;
  const ask = async (/** @type {string} */ query) => (await prometheus.query(query, endedS + 1))[0]?.value;
  const first = await ask(`min(min_over_time(${started}[${LOOK_BACK}]))`);
  if (first !== undefined && first < startedS - CLOCKS_APART_S) {
    const when = new Date(first * 1000).toISOString();
    throw new Stop(
      98,
      `${testid} was another run's TESTID, too, at ${when}: their figures can't be told apart`,
    );
  }
  const range = `${Math.ceil(endedS - startedS) + CLOCKS_APART_S}s`;
  const there = (await ask(`count(count by (generator) (last_over_time(${started}[${range}])))`)) ?? 0;
  if (there !== pods.length) {
    throw new Stop(
      98,
      `Prometheus has figures of ${there} of ${pods.length} runners of ${testid}: not judged`,
    );
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof Error)) throw error;
  process.stderr.write(`judge: ${error.message}\n`);
  process.exitCode = error instanceof Stop ? error.code : 1;
}

/** What several tests need: commands, the stack's addresses, free ports, runs. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { prometheusHeaders } from '../analysis/collect/prometheus-headers.ts';
import { scratchFolder } from './scratch.js';
import { UNDER_LOAD } from './under-load.js';

// Commands of the project run on this host, also where a Docker engine answers: tests/docker has clones for what runs in containers.
process.env.STACK ??= 'native';
// The servers that tests start need the project's Node.js.
process.env.CALLER_PATH = process.env.PATH;
// Before anything is written: TMPDIR of this file, and of all that it starts.
scratchFolder();

export { freePort } from '../contract/free-port.js';

/**
 * @param {string} file
 * @param {string[]} args
 * @param {Record<string, string>} [env] on top of this process's
 * @param {(output: string) => void} [onOutput] gets all there is so far, each time that there is more
 * @returns {Promise<{code: number | null, output: string, seconds: number}>} output: both streams, in order of arrival
 */
export function command(file, args, env, onOutput) {
  return startCommand(file, args, env, onOutput).ended;
}

/**
 * As `command`, for a test that signals the child.
 *
 * @param {string} file
 * @param {string[]} args
 * @param {Record<string, string>} [env]
 * @param {(output: string) => void} [onOutput]
 * @returns {{child: import('node:child_process').ChildProcess, ended: ReturnType<typeof command>}}
 */
export function startCommand(file, args, env = {}, onOutput = () => {}) {
  const started = Date.now();
  const child = spawn(file, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
      onOutput(output);
    });
  }
  const ended = new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, output, seconds: (Date.now() - started) / 1000 }));
  });
  return { child, ended };
}

/**
 * @param {'start' | 'stop' | 'restart' | 'kill'} action
 * @param {string} component of the stack
 */
export async function control(action, component) {
  const script = `. scripts/common.sh && stack_ctl ${action} ${component}`;
  const { code, output } = await command('bash', ['-c', script]);
  assert.equal(code, 0, output);
}

/**
 * @param {'stack.env' | 'secrets.env'} file of the stack in RUN_DIR
 * @returns {Record<string, string>}
 */
export function envFile(file) {
  const text = readFileSync(`${process.env.RUN_DIR ?? '.run'}/${file}`, 'utf8');
  return Object.fromEntries(
    [...text.matchAll(/^(\w+)='?(.*?)'?$/gm)].map(([, name = '', value = '']) => [name, value]),
  );
}

/** @param {string} folder that is made, or taken, for a stack's state */
export function markRunDir(folder) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, '.mcp-load-lab-stack'), '');
}

/** @returns {{PROMETHEUS_USERNAME: string, PROMETHEUS_PASSWORD: string}} of the stack in RUN_DIR, as variables */
export const prometheusAccess = () => ({
  PROMETHEUS_USERNAME: 'lab',
  PROMETHEUS_PASSWORD: envFile('secrets.env').PROMETHEUS_PASSWORD ?? '',
});

/** What a request to the stack's Prometheus says about who asks. */
export const stackHeaders = () => prometheusHeaders(prometheusAccess());

/**
 * Asks the stack's Prometheus.
 *
 * @param {string} endpoint of its API
 * @param {Record<string, string>} parameters
 * @returns {Promise<any>} the answer's data
 */
export async function askPrometheus(endpoint, parameters) {
  const url = `${envFile('stack.env').PROMETHEUS_URL}/api/v1/${endpoint}?${new URLSearchParams(parameters)}`;
  const answer = await fetch(url, { headers: stackHeaders() });
  return /** @type {any} */ (await answer.json()).data;
}

/** @param {{folder: string}} run @returns {string} its report.md, which has all that the terminal has no room for */
export const reportOf = ({ folder }) => readFileSync(`${folder}/report.md`, 'utf8');

/**
 * Asserts that a run with THRESHOLDS=off was made as far as is asked here. Invalid (98) is a machine that is too busy for
 * the load, which takes nothing from what was sent and answered.
 *
 * @param {{code: number | null, output: string}} run
 */
export function assertMeasured({ code, output }) {
  assert.ok(code === 0 || code === 98, output);
}

/**
 * Runs one test of the lab as a user would.
 *
 * @param {string} test
 * @param {Record<string, string>} variables
 * @param {() => Promise<unknown>} [meanwhile] started when the load begins
 * @param {Record<string, string>} [env] what is no variable of a user's
 * @returns {Promise<{code: number | null, exitCode: number | null, output: string, seconds: number, folder: string, document: any}>}
 *   document: run.json, null where the run left none. code: what exitCode would be on a machine that has nothing else to do
 */
export async function runTest(test, variables, meanwhile, env = {}) {
  const args = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  /** @type {Promise<unknown> | undefined} */
  let disturbance;
  const result = await command('scripts/run', [test, ...args], env, (output) => {
    if (meanwhile && !disturbance && UNDER_LOAD.test(output)) disturbance = meanwhile();
  });
  await disturbance;
  const folder = /^results: (.*)$/m.exec(result.output)?.[1] ?? '';
  const document = folder === '' ? null : JSON.parse(readFileSync(`${folder}/run.json`, 'utf8'));
  return {
    ...result,
    code: apartFromMachine(result.code, document),
    exitCode: result.code,
    folder,
    document,
  };
}

/** What the other lane of the tests does is the machine's, and no matter of what is tested. */
const STARVED = /^the load generator was short of CPU/;

/**
 * @param {number | null} code
 * @param {any} document
 * @returns {number | null} without a generator that was short of CPU, where that is all that makes the run invalid
 */
function apartFromMachine(code, document) {
  if (code !== 98 || !document) return code;
  const { reasons } = document.verdict;
  const rest = reasons.filter((/** @type {string} */ reason) => !STARVED.test(reason));
  const failed = document.thresholds.filter((/** @type {any} */ { outcome }) => outcome === 'fail');
  if (rest.length === reasons.length || rest.length > failed.length) return code;
  return failed.length > 0 ? 99 : 0;
}

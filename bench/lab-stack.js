/** A separate stack in which a bench runs the project's tests and injects faults. */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { listeners } from '../analysis/collect/host-watch-processes.ts';
import { zeroOf } from '../cli/trials/lab.ts';
import { freePort, hiddenHost } from '../contract/free-port.js';
import { Bench, logProgress } from './harness.ts';

/** A fifth of the capacity of a machine with two CPUs. */
const WARM_UP = { PROFILE: 'quick', DURATION: '20s', RATE_SCALE: '0.25', THRESHOLDS: 'off' };

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/**
 * @typedef {object} LabRun
 * @property {number} code
 * @property {string} output
 * @property {string} folder
 * @property {any} run content of run.json; null if there is none
 * @property {import('../analysis/collect/timeline.ts').Timeline | null} timeline
 *
 * @typedef {object} Moment the start of a phase
 * @property {import('../analysis/collect/plan.ts').PlannedPhase} phase
 * @property {import('../analysis/collect/plan.ts').PlannedPhase[]} phases
 * @property {number} zeroMs start of the first phase, Unix time in ms
 * @property {(seconds: number) => Promise<void>} after waits until this long after the phase's start; returns if that
 * is past
 * @property {() => number} generatorPid pid of k6
 */

/** See `withLabStack`. */
export class LabStack {
  /** @type {Set<import('node:child_process').ChildProcess>} */
  #children = new Set();
  #env;
  /** The only script that may be started while the stack is being stopped. @type {string} */
  #ending = '';

  /** @param {string} runDir @param {string} resultsDir */
  constructor(runDir, resultsDir) {
    this.runDir = runDir;
    this.resultsDir = resultsDir;
    this.#env = { ...process.env, RUN_DIR: runDir, RESULTS_DIR: resultsDir, STACK: 'native' };
  }

  /** @returns {Record<string, string>} ports and URLs of the stack */
  get stackEnv() {
    return this.#file('stack.env');
  }

  /** @returns {Record<string, string>} the stack's passwords */
  get secrets() {
    return this.#file('secrets.env');
  }

  /** @param {string} name */
  #file(name) {
    const text = readFileSync(join(this.runDir, name), 'utf8');
    return Object.fromEntries(
      [...text.matchAll(/^(\w+)='?(.*?)'?$/gm)].map(([, key = '', value = '']) => [key, value]),
    );
  }

  /**
   * @param {[string, ...string[]]} command script of the project with its arguments
   * @param {Record<string, string>} [env]
   * @returns {Promise<string>} its output
   * @throws {Error} if it fails
   */
  async sh(command, env = {}) {
    const { code, output } = await this.#command(command, env);
    if (code !== 0) throw new Error(`${command.join(' ')}: exit code ${code}\n${output.slice(-2000)}`);
    return output;
  }

  /**
   * @param {[string, ...string[]]} command
   * @param {Record<string, string>} env
   * @returns {Promise<{code: number, output: string}>}
   */
  #command([file, ...args], env) {
    if (this.#ending && file !== this.#ending) throw new Error('the bench is stopping');
    return new Promise((resolve, reject) => {
      const child = spawn(join(ROOT, file), args, {
        cwd: ROOT,
        env: { ...this.#env, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
        // In its own process group, so that Ctrl-C does not reach it directly, but is forwarded in the right order.
        detached: true,
      });
      this.#children.add(child);
      let output = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
      child.once('error', reject);
      child.once('close', (code) => {
        this.#children.delete(child);
        resolve({ code: code ?? 1, output });
      });
    });
  }

  /** @param {Record<string, string>} settings the target is restarted with these */
  async target(settings) {
    await this.sh(['scripts/up'], settings);
  }

  /**
   * Injects these faults into the target, and removes all others.
   *
   * @param {Record<string, number>} faults {} removes all
   */
  async faults(faults) {
    const response = await fetch(`http://127.0.0.1:${this.stackEnv.TARGET_ADMIN_PORT}/admin/faults`, {
      method: 'PUT',
      headers: {
        authorization: `Bearer ${this.secrets.TARGET_TOKEN}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(faults),
    });
    if (!response.ok)
      throw new Error(`faults ${JSON.stringify(faults)}: ${response.status} ${await response.text()}`);
  }

  /**
   * Runs a test from set-up to verdict with scripts/run.
   *
   * @param {string} test
   * @param {Record<string, string>} variables
   * @param {{during?: (moment: Moment) => unknown}} [hooks] during: called at the start of each phase, including the
   * warm-up
   * @returns {Promise<LabRun>}
   */
  async run(test, variables, { during } = {}) {
    const address = `${hiddenHost()}:${await freePort()}`;
    const before = new Set(this.#folders());
    let over = false;
    const ended = this.#command(['scripts/run', test], { ...variables, K6_ADDRESS: address }).finally(
      () => (over = true),
    );
    /** @type {unknown} */
    let failure = null;
    const meanwhile = during
      ? this.#follow(during, address, before, () => over).catch((error) => (failure = error))
      : null;
    const { code, output } = await ended;
    await meanwhile;
    if (failure) throw failure;
    const folder = /^results: (.*)$/m.exec(output)?.[1] ?? '';
    return {
      code,
      output,
      folder,
      run: readJson(join(folder, 'run.json')),
      timeline: readJson(join(folder, 'timeline.json')),
    };
  }

  #folders() {
    return existsSync(this.resultsDir) ? readdirSync(this.resultsDir) : [];
  }

  /**
   * @param {(moment: Moment) => unknown} during
   * @param {string} address address of k6's API
   * @param {Set<string>} before folders of earlier runs
   * @param {() => boolean} over
   */
  async #follow(during, address, before, over) {
    let plan = null;
    while (!plan && !over()) {
      await sleep(50);
      const folder = this.#folders().find((name) => name !== 'latest' && !before.has(name));
      if (folder) plan = readJson(join(this.resultsDir, folder, 'plan.json'));
    }
    if (!plan) return;
    const { phases } = plan;
    const zeroMs = await zeroOf(address, over);
    if (zeroMs === null) return;
    const at = async (/** @type {number} */ seconds) => {
      while (!over() && Date.now() < zeroMs + seconds * 1000)
        await sleep(Math.min(50, Math.max(1, zeroMs + seconds * 1000 - Date.now())));
    };
    await Promise.all(
      phases.map(async (/** @type {Moment['phase']} */ phase) => {
        await at(phase.start_s);
        if (over()) return;
        await during({
          phase,
          phases,
          zeroMs,
          after: (seconds) => at(phase.start_s + seconds),
          generatorPid: () => listenerOf(Number(new URL(`http://${address}`).port)),
        });
      }),
    );
  }

  /**
   * Stops the child processes that are still running, then the stack.
   *
   * @param {'scripts/down' | 'scripts/clean'} script
   */
  async end(script) {
    this.#ending = script;
    for (const { pid } of this.#children) {
      if (pid !== undefined) process.kill(-pid, 'SIGTERM');
    }
    while (this.#children.size > 0) await sleep(50);
    await this.sh([script]);
  }
}

/** @param {string} path @returns {any} null if there is no such file */
function readJson(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null;
}

/** @param {number} port @returns {number} pid of the process that listens on the port @throws {Error} if none is visible */
function listenerOf(port) {
  const [pid] = listeners(port);
  if (pid === undefined) throw new Error(`nothing listens on port ${port}`);
  return pid;
}

/**
 * Starts a stack, passes it to the bench and removes it in any case. It is separate from the user's own stack.
 *
 * @param {(lab: LabStack) => Promise<boolean>} measure returns whether every limit holds
 */
export const withLabStack = (measure) =>
  Bench.run(async (bench) => {
    const lab = new LabStack(join(bench.folder, 'run'), join(bench.folder, 'results'));
    bench.defer(() => lab.end('scripts/clean'));
    logProgress('starting a separate stack ...');
    await lab.sh(['scripts/up']);
    // Warm up the server: a new process compiles code during its first calls, which uses CPU that the spike needs.
    logProgress('warming up the stack ...');
    const { folder } = await lab.run('sustained', WARM_UP);
    if (folder) rmSync(folder, { recursive: true });
    return measure(lab);
  });

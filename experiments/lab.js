import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readSummary } from '../analysis/collect/summary.ts';
import { phases } from '../analysis/judge/phases.ts';
import { judgeThresholds } from '../analysis/judge/thresholds.ts';
import { logLine } from '../analysis/run-log.ts';
import { writeAtomic } from '../analysis/write-atomic.ts';
import { freePort, hiddenHost } from '../contract/free-port.js';
import { profiles } from '../contract/profiles.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** k6 ends so where all went well, and where an objective was missed. */
const MEASURED = [0, 99];

/** Someone wants the test to end now. */
export class Interrupted extends Error {}

/** A trial that measured nothing: what comes after it would not either. */
export class TrialFailed extends Error {
  /** @param {string} name @param {number} code k6's */
  constructor(name, code) {
    super(`${name} ended with exit code ${code}`);
    this.code = code;
  }
}

/**
 * @typedef {object} TrialPlan
 * @property {string} name of the trial and, in front of their own, of its phases: a-z, 0-9 and hyphens
 * @property {Record<string, string | number>} [labels] of its phases
 * @property {Record<string, string>} [env] variables of this k6 run
 * @property {(clock: Clock) => Promise<void>} [during] runs beside the load
 * @property {boolean} [judged] false: its objectives do not count for the verdict
 *
 * @typedef {object} Clock
 * @property {(seconds: number) => Promise<void>} at waits until so long after the phases' zero
 * @property {(event: {kind: string} & Record<string, unknown>) => void} note records what was done now
 *
 * @typedef {object} TrialResult
 * @property {string} name
 * @property {number} code k6's exit code: 0, or 99 where an objective was missed
 * @property {import('../analysis/judge/phases.ts').Phase[]} phases
 * @property {import('../analysis/judge/threshold.ts').Threshold[]} thresholds
 * @property {readonly import('../analysis/collect/groups.ts').Group[]} groups
 * @property {string} folder absolute
 */

/** What an experiment works with: k6 runs, the reference target, and a list of what is to be undone in the end. */
export class Lab {
  /** Undone in the opposite order. @type {(() => unknown)[]} */
  #undo = [];
  /** @type {import('../analysis/collect/trials.ts').Trial[]} */
  #trials = [];
  #interrupted = false;
  /** Process groups of what runs. @type {Set<number>} */
  #running = new Set();
  /** @type {string | null} the knobs that the target had */
  #knobs = null;

  /**
   * @param {string} test
   * @param {string} folder of the results
   * @param {any} config every variable's value, parsed
   */
  constructor(test, folder, config) {
    this.test = test;
    this.folder = folder;
    this.config = config;
    this.profile = /** @type {import('../contract/profiles.js').Profile} */ (profiles[config.PROFILE]);
    /** The exit code: 99 where a judged trial missed an objective. */
    this.code = 0;
    /** @type {unknown} what the table builder is to know beside the trials */
    this.result = null;
    /** @type {string | null} why the experiment itself could not go on */
    this.error = null;
  }

  /** @param {string} text one line of progress */
  say(text) {
    process.stderr.write(`${text}\n`);
    logLine(text);
  }

  /** @param {() => unknown} undo is run when the experiment ends, however it ends */
  onEnd(undo) {
    this.#undo.push(undo);
  }

  /** Ends what runs; the experiment goes no further than its clean-up. */
  interrupt() {
    this.#interrupted = true;
    // k6 ends its users' requests and runs its teardown; a second signal would not let it.
    for (const group of this.#running) signalGroup(group, 'SIGINT');
    this.#running.clear();
  }

  /** To be called between the steps of an experiment that waits without a trial. @throws {Interrupted} */
  check() {
    if (this.#interrupted) throw new Interrupted('interrupted');
  }

  /** Undoes everything, and leaves the list of trials. */
  async end() {
    this.#interrupted = true;
    for (const undo of this.#undo.reverse()) {
      try {
        await undo();
      } catch (error) {
        this.say(`clean-up: ${error instanceof Error ? error.message : String(error)}`);
        this.code ||= 1;
      }
    }
    this.#undo = [];
    this.#save();
  }

  /**
   * Restarts the reference target with these knobs, where it has others. It gets its own back in the end.
   *
   * @param {Record<string, string>} knobs
   * @param {{fresh?: boolean}} [how] fresh: in any case, and with an empty cache
   */
  async target(knobs, { fresh = false } = {}) {
    if (this.#knobs === null) {
      this.#knobs = process.env.TARGET_KNOBS ?? '';
      const before = Object.fromEntries(this.#knobs.split(' ').map((knob) => knob.split('=')));
      // `default` is the knob as if it had never been set.
      this.onEnd(() =>
        this.sh(['scripts/up'], { ...mapValues(this.#changed, () => 'default'), ...before }, true),
      );
    }
    Object.assign(this.#changed, knobs);
    await this.sh([fresh ? 'scripts/fresh-target' : 'scripts/up'], knobs);
  }

  /** Knobs that were changed. @type {Record<string, string>} */
  #changed = {};

  /**
   * Runs a command of the project, quietly.
   *
   * @param {string[]} command relative to the project's folder
   * @param {Record<string, string>} [env]
   * @param {boolean} [always] also while everything is being undone
   * @returns {Promise<string>} what it printed on stdout
   * @throws {Error} with the last line that it said, where it fails
   */
  async sh([program = '', ...args], env = {}, always = false) {
    if (!always) this.check();
    const child = spawn(join(ROOT, program), args, {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk) => (stdout += chunk));
    child.stderr.on('data', (chunk) => (stderr += chunk));
    const code = await ended(child);
    if (!always) this.check();
    if (code !== 0) throw new Error(`${program}: ${stderr.trim().split('\n').at(-1) ?? `exit code ${code}`}`);
    return stdout;
  }

  /**
   * One k6 run of the test's scenario.
   *
   * @param {TrialPlan} plan
   * @returns {Promise<TrialResult>}
   * @throws {TrialFailed} where k6 ended without having measured
   * @throws {Interrupted}
   */
  async trial({ name, labels = {}, env = {}, during, judged = true }) {
    this.check();
    const folder = join('trials', name);
    const path = join(this.folder, folder);
    mkdirSync(path, { recursive: true });
    const address = `${hiddenHost()}:${await freePort()}`;
    /** @type {import('../analysis/collect/trials.ts').Trial} */
    const trial = { name, labels, folder, judged, code: -1, events: [] };
    this.#trials.push(trial);
    const child = spawn(process.execPath, [join(ROOT, 'cli/main.ts'), 'trial', this.test, path], {
      cwd: ROOT,
      env: {
        ...process.env,
        ...env,
        K6_ADDRESS: address,
        TRIAL: name,
        TRIAL_LABELS: JSON.stringify(labels),
      },
      stdio: ['ignore', 'inherit', 'inherit'],
      // A group of its own: it is told to end by us, and then all of it.
      detached: true,
    });
    const group = /** @type {number} */ (child.pid);
    this.#running.add(group);
    const over = ended(child);
    /** @type {unknown} */
    let failure = null;
    const beside = during
      ? this.#beside(during, trial, address, over).catch((error) => {
          failure = error;
          // What it was to do is not done: the rest of the load would be for nothing.
          signalGroup(group, 'SIGINT');
        })
      : null;
    trial.code = await over;
    this.#running.delete(group);
    this.#save();
    await beside;
    this.check();
    if (!MEASURED.includes(trial.code)) throw new TrialFailed(name, trial.code);
    if (failure) throw failure;
    const { summary, problem } = readSummary(path);
    if (!summary) throw new Error(`${name}: ${problem}`);
    if (judged && trial.code !== 0) this.code = trial.code;
    const ofTrial = phases(summary);
    return {
      name,
      code: trial.code,
      phases: ofTrial,
      thresholds: judgeThresholds({ ...summary, phases: ofTrial }),
      groups: summary.groups,
      folder: path,
    };
  }

  /**
   * @param {NonNullable<TrialPlan['during']>} during
   * @param {import('../analysis/collect/trials.ts').Trial} trial
   * @param {string} address of k6's API
   * @param {Promise<number>} over when k6 has ended
   */
  async #beside(during, trial, address, over) {
    let done = false;
    over.then(() => (done = true));
    const zeroMs = await zeroOf(address, () => done);
    if (zeroMs === null) return;
    await during({
      at: async (seconds) => {
        const until = zeroMs + seconds * 1000;
        while (Date.now() < until) {
          this.check();
          if (done) throw new Error(`${trial.name} ended before what was to be done at ${seconds} s`);
          await sleep(Math.min(100, until - Date.now()));
        }
      },
      note: (event) => trial.events.push({ time_ms: Date.now(), ...event }),
    });
  }

  #save() {
    const document = { trials: this.#trials, result: this.result, error: this.error };
    writeAtomic(join(this.folder, 'trials.json'), `${JSON.stringify(document, null, 2)}\n`);
  }
}

/** @param {import('node:child_process').ChildProcess} child @returns {Promise<number>} its exit code */
function ended(child) {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

/** @param {number} group @param {NodeJS.Signals} signal */
function signalGroup(group, signal) {
  try {
    process.kill(-group, signal);
  } catch {
    // It has ended by itself.
  }
}

/**
 * @param {string} address of k6's API
 * @param {() => boolean} over
 * @returns {Promise<number | null>} when k6's phases began, milliseconds since the epoch; null: they never did
 */
export async function zeroOf(address, over) {
  while (!over()) {
    try {
      const response = await fetch(`http://${address}/v1/metrics/mcp_started_seconds`);
      /** @type {any} */
      const metric = response.ok ? await response.json() : null;
      const seconds = metric?.data?.attributes?.sample?.value;
      if (seconds) return seconds * 1000;
    } catch {
      // It does not listen yet.
    }
    await sleep(50);
  }
  return null;
}

/**
 * @template T, U
 * @param {Record<string, T>} record
 * @param {(value: T) => U} map
 * @returns {Record<string, U>}
 */
function mapValues(record, map) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}

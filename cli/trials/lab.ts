/** The environment of a test with several k6 runs: trials, the reference target, and clean-up at the end. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { readSummary, type Summary } from '../../analysis/collect/summary.ts';
import type { Trial } from '../../analysis/collect/trials.ts';
import { type Phase, phases } from '../../analysis/judge/phases.ts';
import type { Threshold } from '../../analysis/judge/threshold.ts';
import { judgeThresholds } from '../../analysis/judge/thresholds.ts';
import { writeAtomic } from '../../analysis/write-atomic.ts';
import { freePort, hiddenHost } from '../../contract/free-port.js';
import { interrupted } from '../child.ts';
import { logProgress } from '../log-progress.ts';
import { load } from '../run/load.ts';
import type { OwnServer } from '../run/own-server.ts';
import { ROOT } from '../stack.ts';
import type { Config } from './config.ts';

/** k6's exit codes after a run that measured: every objective met, or one missed. */
const MEASURED = [0, 99];

/** A signal has arrived. */
export class Interrupted extends Error {}

/** A trial measured nothing. Later trials would fail as well. */
export class TrialFailed extends Error {
  readonly code: number;

  /** @param code k6's exit code */
  constructor(name: string, code: number) {
    super(`${name} exited with code ${code}`);
    this.code = code;
  }
}

export interface TrialPlan {
  /** Unique in its test, and the prefix of the names of its phases: a-z, 0-9 and hyphens. */
  name: string;
  /** Added to its phases. */
  labels?: Record<string, string | number>;
  /** Variables of this k6 run. */
  env?: Record<string, string>;
  /** Runs during the load. */
  during?: (clock: Clock) => Promise<void>;
  /** false: its objectives do not count for the verdict. */
  judged?: boolean;
}

export interface Clock {
  /** Waits until this many seconds after the start of the first phase. */
  at: (seconds: number) => Promise<void>;
  /** Records a change that was just made to the system. */
  note: (event: { kind: string } & Record<string, unknown>) => void;
}

export interface TrialResult extends Pick<Summary, 'plan' | 'groups'> {
  name: string;
  phases: Phase[];
  thresholds: Threshold[];
}

export interface LabOptions<C> {
  test: string;
  /** Results folder. */
  folder: string;
  config: C;
  /** Maximum VUs of one k6 run. */
  vus: number;
  /** The server under test; null if the run does not start it. */
  server: OwnServer | null;
}

/** A running test. `C`: the values of its variables; `R`: its result for the tables. */
export class Lab<C = Config, R = unknown> {
  /** The exit code: 99 if a judged trial missed an objective. */
  code = 0;
  /** Data for the tables in addition to the trials. Stored at the end of the test, even an early one. */
  result: R | null = null;
  /** Why the test could not continue. */
  error: string | null = null;

  /** Called in reverse order. */
  #undo: (() => unknown)[] = [];
  #trials: Trial[] = [];
  /** Settings of the reference target that were changed. */
  #changed: Record<string, string> = {};

  readonly test: string;
  readonly folder: string;
  readonly config: C;
  readonly server: OwnServer | null;
  readonly #vus: number;

  constructor({ test, folder, config, vus, server }: LabOptions<C>) {
    this.test = test;
    this.folder = folder;
    this.config = config;
    this.server = server;
    this.#vus = vus;
  }

  /** Shows one line of progress. */
  readonly logProgress = logProgress;

  /** @param undo called at the end of the test, in any case */
  onEnd(undo: () => unknown) {
    this.#undo.push(undo);
  }

  /** To be called between steps that wait outside of a trial. @throws {Interrupted} */
  check() {
    if (interrupted()) throw new Interrupted('interrupted');
  }

  /** Undoes everything, and writes the list of trials. */
  async end() {
    for (const undo of this.#undo.splice(0).reverse()) {
      try {
        await undo();
      } catch (error) {
        this.logProgress(`clean-up: ${error instanceof Error ? error.message : String(error)}`);
        this.code ||= 1;
      }
    }
    this.#save();
  }

  /**
   * Restarts the reference target with these settings, unless it already has them. Its own settings are
   * restored at the end.
   *
   * @param how.fresh restarts it in any case, with an empty cache
   */
  async target(settings: Record<string, string>, { fresh = false } = {}) {
    if (Object.keys(this.#changed).length === 0) {
      const { TARGET_SETTINGS: own = '' } = process.env;
      const before = Object.fromEntries(own.split(' ').map((setting) => setting.split('=')));
      // `default` unsets the setting.
      this.onEnd(() => {
        const defaults = Object.fromEntries(Object.keys(this.#changed).map((name) => [name, 'default']));
        return this.sh(['scripts/up'], { ...defaults, ...before }, true);
      });
    }
    Object.assign(this.#changed, settings);
    await this.sh([fresh ? 'scripts/fresh-target' : 'scripts/up'], settings);
  }

  /**
   * Runs a short command of the project quietly. Signals do not end it, so that the stack stays consistent.
   *
   * @param command relative to the project's folder
   * @param always run it even during clean-up
   * @returns its standard output
   * @throws {Error} with the last line of its standard error, if it fails
   */
  async sh([program = '', ...args]: string[], env: Record<string, string> = {}, always = false) {
    if (!always) this.check();
    const { exitCode, stdout, stderr } = await execa(join(ROOT, program), args, {
      cwd: ROOT,
      env,
      stdin: 'ignore',
      reject: false,
      detached: true,
    });
    if (!always) this.check();
    if (exitCode !== 0)
      throw new Error(`${program}: ${stderr.trim().split('\n').at(-1) || `exit code ${exitCode}`}`);
    return stdout;
  }

  /**
   * One k6 run of the test's script.
   *
   * @throws {TrialFailed} if k6 ended without having measured
   * @throws {Interrupted}
   */
  async trial({ name, labels = {}, env = {}, during, judged = true }: TrialPlan): Promise<TrialResult> {
    this.check();
    const folder = join('trials', name);
    const path = join(this.folder, folder);
    mkdirSync(path, { recursive: true });
    const address = `${hiddenHost()}:${await freePort()}`;
    const trial: Trial = { name, labels, folder, judged, code: -1, events: [] };
    this.#trials.push(trial);
    const [over, stop] = [new AbortController(), new AbortController()];
    let failure: unknown = null;
    const alongside = during
      ? this.#alongside(during, trial, address, over.signal).catch((error) => {
          failure = error;
          // The action failed, so the rest of the load is not needed.
          stop.abort();
        })
      : null;
    trial.code = await load({
      test: this.test,
      folder: path,
      testid: process.env.TESTID ?? '',
      vus: this.#vus,
      plan: null,
      trial: {
        address,
        env: { ...env, TRIAL: name, TRIAL_LABELS: JSON.stringify(labels) },
        stop: stop.signal,
      },
    });
    over.abort();
    this.#save();
    await alongside;
    this.check();
    if (failure) throw failure;
    if (!MEASURED.includes(trial.code)) throw new TrialFailed(name, trial.code);
    const { summary, problem } = readSummary(path);
    if (!summary) throw new Error(`${name}: ${problem}`);
    if (judged && trial.code !== 0) this.code = trial.code;
    const itsPhases = phases(summary);
    return {
      name,
      plan: summary.plan,
      phases: itsPhases,
      thresholds: judgeThresholds({ ...summary, phases: itsPhases }),
      groups: summary.groups,
    };
  }

  /** @param address address of k6's API */
  async #alongside(
    during: NonNullable<TrialPlan['during']>,
    trial: Trial,
    address: string,
    over: AbortSignal,
  ) {
    const zeroMs = await zeroOf(address, () => over.aborted);
    if (zeroMs === null) return;
    await during({
      at: async (seconds) => {
        const until = zeroMs + seconds * 1000;
        while (Date.now() < until) {
          this.check();
          if (over.aborted) throw new Error(`${trial.name} ended before its action at ${seconds} s`);
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

/**
 * @param address address of k6's API
 * @returns when k6's phases began, milliseconds since the epoch; null if they never did
 */
export async function zeroOf(address: string, over: () => boolean): Promise<number | null> {
  while (!over()) {
    try {
      const response = await fetch(`http://${address}/v1/metrics/mcp_started_seconds`);
      const metric = (await response.json()) as { data?: { attributes: { sample: { value?: number } } } };
      const seconds = metric.data?.attributes.sample.value;
      if (seconds) return seconds * 1000;
    } catch {
      // k6 does not listen yet or has not recorded the metric.
    }
    await sleep(50);
  }
  return null;
}

/** A part that set-up installs: a tool or packages. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';

/** Parts of a lane are made one after the other; lanes run in parallel. */
export type Lane = 'build' | 'packages' | 'npm' | 'python';

export interface Part {
  title: string;
  lane: Lane;
  /** Duration on two cores with empty caches, for the estimate. */
  seconds: number;
  make(job: Job): Promise<unknown>;
  /** Downloads the inputs of `make` in advance. */
  prefetch?(job: Job): Promise<unknown>;
}

/** A part could not be made. */
export class PartError extends Error {
  /** Output of the failed program, several lines. */
  readonly said: string;

  /** @param message one line */
  constructor(message: string, said = '') {
    super(message);
    this.said = said;
  }
}

/** Lines to show of a failed program's output: npm prints the error first, apt last. */
const FIRST_LINES = 12;
const LAST_LINES = 12;

/**
 * Runs the programs of set-up and fills its folders. `end` stops everything and removes incomplete folders.
 */
export class Job {
  readonly cache: string;
  readonly #end = new AbortController();
  readonly #unfinished = new Set<string>();

  /** @param cache the folder of built tools, and of the programs' logs */
  constructor(cache: string) {
    this.cache = cache;
  }

  end() {
    this.#end.abort();
    for (const folder of this.#unfinished) rmSync(folder, { recursive: true, force: true });
  }

  get ended() {
    return this.#end.signal.aborted;
  }

  /**
   * @param name the log's name
   * @returns the program's output
   * @throws {PartError}
   */
  async run(name: string, command: readonly string[], { env = {} }: { env?: Record<string, string> } = {}) {
    const [file = '', ...args] = command;
    const log = join(this.cache, `${name}.log`);
    const { all = '', failed } = await execa(file, args, {
      env,
      stdin: 'ignore',
      all: true,
      reject: false,
      cancelSignal: this.#end.signal,
    });
    writeFileSync(log, `${all}\n`);
    if (!failed) return all;
    const lines = all.split('\n');
    const shown = [...lines.slice(0, FIRST_LINES), ...lines.slice(FIRST_LINES).slice(-LAST_LINES)];
    throw new PartError(`failed (log: ${log})`, shown.join('\n'));
  }

  /**
   * Calls `fill` for a temporary folder and renames it to `folder` when complete. If several set-ups run
   * concurrently, the first to finish wins.
   */
  async fill(folder: string, fill: (unfinished: string) => Promise<void>) {
    const unfinished = mkdtempSync(`${folder}.`);
    this.#unfinished.add(unfinished);
    try {
      await fill(unfinished);
      chmodSync(unfinished, 0o755);
      renameSync(unfinished, folder);
    } catch (error) {
      if (!existsSync(folder)) throw error;
    } finally {
      rmSync(unfinished, { recursive: true, force: true });
      this.#unfinished.delete(unfinished);
    }
  }

  /** Wraps a command so that it waits for a lock. Without flock (macOS) there is no lock. */
  locked(name: string, command: readonly string[]): string[] {
    const lock = join(this.cache, `${name}.lock`);
    // Only this user may open it: others could hold the lock.
    writeFileSync(lock, '', { flag: 'a', mode: 0o600 });
    chmodSync(lock, 0o600);
    return hasProgram('flock') ? ['flock', '--timeout', LOCK_TIMEOUT_S, lock, ...command] : [...command];
  }
}

const LOCK_TIMEOUT_S = '600';

export const hasProgram = (name: string) => spawnSync('sh', ['-c', 'command -v "$0"', name]).status === 0;

/** One thing that set-up brings: a tool, or packages. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';

/** Parts of one lane are made one after the other; lanes go on at once. */
export type Lane = 'build' | 'packages' | 'npm' | 'python';

export interface Part {
  title: string;
  lane: Lane;
  /** What it takes on two cores with empty caches, for the estimate. */
  seconds: number;
  make(job: Job): Promise<unknown>;
  /** Downloads what `make` would download first. */
  prefetch?(job: Job): Promise<unknown>;
}

/** A part could not be made. */
export class PartError extends Error {
  /** What its program said: several lines. */
  readonly said: string;

  /** @param message one line */
  constructor(message: string, said = '') {
    super(message);
    this.said = said;
  }
}

/** Of what a program said when it failed: npm says what is wrong first, apt says it last. */
const FIRST_LINES = 12;
const LAST_LINES = 12;

/** Programs that set-up runs, and the folders that it fills. All of it ends with `end`, and nothing half made stays. */
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
   * @param name of the log
   * @returns what the program printed
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
    throw new PartError(`failed (the log: ${log})`, shown.join('\n'));
  }

  /** Has `fill` make a folder, which becomes `folder` when it is complete. Of two set-ups at once the first wins. */
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

  /** As a command that waits for its turn: one program at a time has the lock. Without flock (macOS) there is none. */
  locked(name: string, command: readonly string[]): string[] {
    const lock = join(this.cache, `${name}.lock`);
    // Another user who can open it could hold it.
    writeFileSync(lock, '', { flag: 'a', mode: 0o600 });
    chmodSync(lock, 0o600);
    return hasProgram('flock') ? ['flock', '--timeout', LOCK_TIMEOUT_S, lock, ...command] : [...command];
  }
}

const LOCK_TIMEOUT_S = '600';

export const hasProgram = (name: string) => spawnSync('sh', ['-c', 'command -v "$0"', name]).status === 0;

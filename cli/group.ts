/**
 * Runs programs in separate process groups, without a terminal. A program is ended together with its
 * descendants.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { shellCode, tied } from './child.ts';

export interface Group {
  /** Its exit code, as in a shell. */
  ended: Promise<number>;
  /** Sends TERM to the program, and after the grace period to the rest of its group. */
  stop(graceMs: number): Promise<void>;
}

/** Time between TERM and KILL for leftover processes. */
const LEFTOVERS_MS = 5_000;
const LOOK_MS = 100;
/** Time to read a program's last output. */
const PIPES_MS = 1_000;

/**
 * @param how.env added to this program's environment; undefined removes a variable
 * @param how.isWholeEnv do not add this program's environment
 * @param how.onOutput receives both streams in order of arrival
 */
export function startGroup(
  command: readonly string[],
  {
    env = {},
    isWholeEnv = false,
    onOutput,
  }: {
    env?: Record<string, string | undefined>;
    isWholeEnv?: boolean;
    onOutput: (text: string) => void;
  },
): Group {
  const [file = '', ...args] = tied(command);
  const child = execa(file, args, {
    detached: true,
    stdin: 'ignore',
    buffer: false,
    reject: false,
    forceKillAfterDelay: false,
    env,
    extendEnv: !isWholeEnv,
  });
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', onOutput);
  let running = true;
  const exited = new Promise<number>((resolve) => {
    child.nodeChildProcess.once('exit', (code, signal) => resolve(shellCode(code, signal)));
    // A program that could not be started has no exit event.
    child.then(() => resolve(shellCode()));
  }).finally(() => {
    running = false;
  });
  /** @returns whether a process received the signal */
  const kill = (signal: NodeJS.Signals | 0): boolean => {
    try {
      return child.pid !== undefined && process.kill(-child.pid, signal);
    } catch {
      return false;
    }
  };
  const alive = () => running || kill(0);
  const gone = async (there: () => boolean, forMs: number) => {
    for (const untilMs = Date.now() + forMs; there() && Date.now() < untilMs; ) await sleep(LOOK_MS);
  };
  const ended = exited.then(async (code) => {
    // Leftover processes may keep its pipes open forever.
    await Promise.race([child, sleep(PIPES_MS, undefined, { ref: false })]);
    return code;
  });
  return {
    ended,
    async stop(graceMs) {
      if (running) child.kill('SIGTERM');
      await gone(() => running, graceMs);
      if (alive()) {
        kill('SIGTERM');
        await gone(alive, LEFTOVERS_MS);
        if (alive()) kill('SIGKILL');
      }
      // Its last output may still be in the pipes.
      await ended;
    },
  };
}

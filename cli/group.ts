/** Programs of which nothing may stay: each leads a process group of its own, without a terminal, and is ended with all that it started. */
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { shellCode, tied } from './child.ts';

export interface Group {
  /** Its exit code, as a shell has it. */
  ended: Promise<number>;
  /** TERM to it alone, and to whatever is left of its group after the grace. */
  stop(graceMs: number): Promise<void>;
}

/** Between TERM and KILL, for what a program left behind. */
const LEFTOVERS_MS = 5_000;
const LOOK_MS = 100;
/** For what a program said last. */
const PIPES_MS = 1_000;

/**
 * @param how.env on top of this program's; undefined: without that variable
 * @param how.isWholeEnv nothing of this program's
 * @param how.onOutput gets both streams, in order of arrival
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
    // One that could not be started does not exit.
    child.then(() => resolve(shellCode()));
  }).finally(() => {
    running = false;
  });
  /** @returns was there anything to get it? */
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
    // What it left running may hold its pipes for ever.
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
      // Its last words may still be on their way.
      await ended;
    },
  };
}

/** Programs that a command starts, and the one place that hands on the signals which end it. */
import { spawnSync } from 'node:child_process';
import { constants } from 'node:os';
import { execa, type Options, type ResultPromise } from 'execa';
import { Ending, INTERRUPTED } from './ending.ts';
import { logProgress } from './log-progress.ts';

/** These variables of the environment alone, as far as they are set. */
export const environmentOf = (names: readonly string[]) =>
  Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );

/** For a program that is not the project's own. */
export const plainEnvironment = () => environmentOf(['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR']);

/** Who is told when somebody wants this program to end; the first of the list alone. */
const signalHandlers: ((signal: NodeJS.Signals) => void)[] = [];
let signalled = false;

/** Has somebody asked for the end? */
export const interrupted = () => signalled;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    signalled = true;
    const [handler] = signalHandlers;
    if (!handler) process.exit(INTERRUPTED);
    handler(signal);
  });
}

/** Has `take` called for each signal while the work goes on. */
export async function whileTaking<T>(
  take: (signal: NodeJS.Signals) => void,
  work: () => Promise<T>,
): Promise<T> {
  signalHandlers.unshift(take);
  try {
    return await work();
  } finally {
    signalHandlers.splice(signalHandlers.indexOf(take), 1);
  }
}

export interface Ended {
  /** As a shell has it: 128 and the number of the signal that ended it. */
  code: number;
  stdout: string;
  stderr: string;
  /** Both, in order of arrival, where `all` is set. */
  all: string;
}

/**
 * Runs a program until it ends, or this one does. Each signal that reaches this one is sent on to it, as TERM,
 * once: Ctrl-C in a terminal does not reach it by itself.
 *
 * @param how.mayAsk it stays in the terminal's foreground, where it may ask for a password
 */
export async function runForwardingSignals(
  file: string,
  args: readonly string[],
  options: Options = {},
  how: { mayAsk?: boolean; onStart?: (child: ResultPromise) => void } = {},
): Promise<Ended> {
  const command = how.mayAsk
    ? ['sh', '-c', 'trap "" INT; exec "$0" "$@"', file, ...args]
    : tied([file, ...args]);
  const child = execa(command[0] ?? '', command.slice(1), {
    reject: false,
    forceKillAfterDelay: false,
    detached: !how.mayAsk,
    // A pipe of Node is a socket, and bash with a socket for input reads ~/.bashrc, as for rshd.
    ...(options.stdio || options.input ? {} : { stdin: 'ignore' as const }),
    ...options,
  });
  how.onStart?.(child);
  return await whileTaking(
    () => child.kill('SIGTERM'),
    async () => ended(await child),
  );
}

/** Programs end so by themselves; with more than this a signal or the system ended one. */
export const BY_SIGNAL = 128;

/** An exit code as a shell has it, also of what could not be started at all. */
export const shellCode = (code?: number | null, signal?: keyof typeof constants.signals | null) =>
  code ?? (signal ? BY_SIGNAL + constants.signals[signal] : 127);

function ended(result: Awaited<ResultPromise>): Ended {
  const { exitCode, signal, stdout, stderr, all } = result;
  return {
    code: shellCode(exitCode, signal),
    stdout: String(stdout ?? ''),
    stderr: String(stderr ?? ''),
    all: String(all ?? ''),
  };
}

/** @throws {Ending} where somebody has asked for the end */
export function leaveWhereInterrupted() {
  if (!signalled) return;
  logProgress('interrupted');
  throw new Ending('', INTERRUPTED);
}

/**
 * As `runForwardingSignals`, and the end of this program where it failed, which has said why, or where there was a signal. All that it says is progress:
 * standard output is the command's own.
 */
export async function runOrExit(
  file: string,
  args: readonly string[],
  options: Options = {},
): Promise<Ended> {
  const done = await runForwardingSignals(
    file,
    args,
    { stdio: ['inherit', 2, 'inherit'], ...options },
    { mayAsk: true },
  );
  leaveWhereInterrupted();
  if (done.code !== 0) throw new Ending('', done.code);
  return done;
}

const TIE = ['setpriv', '--pdeathsig', 'TERM'];
let ties: boolean | undefined;

/** A command that is told to end where this program is gone, also where that was killed; without setpriv it is not. */
export function tied(command: readonly string[]): string[] {
  ties ??= spawnSync(TIE[0] ?? '', [...TIE.slice(1), 'true'], { stdio: 'ignore' }).status === 0;
  return ties ? [...TIE, ...command] : [...command];
}

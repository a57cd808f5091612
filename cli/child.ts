/** Runs child processes of a command, and forwards signals to them. */
import { spawnSync } from 'node:child_process';
import { constants } from 'node:os';
import { execa, type Options, type ResultPromise } from 'execa';
import { Ending, INTERRUPTED } from './ending.ts';
import { logProgress } from './log-progress.ts';

/** Returns only the named environment variables that are set. */
export const environmentOf = (names: readonly string[]) =>
  Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );

/** Search path of the caller's own commands: the project's programs are only used if the caller has none. */
export const callerPath = () => [process.env.CALLER_PATH, process.env.PATH].filter(Boolean).join(':');

/** The environment of third-party programs. */
export const plainEnvironment = () => environmentOf(['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR']);

/** Handlers of signals that end this program. Only the first one is called. */
const signalHandlers: ((signal: NodeJS.Signals) => void)[] = [];
let signalled = false;

/** Whether a signal has arrived. */
export const interrupted = () => signalled;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    signalled = true;
    const [handler] = signalHandlers;
    if (!handler) process.exit(INTERRUPTED);
    handler(signal);
  });
}

/** Calls `take` for each signal while the work is running. */
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
  /** As in a shell: 128 plus the number of the signal that ended the program. */
  code: number;
  stdout: string;
  stderr: string;
  /** Both streams in order of arrival, if `all` is set. */
  all: string;
}

/**
 * Runs a program until it or this process ends. The first signal is forwarded to it as TERM, because Ctrl-C
 * in a terminal does not reach it.
 *
 * @param how.mayAsk keeps it in the terminal's foreground process group, so that it can ask for a password
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
    // Node's pipes are sockets, and bash reads ~/.bashrc if its input is a socket, as for rshd.
    ...(options.stdio || options.input ? {} : { stdin: 'ignore' as const }),
    ...options,
  });
  how.onStart?.(child);
  return await whileTaking(
    () => child.kill('SIGTERM'),
    async () => ended(await child),
  );
}

/** Exit codes above this mean that a signal or the system ended the program. */
export const BY_SIGNAL = 128;

/** The exit code as in a shell, even if the program could not be started. */
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

/** @throws {Ending} if a signal has arrived */
export function leaveWhereInterrupted() {
  if (!signalled) return;
  logProgress('interrupted');
  throw new Ending('', INTERRUPTED);
}

/**
 * Like `runForwardingSignals`, but ends this program if the child failed (it has reported the reason) or
 * after a signal. The child's output goes to standard error, because standard output belongs to the command.
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

/**
 * Wraps a command so that it gets a signal when this program exits or is killed. Requires setpriv.
 */
export function tied(command: readonly string[]): string[] {
  ties ??= spawnSync(TIE[0] ?? '', [...TIE.slice(1), 'true'], { stdio: 'ignore' }).status === 0;
  return ties ? [...TIE, ...command] : [...command];
}

/** Generates arguments for a server's operations in a process with limits. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { oneLine } from '../../contract/one-line.js';
import { type Choice, lineToAdd } from '../../lib/choose.js';
import type { DocumentOperation } from '../../lib/workload.js';
import { BY_SIGNAL, leaveWhereInterrupted, plainEnvironment, runForwardingSignals } from '../child.ts';
import { broken } from '../ending.ts';
import { ROOT } from '../stack.ts';
import type { Made, Task } from './argument-maker.ts';

/** Time limit for all tasks. */
const MAKING_MS = 10_000;
/** JavaScript heap in MiB, so that the whole process stays below 256 MiB. */
const HEAP = 112;
const MAX_REASON = 200;
/** Maximum number of argument names in a line that people have to complete. */
const MAX_NAMES = 10;

/**
 * Adds arguments to each operation that needs them. Operations without possible arguments are left out.
 *
 * @param seed the same seed and schema give the same arguments, independently of the server's other operations
 */
export async function addArguments({ operations, wanted, leftOut }: Choice, seed: number) {
  const names = Object.keys(wanted);
  const tasks = Object.entries(wanted).map(([name, { schema, count }]) => ({
    schema,
    count,
    seed: createHash('sha256').update(`${seed} ${name}`).digest().readUInt32BE(),
  }));
  const all = await makeArguments(tasks);
  for (const [index, name] of names.entries()) {
    const operation = operations[name] as DocumentOperation;
    const made = all[index] as Made;
    if ('arguments' in made) {
      const known = wanted[name]?.known ?? [{}];
      const filled = made.arguments.map((args, place) => ({ ...args, ...known[place % known.length] }));
      const distinct = new Map(filled.map((args) => [JSON.stringify(args), args]));
      operations[name] = {
        ...operation,
        arguments: [...distinct.values()],
        ...(made.long_text && operation.method === 'tools/call' && { long_text: made.long_text }),
      };
    } else {
      delete operations[name];
      leftOut.unshift({
        operation: name,
        reason: oneLine(`no valid arguments: ${made.impossible}`, MAX_REASON),
        add: lineToAdd(name, { ...operation, arguments: [sketch(tasks[index]?.schema)] }),
      });
    }
  }
}

/**
 * Generates arguments in the order of the tasks. An expensive schema does not affect the others, except for
 * its time.
 */
export async function makeArguments(tasks: Task[], limitMs = MAKING_MS): Promise<Made[]> {
  const all: Made[] = [];
  const deadline = Date.now() + limitMs;
  while (all.length < tasks.length && Date.now() < deadline) {
    all.push(...(await runMaker(tasks.slice(all.length), deadline - Date.now())));
    if (all.length < tasks.length) all.push({ impossible: 'making them takes too much memory or time' });
  }
  const late = { impossible: `not tried: earlier operations used up the time limit of ${limitMs / 1000} s` };
  return tasks.map((_, index) => all[index] ?? late);
}

/** @returns the results of the tasks that were completed in time */
async function runMaker(tasks: Task[], timeout: number): Promise<Made[]> {
  const program = join(ROOT, 'cli/discovery/argument-maker.ts');
  const readable = [
    program,
    ...['cli/discovery/long-text.ts', 'package.json', 'node_modules'].map((path) => join(ROOT, path)),
  ].map((path) => `--allow-fs-read=${realpathSync(path)}`);
  const node = ['node', `--max-heap-size=${HEAP}`, '--no-warnings', '--permission', ...readable, program];
  const command = [...offline(), ...node];
  const { code, stdout, stderr } = await runForwardingSignals(command[0] as string, command.slice(1), {
    input: JSON.stringify(tasks),
    env: plainEnvironment(),
    extendEnv: false,
    stripFinalNewline: false,
    timeout,
    killSignal: 'SIGKILL',
  });
  leaveWhereInterrupted();
  if (code > 0 && code < BY_SIGNAL) throw broken(`cannot make arguments: ${stderr.trim()}`);
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

let isOffline: boolean | undefined;

/**
 * Isolates the process from the network, if the system allows it. The libraries do not open connections
 * anyway.
 */
function offline(): string[] {
  const own = ['unshare', '--map-root-user', '--net'];
  isOffline ??= spawnSync(own[0] as string, [...own.slice(1), 'true'], { stdio: 'ignore' }).status === 0;
  return isOffline ? own : [];
}

/** Arguments with names but without values. */
function sketch(schema: unknown): Record<string, string> {
  const { required } = (schema ?? {}) as { required?: unknown };
  const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
  return Object.fromEntries(names.slice(0, MAX_NAMES).map((name) => [name, '?']));
}

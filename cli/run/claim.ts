/** Allows one run per target at a time: concurrent loads would distort each other's results. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { plainEnvironment, tied } from '../child.ts';
import { usage } from '../ending.ts';
import { ROOT, runFolder } from '../stack.ts';

/** Exit code of flock if another process has the lock. */
const TAKEN = 1;

/**
 * Locks a target. A child process holds the lock and ends when this program exits or is killed. Without flock
 * (macOS) there is no lock.
 *
 * @param foreign the server to load; undefined = the reference target
 * @returns a function that releases the lock
 * @throws {Ending} if another run is loading the target
 */
export async function claimTarget(testid: string, foreign?: string): Promise<() => Promise<void>> {
  // In containers: a folder shared by the containers of a stack.
  const claims = process.env.CLAIMS_DIR || join(runFolder(), 'loaded');
  mkdirSync(claims, { recursive: true });
  const what = foreign?.replace(/[?#].*$/, '') ?? `the reference target of the stack in ${runFolder()}`;
  const name = foreign ? createHash('sha256').update(what).digest('hex').slice(0, 16) : 'reference';
  const claim = join(claims, name);
  const [file = '', ...args] = tied(['flock', '-n', claim, 'sh', '-c', 'echo; exec cat']);
  const holder = execa(file, args, {
    stdin: 'pipe',
    env: plainEnvironment(),
    extendEnv: false,
    detached: true,
    reject: false,
  });
  const outcome = await Promise.race([
    new Promise<'held'>((resolve) => holder.stdout.once('data', () => resolve('held'))),
    holder,
  ]);
  if (outcome !== 'held') {
    if (outcome.exitCode !== TAKEN) return async () => {};
    const other = foreign ? 'load another target' : `use a separate stack with RUN_DIR=${ROOT}/.run-2`;
    throw usage(
      `${readFileSync(claim, 'utf8').trim()} is already loading ${what}; wait for it to finish, or ${other}`,
    );
  }
  writeFileSync(claim, `${testid}\n`);
  return async () => {
    holder.stdin.end();
    await holder;
  };
}

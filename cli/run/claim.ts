/** One run of a target at a time: two loads at once would be in one another's figures. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { plainEnvironment, tied } from '../child.ts';
import { usage } from '../ending.ts';
import { ROOT, runFolder } from '../stack.ts';

/** What flock ends with where somebody else has the lock. */
const TAKEN = 1;

/**
 * The lock is held by a child that ends with this program, however that ends. Without flock (macOS) nothing is claimed.
 *
 * @param foreign the server that is loaded; undefined: the reference target
 * @returns gives it back
 * @throws {Ending} where somebody else is loading it
 */
export async function claimTarget(testid: string, foreign?: string): Promise<() => Promise<void>> {
  // In containers, the folder that those of one stack share.
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
    const other = foreign
      ? 'load another one'
      : `give this one a stack of its own with RUN_DIR=${ROOT}/.run-2`;
    throw usage(
      `${readFileSync(claim, 'utf8').trim()} is loading ${what}; valid: one run of a target at a time: wait for it, or ${other}`,
    );
  }
  writeFileSync(claim, `${testid}\n`);
  return async () => {
    holder.stdin.end();
    await holder;
  };
}

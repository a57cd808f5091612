/** Rejects a comparison that cannot detect a change for the worse, before any load is sent. */
import { counted } from '../../contract/units.js';
import { CompareError } from './compare-error.ts';
import { canDecide, LEAST_RUNS } from './decide.ts';

/** @throws {CompareError} */
export function checkRuns({
  head,
  base,
  allowSingle,
}: {
  /** Value of RUNS. */
  head: number;
  /** Number of runs to compare with; defaults to `head`. */
  base?: number;
  /** Value of ALLOW_SINGLE_RUN. */
  allowSingle: boolean;
}) {
  if (canDecide(base ?? head, head)) return;
  if (allowSingle && (base ?? head) === 1 && head === 1) return;
  if (base === 0) throw new CompareError('BASE has no comparable run; valid: runs that passed');
  const needed = base === undefined ? LEAST_RUNS : leastAgainst(base);
  const single = base === undefined || base === 1 ? ', or RUNS=1 ALLOW_SINGLE_RUN=1' : '';
  throw new CompareError(
    `RUNS is ${head}: ${counted(base ?? head, 'run')} against ${head} cannot show that anything is worse; valid: ${needed} or more${single}`,
  );
}

function leastAgainst(base: number): number {
  let runs = 1;
  while (!canDecide(base, runs)) runs += 1;
  return runs;
}

/**
 * Installs the missing parts of the given dependencies. Prints nothing if none is missing. Called by
 * scripts/setup.
 */
import { whileTaking } from '../child.ts';
import { codeOf, INTERRUPTED } from '../ending.ts';
import { logProgress } from '../log-progress.ts';
import { makeParts } from './make-parts.ts';
import { missingParts } from './needs.ts';
import { Job, PartError } from './part.ts';

const job = new Job(process.env.CACHE_DIR ?? '');
try {
  await whileTaking(
    () => job.end(),
    async () => makeParts(await missingParts(process.argv.slice(2)), job),
  );
} catch (error) {
  if (job.ended) process.exit(INTERRUPTED);
  job.end();
  if (error instanceof PartError && error.said) logProgress(error.said);
  logProgress(`error: ${error instanceof Error ? error.message : error}`);
  process.exitCode = codeOf(error);
}

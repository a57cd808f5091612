/** What becomes of a run of which k6 has ended. */
import { renameSync, rmSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Abort } from '../../analysis/collect/measured.ts';
import { judge } from '../../analysis/judge/judge.ts';
import { logLine } from '../../analysis/run-log.ts';
import { whileTaking } from '../child.ts';
import { INTERRUPTED } from '../ending.ts';
import { k6 } from '../k6.ts';
import { logProgress } from '../log-progress.ts';
import { resultsFolder } from '../stack.ts';
import type { Given } from './given.ts';

/**
 * The run document, its reports, and the exit code of the verdict. Without a stack that is loaded, of what k6 left alone.
 *
 * @param given the variables that the run was given
 * @param abort why there was no load, where k6 left nothing
 */
export async function judged(
  folder: string,
  k6Exit: number,
  given: Given,
  abort: Abort | null = null,
): Promise<number> {
  nameLatest(folder);
  logLine('judging');
  const { PROMETHEUS_URL, WATCHED_SERVER = '', TARGET_SETTINGS = '', RUN_LOG } = process.env;
  const { version } = await k6();
  let patient = true;
  const leave = () => {
    if (!patient) {
      logProgress(`interrupted: not judged; what k6 left is in ${folder}`);
      process.exit(INTERRUPTED);
    }
    patient = false;
    logProgress('the report is being written; press Ctrl-C again to quit without it');
  };
  return await whileTaking(leave, () =>
    judge({
      directory: folder,
      k6Exit,
      prometheus: (RUN_LOG && PROMETHEUS_URL) || null,
      server: WATCHED_SERVER,
      settings: TARGET_SETTINGS,
      variables: given,
      k6Version: version || null,
      abort,
    }),
  );
}

/** `latest` is this run; where it can't be, on a full disk, there is a verdict all the same. */
export function nameLatest(folder: string) {
  const latest = join(resultsFolder(), 'latest');
  // Another run may do the same now: it is there whole, or not at all.
  const link = `${latest}-${process.pid}`;
  try {
    symlinkSync(basename(folder), link);
    renameSync(link, latest);
  } catch (error) {
    rmSync(link, { force: true });
    logProgress(`${latest} is not this run: ${error instanceof Error ? error.message : error}`);
  }
}

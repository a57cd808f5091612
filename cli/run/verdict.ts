/** Evaluates a run after the end of k6. */
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
import type { RunVariables } from './run-variables.ts';

/**
 * Writes the run document and its reports, and returns the exit code of the verdict. Without a loaded stack
 * it uses only k6's results.
 *
 * @param variables the run's variables
 * @param abort why there was no load, if k6 left no results
 */
export async function judged(
  folder: string,
  k6Exit: number,
  variables: RunVariables,
  abort: Abort | null = null,
): Promise<number> {
  nameLatest(folder);
  logLine('judging');
  const { PROMETHEUS_URL, GRAFANA_URL, WATCHED_SERVER = '', TARGET_SETTINGS = '', RUN_LOG } = process.env;
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
      variables,
      k6Version: version || null,
      abort,
      grafana: Boolean(GRAFANA_URL),
    }),
  );
}

/** Links `latest` to this run. Errors, such as a full disk, do not affect the verdict. */
export function nameLatest(folder: string) {
  const latest = join(resultsFolder(), 'latest');
  // Rename is atomic: another run may do the same at the same time.
  const link = `${latest}-${process.pid}`;
  try {
    symlinkSync(basename(folder), link);
    renameSync(link, latest);
  } catch (error) {
    rmSync(link, { force: true });
    logProgress(`${latest} is not this run: ${error instanceof Error ? error.message : error}`);
  }
}

/** Reads everything that a run left in its folder. */
import { basename, join, resolve } from 'node:path';
import type { HostWatch } from './host-watch-record.ts';
import { readHostWatches } from './host-watch-series.ts';
import { type K6Log, readK6Log } from './k6-log.ts';
import type { Abort } from './measured.ts';
import { type Line, readLines } from './seconds.ts';
import { readSummary, type Summary } from './summary.ts';
import { readTrialLogs, readTrialSummaries, readTrials, type Trials } from './trials.ts';

export interface Collected {
  /** The folder's name. */
  testid: string;
  /** null: the test is one k6 run. */
  trials: Trials | null;
  /** Of the k6 runs that left one. */
  runs: Summary[];
  /** All of them in one. */
  summary: Summary | null;
  /** Why there is no summary, or not of every trial. */
  summaryProblem: string | null;
  /** Why a script ended its test. */
  abort: Abort | null;
  log: K6Log;
  /** By trial; of a single k6 run by ''. */
  seconds: ReadonlyMap<string, readonly Line[]>;
  watches: HostWatch[];
}

/**
 * @param directory of the run's results
 * @throws {TrialsError}
 */
export async function collect(directory: string): Promise<Collected> {
  const trials = readTrials(directory);
  const folders = trials ? trials.trials : [{ name: '', folder: '' }];
  const seconds = new Map<string, Line[]>();
  for (const { name, folder } of folders) seconds.set(name, await readLines(join(directory, folder)));
  return {
    testid: basename(resolve(directory)),
    trials,
    ...(trials ? readTrialSummaries(directory, trials) : summaryOf(directory)),
    log: trials ? await readTrialLogs(directory, trials) : await readK6Log(join(directory, 'k6.log')),
    seconds,
    watches: readHostWatches(directory, trials),
  };
}

function summaryOf(directory: string): Pick<Collected, 'runs' | 'summary' | 'summaryProblem' | 'abort'> {
  const { summary, problem, abort = null } = readSummary(directory);
  return { runs: summary ? [summary] : [], summary, summaryProblem: problem, abort };
}

/** Reads all results of a run from its directory. */
import { basename, join, resolve } from 'node:path';
import type { HostWatch } from './host-watch-record.ts';
import { readHostWatches } from './host-watch-series.ts';
import { type K6Log, readK6Log } from './k6-log.ts';
import type { Abort } from './measured.ts';
import { type Line, readLines } from './seconds.ts';
import { readSummary, type Summary } from './summary.ts';
import { readTrialLogs, readTrialSummaries, readTrials, type Trials } from './trials.ts';

export interface Collected {
  /** Name of the directory. */
  testid: string;
  /** null if the test is a single k6 run. */
  trials: Trials | null;
  /** Summaries of the k6 runs; runs without one are left out. */
  runs: Summary[];
  /** All summaries merged into one. */
  summary: Summary | null;
  /** Why summaries are missing. */
  summaryProblem: string | null;
  /** Why the script aborted the test. */
  abort: Abort | null;
  log: K6Log;
  /** By trial; the key of a single k6 run is ''. */
  seconds: ReadonlyMap<string, readonly Line[]>;
  watches: HostWatch[];
}

/** @param directory directory of the run's results @throws {TrialsError} */
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

/** Reads everything that a run left in its folder. */
import { basename, join, resolve } from 'node:path';
import type { HostWatch } from './host-watch-record.ts';
import { readHostWatches } from './host-watch-series.ts';
import { type K6Log, readK6Log } from './k6-log.ts';
import { type Legs, readLegLogs, readLegSummaries, readLegs } from './legs.ts';
import type { Abort } from './measured.ts';
import { type Line, readLines } from './seconds.ts';
import { readSummary, type Summary } from './summary.ts';

export interface Collected {
  /** The folder's name. */
  testid: string;
  /** null: the test is one k6 run. */
  legs: Legs | null;
  /** Of the k6 runs that left one. */
  runs: Summary[];
  /** All of them in one. */
  summary: Summary | null;
  /** Why there is no summary, or not of every leg. */
  summaryProblem: string | null;
  /** Why a script ended its test. */
  abort: Abort | null;
  log: K6Log;
  /** By leg; of a single k6 run by ''. */
  seconds: ReadonlyMap<string, readonly Line[]>;
  watches: HostWatch[];
}

/**
 * @param directory of the run's results
 * @throws {LegsError}
 */
export async function collect(directory: string): Promise<Collected> {
  const legs = readLegs(directory);
  const folders = legs ? legs.legs : [{ name: '', folder: '' }];
  const seconds = new Map<string, Line[]>();
  for (const { name, folder } of folders) seconds.set(name, await readLines(join(directory, folder)));
  return {
    testid: basename(resolve(directory)),
    legs,
    ...(legs ? readLegSummaries(directory, legs) : summaryOf(directory)),
    log: legs ? await readLegLogs(directory, legs) : await readK6Log(join(directory, 'k6.log')),
    seconds,
    watches: readHostWatches(directory, legs),
  };
}

function summaryOf(directory: string): Pick<Collected, 'runs' | 'summary' | 'summaryProblem' | 'abort'> {
  const { summary, problem, abort = null } = readSummary(directory);
  return { runs: summary ? [summary] : [], summary, summaryProblem: problem, abort };
}

/** Reads a test that consists of several k6 runs: its trials, and one summary of all of them. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { validator } from '../schemas.ts';
import type { Collected } from './collect.ts';
import { type K6Log, readK6Log } from './k6-log.ts';
import { readSummary, type Summary } from './summary.ts';

/** One k6 run. */
export interface Trial {
  name: string;
  /** Labels of its phases. */
  labels: Record<string, string | number>;
  /** Relative to the results directory. */
  folder: string;
  /** false if its objectives are ignored. */
  judged: boolean;
  /** k6's exit code. */
  code: number;
  /** Changes to the system during the trial. */
  events: TrialEvent[];
}

/** time_ms: Unix time in milliseconds. */
export type TrialEvent = { time_ms: number; kind: string } & Record<string, unknown>;

/** `R`: the result that the test's `trials.ts` writes. */
export interface Trials<R = unknown> {
  /** In order of execution. */
  trials: Trial[];
  /** Input of the test's tables; null if the test ended before it was available. */
  result: R | null;
  /** Why the test could not continue. */
  error: string | null;
}

const validate = validator('trials.schema.json');

/** The list of trials cannot be read; the message is a single line. */
export class TrialsError extends Error {}

/**
 * @param directory directory of the run's results
 * @returns null if the test is a single k6 run
 * @throws {TrialsError}
 */
export function readTrials(directory: string): Trials | null {
  const path = join(directory, 'trials.json');
  if (!existsSync(path)) return null;
  let document: Trials;
  try {
    document = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    throw new TrialsError('trials.json cannot be read as JSON: the test was interrupted while writing it');
  }
  const problem = validate(document);
  if (problem) throw new TrialsError(`trials.json does not match its schema: ${problem}`);
  return document;
}

/** @returns the summaries of the trials that have one, a summary of all of them, and the first abort */
export function readTrialSummaries(
  directory: string,
  { trials }: Trials,
): Pick<Collected, 'runs' | 'summary' | 'summaryProblem' | 'abort'> {
  const read = trials.map((trial) => ({ trial, ...readSummary(join(directory, trial.folder)) }));
  const runs = read.flatMap(({ summary, trial }) => {
    if (!summary) return [];
    const { plan } = summary;
    return [trial.judged ? summary : { ...summary, plan: { ...plan, objectives: [] }, thresholds: [] }];
  });
  const missing = read.find(({ problem }) => problem !== null);
  const problem = missing ? `${missing.trial.name}: ${missing.problem}` : null;
  return {
    runs,
    summary: merge(runs),
    summaryProblem: problem ?? (trials.length === 0 ? 'no trial ran' : null),
    abort: read.find(({ abort }) => abort)?.abort ?? null,
  };
}

/** @returns the first entry of each kind over all logs */
export async function readTrialLogs(directory: string, { trials }: Trials): Promise<K6Log> {
  const logs = await Promise.all(trials.map(({ folder }) => readK6Log(join(directory, folder, 'k6.log'))));
  return {
    lastLine: logs.at(-1)?.lastLine ?? null,
    failedPushesS: logs.flatMap(({ failedPushesS }) => failedPushesS),
    exceptions: Object.assign({}, ...logs.toReversed().map(({ exceptions }) => exceptions)),
    uncaught: logs.reduce(
      (sum, { uncaught }) =>
        uncaught ? { count: (sum?.count ?? 0) + uncaught.count, first: sum?.first ?? uncaught.first } : sum,
      null as K6Log['uncaught'],
    ),
    samples: Object.assign({}, ...logs.toReversed().map(({ samples }) => samples)),
  };
}

/**
 * Merges summaries. Phase names are unique across trials, so data by phase is kept as it is. Other counts and
 * histograms are added.
 */
function merge(summaries: Summary[]): Summary | null {
  const [first] = summaries;
  const last = summaries.at(-1);
  if (!first || !last) return null;
  if (first === last) return first;
  const startedMs = summaries.find((one) => one.startedMs !== null)?.startedMs ?? null;
  const endMs = (last.startedMs ?? startedMs ?? 0) + last.ranS * 1000;
  const plans = summaries.map(({ plan }) => plan);
  const operations = new Map(plans.flatMap((plan) => plan.operations.map((one) => [one.operation, one])));
  return {
    plan: {
      ...first.plan,
      phases: plans.flatMap(({ phases }) => phases),
      operations: [...operations.values()],
      objectives: plans.flatMap(({ objectives }) => objectives.filter(({ scope }) => scope.phase)),
    },
    startedMs,
    ranS: startedMs === null ? last.ranS : (endMs - startedMs) / 1000,
    groups: summaries.flatMap(({ groups }) => groups),
    vusMax: Math.max(...summaries.map(({ vusMax }) => vusMax)),
    thresholds: summaries.flatMap(({ thresholds }) => thresholds),
    cores: first.cores,
    clockJumps: summaries.flatMap(({ clockJumps }) => clockJumps),
    processes: summaries.flatMap(({ processes }) => processes),
    streams: summaries.flatMap(({ streams }) => streams),
  };
}

/** A test that took several k6 runs (see experiments/): its legs, and one summary of them all. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Collected } from './collect.ts';
import { type K6Log, readK6Log } from './k6-log.ts';
import { validator } from './schemas.ts';
import { readSummary, type Summary } from './summary.ts';

/** One k6 run. */
export interface Leg {
  name: string;
  /** Of its phases. */
  labels: Record<string, string | number>;
  /** In the results folder. */
  folder: string;
  /** false: its objectives do not count. */
  judged: boolean;
  /** k6's exit code. */
  code: number;
  /** What was done to the system meanwhile. */
  events: LegEvent[];
}

/** time_ms since the epoch. */
export type LegEvent = { time_ms: number; kind: string } & Record<string, unknown>;

export interface Legs {
  /** In the order in which they ran. */
  legs: Leg[];
  /** What the experiment found out by itself, as its table builder knows it. */
  result: unknown;
  /** Why the experiment could not go on. */
  error: string | null;
}

const validate = validator('legs.schema.json');

/** What the experiment left of its legs can't be read: in one line. */
export class LegsError extends Error {}

/** @param directory a run's results @returns null: the test is one k6 run @throws {LegsError} */
export function readLegs(directory: string): Legs | null {
  const path = join(directory, 'legs.json');
  if (!existsSync(path)) return null;
  let document: Legs;
  try {
    document = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    throw new LegsError(
      'legs.json is not JSON, or can not be read: the experiment was cut off while it wrote it',
    );
  }
  const problem = validate(document);
  if (problem) throw new LegsError(`legs.json does not say which legs there were: ${problem}`);
  return document;
}

/** @returns those of the legs that left one, and all of them in one; the first abort */
export function readLegSummaries(
  directory: string,
  { legs }: Legs,
): Pick<Collected, 'runs' | 'summary' | 'summaryProblem' | 'abort'> {
  const read = legs.map((leg) => ({ leg, ...readSummary(join(directory, leg.folder)) }));
  const runs = read.flatMap(({ summary, leg }) => {
    if (!summary) return [];
    const { plan } = summary;
    return [leg.judged ? summary : { ...summary, plan: { ...plan, objectives: [] }, thresholds: [] }];
  });
  const missing = read.find(({ problem }) => problem !== null);
  const problem = missing ? `${missing.leg.name}: ${missing.problem}` : null;
  return {
    runs,
    summary: merge(runs),
    summaryProblem: problem ?? (legs.length === 0 ? 'no leg ran' : null),
    abort: read.find(({ abort }) => abort)?.abort ?? null,
  };
}

/** @returns the first of what each log has */
export async function readLegLogs(directory: string, { legs }: Legs): Promise<K6Log> {
  const logs = await Promise.all(legs.map(({ folder }) => readK6Log(join(directory, folder, 'k6.log'))));
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
 * Phases have names of their own in each leg, so what is known by phase stays as it is. Of the rest counts and
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
  };
}

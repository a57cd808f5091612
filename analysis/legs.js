/**
 * A test that took several k6 runs (see experiments/): its legs, and one summary of them all.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readK6Log } from './k6-log.js';
import { MeasuredMetrics } from './measured-metrics.ts';
import { validator } from './schemas.js';
import { readSummary } from './summary.js';

/**
 * @typedef {object} Leg one k6 run
 * @property {string} name
 * @property {Record<string, string | number>} labels of its phases
 * @property {string} folder in the results folder
 * @property {boolean} judged false: its objectives do not count
 * @property {number} code k6's exit code
 * @property {LegEvent[]} events what was done to the system meanwhile
 *
 * @typedef {{time_ms: number, kind: string} & Record<string, unknown>} LegEvent time_ms since the epoch
 *
 * @typedef {object} Legs
 * @property {Leg[]} legs in the order in which they ran
 * @property {any} result what the experiment found out by itself, as its table builder knows it
 * @property {string | null} error why the experiment could not go on
 */

const validate = validator('legs.schema.json');

/** What the experiment left of its legs can't be read: in one line. */
export class LegsError extends Error {}

/**
 * @param {string} directory a run's results
 * @returns {Legs | null} null: the test is one k6 run
 * @throws {LegsError}
 */
export function readLegs(directory) {
  const path = join(directory, 'legs.json');
  if (!existsSync(path)) return null;
  let document;
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

/**
 * @param {string} directory
 * @param {Legs} legs
 * @returns {{summaries: import('./summary.js').Summary[], summary: import('./summary.js').Summary | null,
 *   problem: string | null, abort: import('./measured.ts').Abort | null}} those of the legs that left one, and all of them in one; the first
 *   abort
 */
export function readLegSummaries(directory, { legs }) {
  const read = legs.map((leg) => ({ leg, ...readSummary(join(directory, leg.folder)) }));
  const measured = read.flatMap(({ measured: one, leg }) =>
    one ? [leg.judged ? one : { ...one, thresholds: [] }] : [],
  );
  const summaries = read.flatMap(({ summary, leg }) => {
    if (!summary) return [];
    return [leg.judged ? summary : { ...summary, plan: { ...summary.plan, objectives: [] } }];
  });
  const missing = read.find(({ problem }) => problem !== null);
  const problem = missing ? `${missing.leg.name}: ${missing.problem}` : null;
  return {
    summaries,
    summary: merge(summaries, new MeasuredMetrics(measured)),
    problem: problem ?? (legs.length === 0 ? 'no leg ran' : null),
    abort: read.find(({ abort }) => abort)?.abort ?? null,
  };
}

/** @param {string} directory @param {Legs} legs @returns {Promise<import('./k6-log.js').K6Log>} the first of what each log has */
export async function readLegLogs(directory, { legs }) {
  const logs = await Promise.all(legs.map(({ folder }) => readK6Log(join(directory, folder, 'k6.log'))));
  return {
    lastLine: logs.at(-1)?.lastLine ?? null,
    failedPushesS: logs.flatMap(({ failedPushesS }) => failedPushesS),
    exceptions: Object.assign({}, ...logs.toReversed().map(({ exceptions }) => exceptions)),
    uncaught: logs.reduce(
      (sum, { uncaught }) =>
        uncaught ? { count: (sum?.count ?? 0) + uncaught.count, first: sum?.first ?? uncaught.first } : sum,
      /** @type {import('./k6-log.js').K6Log['uncaught']} */ (null),
    ),
    samples: Object.assign({}, ...logs.toReversed().map(({ samples }) => samples)),
  };
}

/**
 * Phases have names of their own in each leg, so what is known by phase stays as it is. Of the rest counts and
 * histograms are added.
 *
 * @param {import('./summary.js').Summary[]} summaries
 * @param {MeasuredMetrics} metrics of all
 * @returns {import('./summary.js').Summary | null}
 */
function merge(summaries, metrics) {
  const [first] = summaries;
  const last = summaries.at(-1);
  if (!first || !last) return null;
  if (first === last) return { ...first, metrics };
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
    metrics,
  };
}

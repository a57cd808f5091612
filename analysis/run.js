/**
 * The run document, the one artifact that everything after a run reads (run.schema.json).
 */

import { cleanDeep } from './clean-text.js';
import { failedProbes } from './failed-probes.js';
import { failures } from './failures.js';
import { findings } from './findings.js';
import { headline } from './headline.js';
import { measurements } from './measurements.js';
import { operations } from './operations.js';
import { partialOf } from './partial.js';
import { phases, roundLatency } from './phases.js';
import { ledger } from './reconcile.js';
import { round } from './round.js';
import { validator } from './schemas.js';
import { judgeThresholds } from './thresholds.js';
import { distrust } from './trust.js';
import { verdict } from './verdict.js';

/**
 * @typedef {object} Run
 * @property {'mcp-load-lab/run/1'} schema
 * @property {string} testid
 * @property {string | null} test null where k6 left no summary
 * @property {string | null} title
 * @property {string | null} profile
 * @property {string | null} started ISO time of the first phase's start; null where the run ended before it
 * @property {string | null} ended
 * @property {number | null} duration_s from `started` to `ended`
 * @property {import('./partial.js').Partial | null} [partial] null: it came to its end. Absent: as null
 * @property {{url: string, era: string | null, dialect: string | null, protocol_version: string | null,
 *   server: {name: string | null, version: string | null} | null, knobs: Record<string, string> | null} | null} target
 * @property {string | null} workload
 * @property {import('./environment.js').Environment} environment
 * @property {import('./phases.js').Phase[]} phases
 * @property {import('./operations.js').Operation[]} operations
 * @property {{count: number, expired: number, duration_ms: import('./summary.js').Latency} | null} sessions handshakes
 * @property {import('./failures.js').Failure[]} failures
 * @property {boolean} objectives_off
 * @property {boolean} [documents] the objectives are the limits of the benchmark documents; absent: of an older version
 * @property {Record<string, string | null>} [variables] that the run was given; null: a secret, or a value that is not kept. Absent: not known
 * @property {import('./failed-probes.js').FailedProbe[]} [failed_probes] left out by discovery because the server failed; absent: none
 * @property {import('./summary.js').Longer} [longer]
 * @property {import('./thresholds.js').Threshold[]} thresholds
 * @property {import('./signals.js').Signal[]} signals
 * @property {import('./measurements.js').Measurement[]} measurements the phases in canonical units
 * @property {import('./report-tables.js').ReportTable[]} tables the test's own
 * @property {import('./findings.js').Finding[]} findings
 * @property {import('./verdict.js').Verdict} verdict
 * @property {string} [headline] what happened, in a sentence or two of at most 240 characters; absent: of an older version
 *
 * @typedef {object} Collected
 * @property {string} testid the results folder's name
 * @property {import('./summary.js').Summary | null} summary of a test of several legs: all of them in one
 * @property {import('./summary.js').Summary[]} [legSummaries] one each
 * @property {string | null} [experimentError] why a test of several legs could not go on
 * @property {import('./measured.ts').Abort | null} [abort] why the script ended its test
 * @property {string | null} summaryProblem
 * @property {import('./k6-log.js').K6Log} log
 * @property {number} k6Exit
 * @property {import('./environment.js').Environment} environment
 * @property {readonly string[]} secrets
 * @property {Record<string, string> | null} [knobs] of the reference target
 * @property {Record<string, string | null>} [variables] that the run was given
 * @property {import('./host-watch-record.js').HostWatch[]} [watches]
 *
 * @typedef {(facts: Pick<import('./report-tables.js').Facts, 'plan' | 'phases' | 'operations' | 'signals' | 'metrics' | 'environment'>) =>
 *   Promise<Required<import('./report-tables.js').Built>>} Build
 */

const SCHEMA = 'mcp-load-lab/run/1';
// The run document's schema refers to the plan's.
validator('plan.schema.json');
const validate = validator('run.schema.json');

/**
 * @param {Collected} collected
 * @param {(plan: import('./summary.js').Plan, phases: import('./phases.js').Phase[]) =>
 *   Promise<import('./observe.js').Server>} observe asks for the server's side
 * @param {Build} [build] makes the test's own tables
 * @returns {Promise<Run>} without a secret or a control character in it
 * @throws {Error} where the document does not match its own schema: that is a bug here
 */
export async function makeRun(collected, observe, build = withoutTables) {
  const clean = cleanDeep(await assemble(collected, observe, build), collected.secrets);
  // Of clean texts: where a long one is cut, no part of a secret is left.
  const run = { ...clean, headline: headline(clean) };
  const problem = validateRun(run);
  if (!problem) return run;
  const { legSummaries: _, ...rest } = collected;
  if (!rest.summary) throw new Error(`run.json does not match its schema: ${problem}`);
  // A damaged summary can fit its schema and still make no run.
  const summaryProblem = `what was measured makes no run document: ${problem}`;
  return makeRun({ ...rest, summary: null, summaryProblem }, observe, build);
}

/** @param {unknown} document @returns {string | null} the first thing that is wrong, null = a run document */
export function validateRun(document) {
  return validate(document) ?? contradiction(/** @type {Run} */ (document));
}

/** @param {Run} run @returns {string | null} where its verdict is not that of its thresholds */
function contradiction({ verdict: { outcome }, thresholds }) {
  const failed = thresholds.findIndex((threshold) => threshold.outcome === 'fail');
  return outcome === 'pass' && failed >= 0
    ? `/verdict says pass, and /thresholds/${failed} that it was missed`
    : null;
}

/** @type {Build} */
const withoutTables = async () => NO_TABLES;
const NO_TABLES = { tables: [], thresholds: [], findings: [], files: {} };

/**
 * @param {Collected} collected
 * @param {Parameters<typeof makeRun>[1]} observe
 * @param {Build} build
 * @returns {Promise<Run>}
 */
async function assemble(collected, observe, build) {
  const { testid, summary, legSummaries, summaryProblem, log, k6Exit, environment } = collected;
  const { experimentError = null, abort = null } = collected;
  if (!summary) {
    const judged = {
      k6Exit,
      partial: null,
      experimentError,
      abort,
      log,
      summaryProblem,
      plan: null,
      phases: [],
      thresholds: [],
      distrust: [],
    };
    return { schema: SCHEMA, testid, ...NOTHING, environment, verdict: verdict(judged) };
  }
  const { plan, startedMs, ranS, metrics } = summary;
  const runs = legSummaries ?? [summary];
  const allPhases = runs.flatMap((one) => phases(one));
  const began = startedMs !== null;
  const server = await observe(plan, allPhases);
  const allOperations = began ? operations(summary, allPhases) : [];
  const built = began
    ? await build({
        plan,
        metrics,
        environment,
        phases: allPhases,
        operations: allOperations,
        signals: server.signals,
      })
    : NO_TABLES;
  const ownThresholds = plan.objectives_off ? [] : built.thresholds;
  const thresholds = began
    ? [...judgeThresholds({ plan, metrics, phases: allPhases }), ...ownThresholds]
    : [];
  const { count, latency } = metrics.latency({}, 'mcp_session_duration');
  const expired = metrics.count('mcp_sessions_expired');
  const allFailures = failures(runs, allPhases, log.samples);
  const partial = began ? partialOf({ plan, k6Exit, ranS, legs: legSummaries !== undefined }) : null;
  const known = {
    plan,
    phases: allPhases,
    operations: allOperations,
    failures: allFailures,
    thresholds,
    server,
    timeline: server.timeline,
    environment,
    log,
    vusMax: metrics.gauge('vus_max').max,
    watches: collected.watches ?? [],
    expired,
    partial,
    ledger: ledger(runs, allPhases),
  };
  const distrusted = began ? distrust(known) : { reasons: [], findings: [] };
  const leftOut = failedProbes(plan);
  const { era = null, dialect = null, protocol_version = null, server: name } = plan.target;
  return {
    schema: SCHEMA,
    testid: plan.testid,
    test: plan.test,
    title: plan.title ?? null,
    profile: plan.profile,
    started: startedMs === null ? null : new Date(startedMs).toISOString(),
    ended: startedMs === null ? null : new Date(startedMs + ranS * 1000).toISOString(),
    duration_s: startedMs === null ? null : round(ranS),
    partial,
    target: {
      url: plan.target.url,
      era,
      dialect,
      protocol_version,
      server: name ? { name: name.name ?? null, version: name.version ?? null } : null,
      knobs: collected.knobs ?? null,
    },
    workload: plan.workload,
    environment,
    phases: allPhases,
    operations: allOperations,
    sessions: latency && { count, expired, duration_ms: roundLatency(latency) },
    failures: allFailures,
    objectives_off: plan.objectives_off,
    ...(plan.documents !== undefined && { documents: plan.documents }),
    ...(collected.variables && { variables: collected.variables }),
    ...(leftOut.length > 0 && { failed_probes: leftOut }),
    ...(plan.longer && { longer: plan.longer }),
    thresholds,
    signals: server.signals,
    measurements: measurements(plan, allPhases),
    tables: built.tables,
    findings: began
      ? [
          // What the test was run for comes first.
          ...built.findings,
          ...distrusted.findings,
          ...findings(known),
        ]
      : [],
    verdict: verdict({
      k6Exit,
      partial,
      experimentError,
      abort,
      log,
      summaryProblem: began ? summaryProblem : 'the run ended in its set-up',
      plan,
      phases: allPhases,
      thresholds,
      distrust: distrusted.reasons,
    }),
  };
}

/** @type {Omit<Run, 'schema' | 'testid' | 'environment' | 'verdict'>} what is known of a run without a summary */
const NOTHING = {
  test: null,
  title: null,
  profile: null,
  started: null,
  ended: null,
  duration_s: null,
  partial: null,
  target: null,
  workload: null,
  phases: [],
  operations: [],
  sessions: null,
  failures: [],
  objectives_off: false,
  thresholds: [],
  signals: [],
  measurements: [],
  tables: [],
  findings: [],
};

/** The run document, the one artifact that everything after a run reads (run.schema.json). */

import { cleanDeep } from './clean-text.ts';
import type { Environment } from './environment.ts';
import { type FailedProbe, failedProbes } from './failed-probes.ts';
import { type Failure, failures } from './failures.ts';
import { type Finding, findings } from './findings.ts';
import { headline } from './headline.ts';
import type { HostWatch } from './host-watch-record.ts';
import type { K6Log } from './k6-log.ts';
import type { Abort } from './measured.ts';
import { type Measurement, measurements } from './measurements.ts';
import type { Server } from './observe.ts';
import { type Operation, operations } from './operations.ts';
import { type Partial, partialOf } from './partial.ts';
import { type Phase, phases, roundLatency } from './phases.ts';
import { ledger } from './reconcile.ts';
import type { Built, Facts, ReportTable } from './report-tables.ts';
import { round } from './round.ts';
import { validator } from './schemas.ts';
import type { Signal } from './signals.ts';
import type { Latency, Longer, Plan, Summary } from './summary.ts';
import { judgeThresholds, type Threshold } from './thresholds.ts';
import { distrust } from './trust.ts';
import { type Verdict, verdict } from './verdict.ts';

export interface Run {
  schema: 'mcp-load-lab/run/1';
  testid: string;
  /** null where k6 left no summary. */
  test: string | null;
  title: string | null;
  profile: string | null;
  /** ISO time of the first phase's start; null where the run ended before it. */
  started: string | null;
  ended: string | null;
  /** From `started` to `ended`. */
  duration_s: number | null;
  /** null: it came to its end. Absent: as null. */
  partial?: Partial | null;
  target: {
    url: string;
    era: string | null;
    dialect: string | null;
    protocol_version: string | null;
    server: { name: string | null; version: string | null } | null;
    knobs: Record<string, string> | null;
  } | null;
  workload: string | null;
  environment: Environment;
  phases: Phase[];
  operations: Operation[];
  /** Handshakes. */
  sessions: { count: number; expired: number; duration_ms: Latency } | null;
  failures: Failure[];
  objectives_off: boolean;
  /** The objectives are the limits of the benchmark documents; absent: of an older version. */
  documents?: boolean;
  /** Variables of the run; null: a secret, or a value that is not kept. Absent: not known. */
  variables?: Record<string, string | null>;
  /** Left out by discovery because the server failed; absent: none. */
  failed_probes?: FailedProbe[];
  longer?: Longer;
  thresholds: Threshold[];
  signals: Signal[];
  /** The phases in canonical units. */
  measurements: Measurement[];
  /** The test's own. */
  tables: ReportTable[];
  findings: Finding[];
  verdict: Verdict;
  /** What happened, in a sentence or two of at most 240 characters; absent: of an older version. */
  headline?: string;
}

interface Collected {
  /** The results folder's name. */
  testid: string;
  /** Of a test of several legs: all of them in one. */
  summary: Summary | null;
  /** One each. */
  legSummaries?: Summary[];
  /** Why a test of several legs could not go on. */
  experimentError?: string | null;
  /** Why the script ended its test. */
  abort?: Abort | null;
  summaryProblem: string | null;
  log: K6Log;
  k6Exit: number;
  environment: Environment;
  secrets: readonly string[];
  /** Of the reference target. */
  knobs?: Record<string, string> | null;
  /** Variables of the run. */
  variables?: Record<string, string | null>;
  watches?: HostWatch[];
}

type Build = (
  facts: Pick<Facts, 'plan' | 'phases' | 'operations' | 'signals' | 'metrics' | 'environment'>,
) => Promise<Required<Built>>;

const SCHEMA = 'mcp-load-lab/run/1';
// The run document's schema refers to the plan's.
validator('plan.schema.json');
const validate = validator('run.schema.json');

/**
 * @param observe asks for the server's side
 * @param build makes the test's own tables
 * @returns without a secret or a control character in it
 * @throws {Error} where the document does not match its own schema: that is a bug here
 */
export async function makeRun(
  collected: Collected,
  observe: (plan: Plan, phases: Phase[]) => Promise<Server>,
  build: Build = withoutTables,
): Promise<Run> {
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

/** @returns the first thing that is wrong, null = a run document */
export function validateRun(document: unknown): string | null {
  return validate(document) ?? contradiction(document as Run);
}

/** @returns where its verdict is not that of its thresholds */
function contradiction({ verdict: { outcome }, thresholds }: Run): string | null {
  const failed = thresholds.findIndex((threshold) => threshold.outcome === 'fail');
  return outcome === 'pass' && failed >= 0
    ? `/verdict says pass, and /thresholds/${failed} that it was missed`
    : null;
}

const withoutTables: Build = async () => NO_TABLES;
const NO_TABLES = { tables: [], thresholds: [], findings: [], files: {} };

async function assemble(
  collected: Collected,
  observe: Parameters<typeof makeRun>[1],
  build: Build,
): Promise<Run> {
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

/** What is known of a run without a summary. */
const NOTHING: Omit<Run, 'schema' | 'testid' | 'environment' | 'verdict'> = {
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

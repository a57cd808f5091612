/** Builds the run document (run.schema.json), which all later steps read. */

import { withBaselines } from '../bottleneck/compared-phases.ts';
import { capacitiesOf } from '../capacity.ts';
import { cleanDeep } from '../clean-text.ts';
import type { Collected } from '../collect/collect.ts';
import type { Environment } from '../collect/environment.ts';
import { counterOf, trendOf } from '../collect/groups.ts';
import type { Server } from '../collect/observe.ts';
import type { Longer } from '../collect/plan.ts';
import type { Signal } from '../collect/signals.ts';
import type { Latency } from '../collect/sparse-histogram.ts';
import { type Timeline, timelineOf } from '../collect/timeline.ts';
import { bucketsOf } from '../episode.ts';
import type { Finding } from '../findings/finding.ts';
import { findings } from '../findings/findings.ts';
import { recoveries } from '../findings/recovery.ts';
import { type Distrust, distrust } from '../findings/trust.ts';
import { round } from '../round.ts';
import { validator } from '../schemas.ts';
import { makeTables, type ReportTable, type TableModule } from '../tables/report-tables.ts';
import { type FailedProbe, failedProbes } from './failed-probes.ts';
import { type Failure, failures } from './failures.ts';
import { headline } from './headline.ts';
import { type Measurement, measurements } from './measurements.ts';
import { type Operation, operations } from './operations.ts';
import { type Partial, partialOf } from './partial.ts';
import { type Phase, roundLatency } from './phases.ts';
import { ledger } from './reconcile.ts';
import { type Resources, resourcesOf } from './resources.ts';
import type { Threshold } from './threshold.ts';
import { judgeThresholds } from './thresholds.ts';
import { type Verdict, verdict } from './verdict.ts';

export interface Run {
  schema: 'mcp-load-lab/run/1';
  testid: string;
  /** null if k6 left no summary. */
  test: string | null;
  title: string | null;
  profile: string | null;
  /** ISO 8601 time of the first phase's start; null if the run ended before it. */
  started: string | null;
  ended: string | null;
  /** Seconds from `started` to `ended`. */
  duration_s: number | null;
  /** null or absent if the run was complete. */
  partial?: Partial | null;
  target: {
    url: string;
    era: string | null;
    dialect: string | null;
    protocol_version: string | null;
    server: { name: string | null; version: string | null } | null;
    settings: Record<string, string> | null;
  } | null;
  workload: string | null;
  environment: Environment;
  phases: Phase[];
  operations: Operation[];
  /** Statistics of handshakes. */
  sessions: { count: number; expired: number; duration_ms: Latency } | null;
  failures: Failure[];
  objectives_off: boolean;
  /** The objectives are the limits of the benchmark documents; absent in older versions. */
  documents?: boolean;
  /** Variables of the run; null: a secret, or a value that is not stored. Absent if unknown. */
  variables?: Record<string, string | null>;
  /** Operations that discovery left out because the server failed; absent if there are none. */
  failed_probes?: FailedProbe[];
  longer?: Longer;
  thresholds: Threshold[];
  signals: Signal[];
  /** The phases in canonical units. */
  measurements: Measurement[];
  /** The test's own tables. */
  tables: ReportTable[];
  findings: Finding[];
  /** Resources in the phase with the highest rate; absent if nothing showed a limit. */
  resources?: Resources;
  verdict: Verdict;
  /** Summary of at most 240 characters; absent in older versions. */
  headline?: string;
}

/** The input of a verdict: the run's results, and what the caller adds. */
export interface Judged extends Collected {
  k6Exit: number;
  environment: Environment;
  secrets: readonly string[];
  /** Settings of the reference target. */
  settings?: Record<string, string> | null;
  /** Variables of the run. */
  variables?: Record<string, string | null>;
}

/** All output of the analysis. */
export interface Result {
  run: Run;
  timeline: Timeline | null;
  /** Files for the results directory, by name. */
  files: Record<string, string>;
}

const SCHEMA = 'mcp-load-lab/run/1';
// The run document's schema refers to the plan's schema.
validator('plan.schema.json');
const validate = validator('run.schema.json');

/**
 * @param phases phases of all trials
 * @param table the test's own tables
 * @returns the results without secrets or control characters
 * @throws {Error} if the document does not match its own schema, which is a bug
 */
export function makeRun(judged: Judged, phases: Phase[], server: Server, table: TableModule | null): Result {
  const { run: assembled, ...rest } = assemble(judged, phases, server, table);
  const clean = cleanDeep(assembled, judged.secrets);
  // Built from clean texts, because a truncated text could contain part of a secret.
  const run = { ...clean, headline: headline(clean) };
  const problem = validateRun(run);
  if (!problem) return { run, ...rest };
  if (!judged.summary) throw new Error(`run.json does not match its schema: ${problem}`);
  // A damaged summary may match its own schema and still result in an invalid run document.
  const summaryProblem = `the measurements do not form a run document: ${problem}`;
  return makeRun({ ...judged, summary: null, summaryProblem }, [], server, null);
}

/** @returns the first error; null if the document is a run document */
export function validateRun(document: unknown): string | null {
  return validate(document) ?? contradiction(document as Run);
}

/** @returns an error if the verdict contradicts the thresholds */
function contradiction({ verdict: { outcome }, thresholds }: Run): string | null {
  const failed = thresholds.findIndex((threshold) => threshold.outcome === 'fail');
  return outcome === 'pass' && failed >= 0
    ? `/verdict says pass, and /thresholds/${failed} that it was missed`
    : null;
}

function assemble(judged: Judged, phases: Phase[], server: Server, table: TableModule | null): Result {
  const { testid, summary, runs, summaryProblem, log, k6Exit, environment, trials, seconds } = judged;
  const facts = { k6Exit, trialsError: trials?.error ?? null, abort: judged.abort, log };
  if (!summary) {
    const none = { partial: null, plan: null, phases: [], thresholds: [], distrust: TRUSTED };
    const outcome = verdict({ ...facts, ...none, summaryProblem });
    const run: Run = { schema: SCHEMA, testid, ...NOTHING, environment, verdict: outcome };
    return { run, timeline: null, files: {} };
  }
  const { plan, startedMs, ranS, groups, vusMax } = summary;
  const began = startedMs !== null;
  const lines = [...seconds.values()].flat();
  const buckets = bucketsOf(lines, phases);
  const timeline = timelineOf(judged, phases, lines, server.overTime);
  const allOperations = began ? operations(summary, phases) : [];
  const { signals, increases } = server;
  const objectives = began ? judgeThresholds({ ...summary, phases }) : [];
  const built = makeTables(began ? table : null, {
    ...{ plan, phases, operations: allOperations, groups, signals, increases, environment, trials, seconds },
    streams: summary.streams,
    thresholds: objectives,
  });
  const thresholds = [...objectives, ...(plan.objectives_off ? [] : built.thresholds)];
  const handshakes = trendOf(groups, 'mcp_session_duration');
  const expired = counterOf(groups, 'mcp_sessions_expired');
  const allFailures = failures(groups, startedMs ?? 0, phases, log.samples);
  const partial = began ? partialOf({ plan, k6Exit, ranS, trials: trials !== null }) : null;
  const known = {
    plan,
    phases,
    operations: allOperations,
    groups,
    failures: allFailures,
    thresholds,
    server,
    variables: judged.variables,
    clients: summary.clients,
    processes: summary.processes,
    recoveries: recoveries(phases, plan.objectives, buckets),
    capacities: capacitiesOf(withBaselines(plan, phases), groups, lines),
    timeline,
    environment,
    log,
    vusMax,
    watches: judged.watches,
    lines,
    buckets,
    cores: summary.cores,
    clockJumps: summary.clockJumps,
    expired,
    partial,
    ledger: ledger(runs, phases),
  };
  const distrusted = began ? distrust(known) : { reasons: TRUSTED, findings: [] };
  // The test's own findings come first.
  const found = began ? [...built.findings, ...distrusted.findings, ...findings(known)] : [];
  const resources = resourcesOf(known, found);
  const leftOut = failedProbes(plan);
  const { era = null, dialect = null, protocol_version = null, server: name } = plan.target;
  const run: Run = {
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
      settings: judged.settings ?? null,
    },
    workload: plan.workload,
    environment,
    phases,
    operations: allOperations,
    sessions: handshakes.latency && {
      count: handshakes.count,
      expired,
      duration_ms: roundLatency(handshakes.latency),
    },
    failures: allFailures,
    objectives_off: plan.objectives_off,
    ...(plan.documents !== undefined && { documents: plan.documents }),
    ...(judged.variables && { variables: judged.variables }),
    ...(leftOut.length > 0 && { failed_probes: leftOut }),
    ...(plan.longer && { longer: plan.longer }),
    thresholds,
    signals,
    measurements: measurements(plan, phases),
    tables: built.tables,
    findings: found,
    ...(resources && { resources }),
    verdict: verdict({
      ...facts,
      partial,
      summaryProblem: began ? summaryProblem : 'the run ended during set-up',
      plan,
      phases,
      thresholds,
      distrust: distrusted.reasons,
    }),
  };
  return { run, timeline, files: built.files };
}

const TRUSTED: Distrust = { figures: [], load: [] };

/** The members of a run without a summary. */
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

/** The run document, the one artifact that everything after a run reads (run.schema.json). */

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
    settings: Record<string, string> | null;
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
  /** Of the phase with the highest rate; absent: nothing showed a limit. */
  resources?: Resources;
  verdict: Verdict;
  /** What happened, in a sentence or two of at most 240 characters; absent: of an older version. */
  headline?: string;
}

/** What is judged: what the run left, and what the judge is told besides. */
export interface Judged extends Collected {
  k6Exit: number;
  environment: Environment;
  secrets: readonly string[];
  /** Of the reference target. */
  settings?: Record<string, string> | null;
  /** Variables of the run. */
  variables?: Record<string, string | null>;
}

/** Everything that a run comes to. */
export interface Result {
  run: Run;
  timeline: Timeline | null;
  /** To leave in the results folder, by name. */
  files: Record<string, string>;
}

const SCHEMA = 'mcp-load-lab/run/1';
// The run document's schema refers to the plan's.
validator('plan.schema.json');
const validate = validator('run.schema.json');

/**
 * @param phases of all trials
 * @param table the test's own
 * @returns without a secret or a control character in it
 * @throws {Error} where the document does not match its own schema: that is a bug here
 */
export function makeRun(judged: Judged, phases: Phase[], server: Server, table: TableModule | null): Result {
  const { run: assembled, ...rest } = assemble(judged, phases, server, table);
  const clean = cleanDeep(assembled, judged.secrets);
  // Of clean texts: where a long one is cut, no part of a secret is left.
  const run = { ...clean, headline: headline(clean) };
  const problem = validateRun(run);
  if (!problem) return { run, ...rest };
  if (!judged.summary) throw new Error(`run.json does not match its schema: ${problem}`);
  // A damaged summary can fit its schema and still make no run.
  const summaryProblem = `what was measured makes no run document: ${problem}`;
  return makeRun({ ...judged, summary: null, summaryProblem }, [], server, null);
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
  // What the test was run for comes first.
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
      summaryProblem: began ? summaryProblem : 'the run ended in its set-up',
      plan,
      phases,
      thresholds,
      distrust: distrusted.reasons,
    }),
  };
  return { run, timeline, files: built.files };
}

const TRUSTED: Distrust = { figures: [], load: [] };

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

/** `make rbac`: the cost of authorization, whether the goals are met, and whether every denial held. */
import { stringify } from 'csv-stringify/sync';
import type { Plan } from '../../analysis/collect/plan.ts';
import type { Latency } from '../../analysis/collect/sparse-histogram.ts';
import { judged } from '../../analysis/judge/judged.ts';
import type { Operation } from '../../analysis/judge/operations.ts';
import type { Phase } from '../../analysis/judge/phases.ts';
import type { Threshold } from '../../analysis/judge/threshold.ts';
import { type Built, type Column, type Facts, tableOf } from '../../analysis/tables/report-tables.ts';
import { counted, milliseconds, number, percent } from '../../contract/units.js';

const BENCHMARK = 'benchmark';
const DENIED = 'denied/';
/** The document's goals, unless the run has other objectives. */
const GOALS = { p95_ms: 100, failure_rate: 0.01 };

export default function rbac({ plan, phases, operations }: Facts): Built {
  const phase = phases.find(({ name, requests }) => name === BENCHMARK && requests !== null);
  const denials = operations.filter(({ operation }) => operation.startsWith(DENIED));
  const goals = phase ? goalsOf(plan, phase) : [];
  const denied = tableOf('Denials', denials, DENIALS, [
    'A single wrongly allowed call fails the run, regardless of its objectives.',
  ]);
  return {
    tables: [...(phase ? resultTables(phase, goals) : []), ...(denials.length > 0 ? [denied] : [])],
    // Skip what k6 already judges.
    thresholds: [
      ...goals.filter(({ metric }) => metric === 'rps').map(thresholdOf),
      ...denials.map(wrongAllows),
    ],
    files: phase ? { 'rbac_benchmark.csv': csv(phase) } : {},
  };
}

const resultTables = (phase: Phase, goals: Goal[]) => [
  tableOf('Benchmark results', [phase], RESULTS, [
    'An error is any answer other than the expected one, not only a 5xx.',
  ]),
  tableOf('Latency', phase.latency_ms ? [phase.latency_ms] : [], LATENCY),
  goalTable(goals),
];

const RESULTS: Column<Phase>[] = [
  { name: 'duration', unit: 's', of: ({ duration_s }) => duration_s },
  { name: 'total requests', unit: 'count', of: ({ requests }) => requests },
  { name: 'successful', unit: 'count', of: ({ requests, failed }) => (requests ?? 0) - (failed ?? 0) },
  { name: 'errors', unit: 'count', of: ({ failed }) => failed },
  { name: 'error rate', unit: 'ratio', of: ({ failure_rate: rate }) => rate },
  { name: 'RPS', unit: 'count', of: ({ achieved_rps: rate }) => rate },
];

const LATENCY: Column<Latency>[] = [
  { name: 'min', unit: 'ms', of: ({ min }) => min },
  { name: 'average', unit: 'ms', of: ({ avg }) => avg },
  { name: 'median', unit: 'ms', of: ({ p50 }) => p50 },
  { name: '95th percentile', unit: 'ms', of: ({ p95 }) => p95 },
  { name: '99th percentile', unit: 'ms', of: ({ p99 }) => p99 },
  { name: 'max', unit: 'ms', of: ({ max }) => max },
];

/** An objective of the document, with `what` in the document's wording. */
type Goal = Omit<Parameters<typeof judged>[0], 'scope'>;

/** @returns the goals, without the document's p95 if its limits do not apply to the run */
function goalsOf(
  { objectives, documents }: Plan,
  { offered_rps, achieved_rps, latency_ms, failure_rate, requests, answered }: Phase,
): Goal[] {
  const limit = (metric: keyof typeof GOALS) =>
    objectives.find((one) => one.metric === metric && one.scope.phase === BENCHMARK)?.limit ?? GOALS[metric];
  // Round to whole requests: an open load cannot exceed the offered rate, and the document counts 99.92 as
  // 100.
  const rps = Math.round(offered_rps ?? 0);
  const [p95, failures] = [limit('p95_ms'), limit('failure_rate')];
  const goals: Goal[] = [
    {
      metric: 'rps',
      what: `RPS >= ${rps}`,
      op: '>=',
      limit: rps,
      observed: achieved_rps === null ? null : Math.round(achieved_rps),
      samples: requests ?? 0,
      format: (value) => `${number(value)}/s`,
    },
    {
      metric: 'p95_ms',
      what: `95p latency < ${number(p95)}ms`,
      op: '<',
      limit: p95,
      observed: latency_ms?.p95 ?? null,
      samples: answered ?? 0,
      format: milliseconds,
    },
    {
      metric: 'failure_rate',
      what: `Error rate < ${number(failures * 100)}%`,
      op: '<',
      limit: failures,
      observed: failure_rate,
      samples: requests ?? 0,
      format: percent,
    },
  ];
  const isJudged = objectives.some(({ metric }) => metric === 'p95_ms');
  return documents === false && !isJudged ? goals.filter(({ metric }) => metric !== 'p95_ms') : goals;
}

const thresholdOf = (goal: Goal) => judged({ scope: { phase: BENCHMARK }, ...goal });

function goalTable(goals: Goal[]) {
  const lines = goals.map((goal) => ({ ...goal, ok: thresholdOf(goal).ok }));
  const met = lines.filter(({ ok }) => ok).length;
  const columns: Column<(typeof lines)[number]>[] = [
    { name: 'goal', unit: 'text', of: ({ ok, what }) => (ok ? `✓ ${what}: PASS` : `✗ ${what}: FAIL`) },
    {
      name: 'achieved',
      unit: 'text',
      of: ({ observed, format }) => (observed === null ? 'no samples' : format(observed)),
    },
  ];
  return tableOf('Performance goals', lines, columns, [
    met === lines.length ? '✓ ALL GOALS MET' : `✗ SOME GOALS NOT MET (${met}/${lines.length} goals passed)`,
  ]);
}

/**
 * Counts calls that should have been denied but were allowed (their failure kind is `unexpected`). Calls that
 * were not answered, or refused for another reason, do not count.
 */
const allowedOf = ({ failures }: Operation) => failures.unexpected ?? 0;

/** An operation's user and tool. */
const deniedBy = ({ operation }: Operation): string[] => operation.split('/').slice(1);

const DENIALS: Column<Operation>[] = [
  { name: 'user', unit: 'text', of: (denial) => deniedBy(denial)[0] ?? '' },
  { name: 'tool', unit: 'text', of: (denial) => deniedBy(denial)[1] ?? '' },
  { name: 'calls', unit: 'count', of: ({ requests }) => requests },
  { name: 'refused with 403', unit: 'count', of: ({ requests, failed }) => requests - failed },
  { name: 'wrongly allowed', unit: 'count', of: allowedOf },
  { name: 'other', unit: 'count', of: (denial) => denial.failed - allowedOf(denial) },
  { name: 'p95', unit: 'ms', of: ({ latency_ms: latency }) => latency?.p95 ?? null },
];

function wrongAllows(denial: Operation): Threshold {
  const [user = '', tool = ''] = deniedBy(denial);
  return judged({
    scope: { operation: denial.operation },
    metric: 'wrong_allows',
    op: '<',
    limit: 1,
    observed: denial.answered > 0 ? allowedOf(denial) : null,
    samples: denial.answered,
    what: `wrongly allowed calls of ${tool} by ${user}`,
    format: (value) => counted(value, 'call'),
    proof: true,
  });
}

/** @returns the document's columns */
function csv({ duration_s, requests, failed, failure_rate, achieved_rps, latency_ms }: Phase): string {
  const row = {
    duration_sec: duration_s,
    total_requests: requests,
    successful: (requests ?? 0) - (failed ?? 0),
    errors: failed,
    error_rate_pct: failure_rate === null ? null : Number((failure_rate * 100).toFixed(4)),
    rps: achieved_rps,
    avg_latency_ms: latency_ms?.avg ?? null,
    median_latency_ms: latency_ms?.p50 ?? null,
    min_latency_ms: latency_ms?.min ?? null,
    max_latency_ms: latency_ms?.max ?? null,
    p95_latency_ms: latency_ms?.p95 ?? null,
    p99_latency_ms: latency_ms?.p99 ?? null,
  };
  return stringify([row], { header: true, escape_formulas: true });
}

/** `make rbac`: what deciding who may do what costs, whether the goals are met, and whether every denial held. */
import { stringify } from 'csv-stringify/sync';
import type { Plan } from '../../analysis/collect/plan.ts';
import { judged } from '../../analysis/judge/judged.ts';
import type { Operation } from '../../analysis/judge/operations.ts';
import type { Phase } from '../../analysis/judge/phases.ts';
import type { Threshold } from '../../analysis/judge/threshold.ts';
import type { Built, Facts, ReportTable } from '../../analysis/tables/report-tables.ts';
import { counted, milliseconds, number, percent } from '../../contract/units.js';

const BENCHMARK = 'benchmark';
const DENIED = 'denied/';
/** What the document asks for, where the run judges by nothing else. */
const GOALS = { p95_ms: 100, failure_share: 0.01 };

export default function rbac({ plan, phases, operations }: Facts): Built {
  const phase = phases.find(({ name, requests }) => name === BENCHMARK && requests !== null);
  const denials = operations.filter(({ operation }) => operation.startsWith(DENIED));
  const goals = phase ? goalsOf(plan, phase) : [];
  return {
    tables: [
      ...(phase ? [results(phase), latencies(phase), goalTable(goals)] : []),
      ...(denials.length > 0 ? [denialTable(denials)] : []),
    ],
    // What k6 judges already is not judged twice.
    thresholds: [
      ...goals.filter(({ metric }) => metric === 'rps').map(thresholdOf),
      ...denials.map(wrongAllows),
    ],
    files: phase ? { 'rbac_benchmark.csv': csv(phase) } : {},
  };
}

function results(phase: Phase): ReportTable {
  const { duration_s, requests, failed, error_rate, achieved_rps } = phase;
  return {
    title: 'Benchmark results',
    columns: [
      { name: 'duration', unit: 's' },
      { name: 'total requests', unit: 'count' },
      { name: 'successful', unit: 'count' },
      { name: 'errors', unit: 'count' },
      { name: 'error rate', unit: 'ratio' },
      { name: 'RPS', unit: 'count' },
    ],
    rows: [[duration_s, requests, (requests ?? 0) - (failed ?? 0), failed, error_rate, achieved_rps]],
    notes: ['an error is any answer but the one that is due, not only those from 500 on'],
  };
}

function latencies({ latency_ms: latency }: Phase): ReportTable {
  const columns = ['min', 'average', 'median', '95th percentile', '99th percentile', 'max'];
  return {
    title: 'Latency',
    columns: columns.map((name) => ({ name, unit: 'ms' })),
    rows: latency ? [[latency.min, latency.avg, latency.p50, latency.p95, latency.p99, latency.max]] : [],
    notes: [],
  };
}

/** @returns without the document's p95 if the run is not judged by the documents */

interface Goal {
  metric: string;
  /** As the document writes it. */
  text: string;
  op: '<' | '>=';
  limit: number;
  observed: number | null;
  samples: number;
  format: (value: number) => string;
}

function goalsOf(
  { objectives, documents }: Plan,
  { offered_rps, achieved_rps, latency_ms, error_rate, requests, answered }: Phase,
): Goal[] {
  const limit = (metric: keyof typeof GOALS) =>
    objectives.find((one) => one.metric === metric && one.scope.phase === BENCHMARK)?.limit ?? GOALS[metric];
  // Whole requests: of an open load no more than what is offered can arrive, and the document takes 99.92 for 100.
  const rps = Math.round(offered_rps ?? 0);
  const [p95, failures] = [limit('p95_ms'), limit('failure_share')];
  const goals: Goal[] = [
    {
      metric: 'rps',
      text: `RPS >= ${rps}`,
      op: '>=',
      limit: rps,
      observed: achieved_rps === null ? null : Math.round(achieved_rps),
      samples: requests ?? 0,
      format: (value) => `${number(value)}/s`,
    },
    {
      metric: 'p95_ms',
      text: `95p latency < ${number(p95)}ms`,
      op: '<',
      limit: p95,
      observed: latency_ms?.p95 ?? null,
      samples: answered ?? 0,
      format: milliseconds,
    },
    {
      metric: 'failure_share',
      text: `Error rate < ${number(failures * 100)}%`,
      op: '<',
      limit: failures,
      observed: error_rate,
      samples: requests ?? 0,
      format: percent,
    },
  ];
  const isJudged = objectives.some(({ metric }) => metric === 'p95_ms');
  return documents === false && !isJudged ? goals.filter(({ metric }) => metric !== 'p95_ms') : goals;
}

const thresholdOf = ({ metric, op, limit, observed, samples, text, format }: Goal) =>
  judged({ scope: { phase: BENCHMARK }, metric, op, limit, observed, samples, format, what: text });

function goalTable(goals: Goal[]): ReportTable {
  const lines = goals.map((goal) => {
    const { ok } = thresholdOf(goal);
    const said = goal.observed === null ? 'no samples' : goal.format(goal.observed);
    return { ok, text: `${ok ? '✓' : '✗'} ${goal.text}: ${ok ? 'PASS' : 'FAIL'}`, said };
  });
  const met = lines.filter(({ ok }) => ok).length;
  return {
    title: 'Performance goals',
    columns: [
      { name: 'goal', unit: 'text' },
      { name: 'achieved', unit: 'text' },
    ],
    rows: lines.map(({ text, said }) => [text, said]),
    notes: [
      met === lines.length ? '✓ ALL GOALS MET' : `✗ SOME GOALS NOT MET (${met}/${lines.length} goals passed)`,
    ],
  };
}

/**
 * An answer that lets someone in who may not is `unexpected`; a call that was not answered, or refused for another
 * reason, let nobody in.
 */
const allowedOf = ({ failures }: Operation) => failures.unexpected ?? 0;

function denialTable(denials: Operation[]): ReportTable {
  return {
    title: 'Denials',
    columns: [
      { name: 'user', unit: 'text' },
      { name: 'tool', unit: 'text' },
      { name: 'calls', unit: 'count' },
      { name: 'refused with 403', unit: 'count' },
      { name: 'wrongly allowed', unit: 'count' },
      { name: 'other', unit: 'count' },
      { name: 'p95', unit: 'ms' },
    ],
    rows: denials.map((denial) => {
      const [, user = '', tool = ''] = denial.operation.split('/');
      const { requests, failed, latency_ms } = denial;
      const allowed = allowedOf(denial);
      return [user, tool, requests, requests - failed, allowed, failed - allowed, latency_ms?.p95 ?? null];
    }),
    notes: ['one call that is wrongly allowed fails the run, whatever its objectives'],
  };
}

function wrongAllows(denial: Operation): Threshold {
  const [, user = '', tool = ''] = denial.operation.split('/');
  return judged({
    scope: { operation: denial.operation },
    metric: 'wrong_allows',
    op: '<',
    limit: 1,
    observed: denial.answered > 0 ? allowedOf(denial) : null,
    samples: denial.answered,
    what: `calls of ${tool} that ${user} was wrongly allowed`,
    format: (value) => counted(value, 'call'),
    proof: true,
  });
}

/** @returns the document's columns */
function csv({ duration_s, requests, failed, error_rate, achieved_rps, latency_ms }: Phase): string {
  const row = {
    duration_sec: duration_s,
    total_requests: requests,
    successful: (requests ?? 0) - (failed ?? 0),
    errors: failed,
    error_rate_pct: error_rate === null ? null : Number((error_rate * 100).toFixed(4)),
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

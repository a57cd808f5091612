import { readFileSync } from 'node:fs';
import { stringify } from 'csv-stringify/sync';
import type { Phase } from '../judge/phases.ts';
import type { Run } from '../judge/run.ts';

/** The kinds of failures, each with its own column. */
const KINDS: string[] = Object.values(
  JSON.parse(readFileSync(new URL('../../xk6-mcp/names.json', import.meta.url), 'utf8')).failureKinds,
);

const COLUMNS: [column: string, value: (phase: Phase) => string | number | boolean | null | undefined][] = [
  ['phase', (phase) => phase.name],
  ['duration_sec', (phase) => phase.duration_s],
  ['total_requests', (phase) => phase.requests],
  ['successful', (phase) => (phase.requests === null ? null : phase.requests - (phase.failed ?? 0))],
  ['errors', (phase) => phase.failed],
  [
    'error_rate_pct',
    (phase) => (phase.failure_rate === null ? null : Number((phase.failure_rate * 100).toFixed(4))),
  ],
  ['rps', (phase) => phase.requests_per_s],
  ['avg_latency_ms', (phase) => phase.latency_ms?.avg],
  ['median_latency_ms', (phase) => phase.latency_ms?.p50],
  ['min_latency_ms', (phase) => phase.latency_ms?.min],
  ['max_latency_ms', (phase) => phase.latency_ms?.max],
  ['p95_latency_ms', (phase) => phase.latency_ms?.p95],
  ['p99_latency_ms', (phase) => phase.latency_ms?.p99],
  ['p90_latency_ms', (phase) => phase.latency_ms?.p90],
  ['p999_latency_ms', (phase) => phase.latency_ms?.p999],
  ['measured', (phase) => String(phase.measured)],
  [
    'labels',
    (phase) =>
      Object.entries(phase.labels)
        .map((pair) => pair.join('='))
        .join(' '),
  ],
  ['completed', (phase) => String(phase.completed)],
  ['start', (phase) => phase.start],
  ['end', (phase) => phase.end],
  ['vus', (phase) => phase.vus],
  ['offered_rps', (phase) => phase.offered_rps],
  ['achieved_rps', (phase) => phase.achieved_rps],
  ['dropped_iterations', (phase) => phase.dropped],
  ['items_per_s', (phase) => phase.items_per_s],
  ...KINDS.map(
    (kind) =>
      [`errors_${kind}`, (phase) => phase.failures && (phase.failures[kind] ?? 0)] as [
        string,
        (phase: Phase) => number | null,
      ],
  ),
];

/**
 * @returns one row per phase. Missing figures are empty cells, and no cell can be interpreted as a formula
 */
export function renderCsv(run: Run): string {
  const rows = run.phases.map((phase) => COLUMNS.map(([, value]) => value(phase) ?? ''));
  return stringify(rows, { header: true, columns: COLUMNS.map(([column]) => column), escape_formulas: true });
}

/** `make crud`: the rate and latency of each operation, and whether it is within its budget. */

import { inScope, latenciesOf } from '../../analysis/collect/groups.ts';
import { type Increases, increaseIn } from '../../analysis/collect/increases.ts';
import { note } from '../../analysis/findings/note.ts';
import { judged } from '../../analysis/judge/judged.ts';
import type { Threshold } from '../../analysis/judge/threshold.ts';
import {
  median,
  medianLatency,
  type Repeated,
  repetitions,
  slowest,
  total,
} from '../../analysis/tables/repetitions.ts';
import { type Built, type Facts, type TableModule, tableOf } from '../../analysis/tables/report-tables.ts';
import { milliseconds, percent } from '../../contract/units.js';

/** p95 of a call, ms; for a bulk operation, per ten resources. */
const BUDGETS = {
  list: { type: 'List operations', ms: 50 },
  create: { type: 'Create operations', ms: 200 },
  update: { type: 'Update operations', ms: 150 },
  bulk: { type: 'Bulk operations (10)', ms: 1000 },
} as Record<string, { type: string; ms: number }>;

/** The request to the certificate authority that each operation makes. */
const ORDERS = { create_certificate: 'issue', renew_certificate: 'renew' };

/** @returns calls/s; for a bulk operation, resources/s */
const pace = (operation: Repeated) =>
  median(operation, (phase) => (operation.labels.suite === 'bulk' ? phase.items_per_s : phase.achieved_rps));

const p95Of = (operation: Repeated) => medianLatency(operation, 'p95');

const answersOf = (operation: Repeated) => total(operation, ({ answered }) => answered);

/** Operations that call the authority have no budget. Some suites have no budget either. */
const budgetOf = ({ labels }: Repeated) => (labels.authority ? undefined : BUDGETS[labels.suite ?? '']);

function within(operation: Repeated) {
  const [budget, p95] = [budgetOf(operation), p95Of(operation)];
  if (!budget || p95 === null) return null;
  return p95 < budget.ms ? 'yes' : 'no';
}

/** The target's counter of its requests to the authority. */
const askedOf = (order: string) => `authority_request_duration_seconds_count{job="target",order="${order}"}`;
const secondsOf = (order: string) => `authority_request_duration_seconds_sum{job="target",order="${order}"}`;

export const countersOf: TableModule['countersOf'] = ({ phases }) =>
  repetitions(phases).flatMap((operation) => {
    const order = ORDERS[operation.name as keyof typeof ORDERS];
    const selectors = order ? [askedOf(order), secondsOf(order)] : [];
    return operation.phases.flatMap((phase) => selectors.map((selector) => ({ selector, phase })));
  });

export default function crud({ plan, phases, groups, increases }: Facts): Built {
  const operations = repetitions(phases);
  const times = Math.max(0, ...operations.map(({ phases: all }) => all.length));
  const p99Of = (operation: string) => {
    const { all, latency } = latenciesOf(inScope(groups, { operation }));
    return latency && all.count >= 100 ? latency.p99 : null;
  };
  const table = tableOf(
    'Operations',
    operations,
    [
      { name: 'suite', unit: 'text', of: ({ labels }) => labels.suite ?? '' },
      { name: 'operation', unit: 'text', of: ({ name }) => name },
      { name: 'calls', unit: 'count', of: answersOf },
      { name: 'ops/s', unit: 'count', of: pace },
      { name: 'p50', unit: 'ms', of: (operation) => medianLatency(operation, 'p50') },
      { name: 'p95', unit: 'ms', of: p95Of },
      { name: 'p99', unit: 'ms', of: ({ name }) => p99Of(name) },
      { name: 'max', unit: 'ms', of: slowest },
      { name: 'budget', unit: 'ms', of: (operation) => budgetOf(operation)?.ms ?? null },
      { name: 'within', unit: 'text', of: within },
    ],
    [
      `One VU. ops/s, p50 and p95: median of ${times} repetition${times === 1 ? '' : 's'}, p95 if each has at least 20 calls. p99 and max: of all calls together, p99 if there are at least 100.`,
      'For bulk operations, ops/s is resources per second; the budget is for one call with 10 resources.',
      'Operations that depend on the certificate authority have no budget.',
    ],
  );
  return {
    tables: [table, budgets(operations)],
    // The budgets are those of the benchmark document.
    thresholds: plan.documents === false ? [] : operations.flatMap(judge),
    findings: authority(operations, increases),
  };
}

function judge(operation: Repeated): Threshold[] {
  const budget = budgetOf(operation);
  // Too few calls to judge, as in a smoke run, are not a fault of the run.
  const observed = p95Of(operation);
  if (!budget || observed === null) return [];
  return [
    judged({
      scope: { operation: operation.name },
      metric: 'median_p95_ms',
      op: '<',
      limit: budget.ms,
      observed,
      samples: answersOf(operation),
      what: `${operation.name} p95 (median of ${operation.phases.length})`,
      format: milliseconds,
    }),
  ];
}

/** @returns the document's last table */
function budgets(operations: Repeated[]) {
  const rows = Object.entries(BUDGETS).map(([suite, budget]) => {
    const [slow] = operations
      .filter((operation) => operation.labels.suite === suite && budgetOf(operation))
      .map((operation) => ({ name: operation.name, p95: p95Of(operation) }))
      .filter(({ p95 }) => p95 !== null)
      .sort((a, b) => Number(b.p95) - Number(a.p95));
    return { ...budget, name: slow?.name ?? null, p95: slow?.p95 ?? null };
  });
  return tableOf('Performance budget (p95)', rows, [
    { name: 'operation type', unit: 'text', of: ({ type }) => type },
    { name: 'target below', unit: 'ms', of: ({ ms }) => ms },
    { name: 'achieved', unit: 'ms', of: ({ p95 }) => p95 },
    { name: 'headroom', unit: 'factor', of: ({ ms, p95 }) => (p95 === null ? null : ms / p95) },
    { name: 'slowest operation', unit: 'text', of: ({ name }) => name },
    {
      name: 'status',
      unit: 'text',
      of: ({ ms, p95 }) => (p95 === null ? 'inconclusive' : p95 < ms ? 'within' : 'over'),
    },
  ]);
}

function authority(operations: Repeated[], increases: Increases) {
  const findings = [];
  for (const [name, order] of Object.entries(ORDERS)) {
    const operation = operations.find((one) => one.name === name);
    if (!operation) continue;
    const asked = total(operation, (phase) => increaseIn(increases, askedOf(order), phase));
    const seconds = total(operation, (phase) => increaseIn(increases, secondsOf(order), phase));
    const answered = answersOf(operation);
    const spent = total(operation, (phase) => ((phase.latency_ms?.avg ?? 0) * (phase.answered ?? 0)) / 1000);
    if (asked === 0 || spent === 0) continue;
    // Compare means, not sums: the counters are read every two seconds and miss a call or two at each end.
    const share = Math.min(1, seconds / asked / (spent / answered));
    const figures = { authority_share: share, authority_ms: (seconds / asked) * 1000 };
    findings.push(
      note(
        name,
        `${name}: ${percent(share)} of its time is spent in the certificate authority, which takes ${milliseconds(figures.authority_ms)}`,
        { figures },
      ),
    );
  }
  return findings;
}

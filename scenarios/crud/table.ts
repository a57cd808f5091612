/** `make crud`: each operation's pace and latency, and whether it is within its budget. */

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
import type { Built, Column, Facts, ReportTable, TableModule } from '../../analysis/tables/report-tables.ts';
import { milliseconds, percent } from '../../contract/units.js';

/** p95 of a call, ms; of a bulk operation for each ten resources. */
const BUDGETS = {
  list: { type: 'List operations', ms: 50 },
  create: { type: 'Create operations', ms: 200 },
  update: { type: 'Update operations', ms: 150 },
  bulk: { type: 'Bulk operations (10)', ms: 1000 },
} as Record<string, { type: string; ms: number }>;

/** The document's figures, on eight cores: operations a second and p95, ms. */
const DOCUMENT = {
  list_proxy_hosts: [85.3, 15.4],
  list_certificates: [78.4, 18.2],
  list_access_lists: [92.1, 14.8],
  list_streams: [88.7, 16.5],
  get_proxy_host: [105.2, null],
  get_certificate: [98.6, null],
  create_proxy_host: [12.4, 98.7],
  create_access_list: [null, 78.4],
  create_stream: [null, 92.3],
  create_certificate: [0.3, 4850],
  update_proxy_host: [18.7, 62.1],
  update_access_list: [null, 58.6],
  renew_certificate: [0.5, 3420],
  delete_proxy_host: [22.3, 45.7],
  delete_access_list: [null, 38.9],
  delete_certificate: [15.8, 52.3],
  bulk_toggle_hosts: [45.6, null],
  bulk_delete_resources: [38.2, null],
  bulk_renew_certificates: [2.1, null],
  export_configuration: [1.8, null],
  import_configuration: [0.9, null],
} as Record<string, [rate: number | null, p95: number | null]>;

/** What the authority is asked for by which operation. */
const ORDERS = { create_certificate: 'issue', renew_certificate: 'renew' };

const isBulk = ({ labels }: Repeated) => labels.suite === 'bulk';

/** @returns of a bulk operation the resources a second */
const pace = (repeated: Repeated): number | null =>
  median(repeated, (phase) => (isBulk(repeated) ? phase.items_per_s : phase.achieved_rps));

/** Asked of an authority, or of a suite without one, an operation has none. */
const budgetOf = ({ labels }: Repeated) => (labels.authority ? undefined : BUDGETS[labels.suite ?? '']);

/** What the target counts of what it asked for. */
const askedOf = (order: string) => `authority_request_duration_seconds_count{job="target",order="${order}"}`;
const secondsOf = (order: string) => `authority_request_duration_seconds_sum{job="target",order="${order}"}`;

export const countersOf: TableModule['countersOf'] = ({ phases }) =>
  repetitions(phases).flatMap((operation) => {
    const order = ORDERS[operation.name as keyof typeof ORDERS];
    return order
      ? operation.phases.flatMap((phase) =>
          [askedOf(order), secondsOf(order)].map((selector) => ({ selector, phase })),
        )
      : [];
  });

export default function crud({ plan, phases, groups, increases }: Facts): Built {
  const operations = repetitions(phases);
  const times = Math.max(0, ...operations.map(({ phases: all }) => all.length));
  const rows = operations.map((operation) => {
    const { name, labels } = operation;
    const { all, latency } = latenciesOf(inScope(groups, { operation: name }));
    const budget = budgetOf(operation);
    const p95 = medianLatency(operation, 'p95');
    return [
      labels.suite ?? '',
      name,
      total(operation, ({ answered }) => answered),
      pace(operation),
      medianLatency(operation, 'p50'),
      p95,
      latency && all.count >= 100 ? latency.p99 : null,
      slowest(operation),
      budget?.ms ?? null,
      budget && p95 !== null ? (p95 < budget.ms ? 'yes' : 'no') : null,
    ];
  });
  const columns = [
    { name: 'suite', unit: 'text' },
    { name: 'operation', unit: 'text' },
    { name: 'calls', unit: 'count' },
    { name: 'ops/s', unit: 'count' },
    { name: 'p50', unit: 'ms' },
    { name: 'p95', unit: 'ms' },
    { name: 'p99', unit: 'ms' },
    { name: 'max', unit: 'ms' },
    { name: 'budget', unit: 'ms' },
    { name: 'within', unit: 'text' },
  ] as Column[];
  const notes = [
    `One user. ops/s, p50 and p95: the median of ${times} repetition${times === 1 ? '' : 's'}, p95 where each has 20 calls; p99 and max: of all calls together, p99 where they are 100.`,
    'ops/s of a bulk operation: resources a second; its budget is for a call, which has 10 of them.',
    'What the certificate authority decides has no budget.',
  ];
  // Budgets are the document's.
  const judgements = plan.documents === false ? [] : operations.flatMap(judge);
  return {
    tables: [
      { title: 'Operations', columns, rows, notes },
      budgets(operations),
      besideTheDocument(operations),
    ],
    thresholds: judgements,
    findings: authority(operations, increases),
  };
}

function judge(operation: Repeated): Threshold[] {
  const budget = budgetOf(operation);
  // Too few calls to judge (a smoke run) are no fault of the run.
  const observed = medianLatency(operation, 'p95');
  if (!budget || observed === null) return [];
  return [
    judged({
      scope: { operation: operation.name },
      metric: 'median_p95_ms',
      op: '<',
      limit: budget.ms,
      observed,
      samples: total(operation, ({ answered }) => answered),
      what: `${operation.name} p95 (median of ${operation.phases.length})`,
      format: milliseconds,
    }),
  ];
}

/** @returns the document's last table */
function budgets(operations: Repeated[]): ReportTable {
  const rows = Object.entries(BUDGETS).map(([suite, { type, ms }]) => {
    const slow = operations
      .filter((operation) => operation.labels.suite === suite && budgetOf(operation))
      .map((operation) => ({ name: operation.name, p95: medianLatency(operation, 'p95') }))
      .filter(({ p95 }) => p95 !== null)
      .sort((a, b) => Number(b.p95) - Number(a.p95))[0];
    const p95 = slow?.p95 ?? null;
    const status = p95 === null ? 'not enough to tell' : p95 < ms ? 'within' : 'over';
    return [type, ms, p95, p95 === null ? null : ms / p95, slow?.name ?? null, status];
  });
  return {
    title: 'Performance budget (p95)',
    columns: [
      { name: 'operation type', unit: 'text' },
      { name: 'target below', unit: 'ms' },
      { name: 'achieved', unit: 'ms' },
      { name: 'headroom', unit: 'factor' },
      { name: 'the slowest of them', unit: 'text' },
      { name: 'status', unit: 'text' },
    ],
    rows,
    notes: [],
  };
}

function besideTheDocument(operations: Repeated[]): ReportTable {
  const rows = operations.map((operation) => {
    const [rate, p95] = DOCUMENT[operation.name] ?? [null, null];
    return [operation.name, pace(operation), rate, medianLatency(operation, 'p95'), p95];
  });
  return {
    title: 'Beside the document',
    columns: [
      { name: 'operation', unit: 'text' },
      { name: 'ops/s', unit: 'count' },
      { name: 'document', unit: 'count' },
      { name: 'p95', unit: 'ms' },
      { name: 'document', unit: 'ms' },
    ],
    rows,
    notes: ['The document measured another server, on 8 cores and with TLS.'],
  };
}

function authority(operations: Repeated[], increases: Increases) {
  const findings = [];
  for (const [name, order] of Object.entries(ORDERS)) {
    const phases = operations.find((operation) => operation.name === name)?.phases ?? [];
    let asked = 0;
    let seconds = 0;
    let spent = 0;
    let answered = 0;
    for (const phase of phases) {
      asked += increaseIn(increases, askedOf(order), phase) ?? 0;
      seconds += increaseIn(increases, secondsOf(order), phase) ?? 0;
      spent += ((phase.latency_ms?.avg ?? 0) * (phase.answered ?? 0)) / 1000;
      answered += phase.answered ?? 0;
    }
    if (asked === 0 || spent === 0) continue;
    // Of means, not of sums: the counters are read every two seconds, and miss a call or two at either end.
    const share = Math.min(1, seconds / asked / (spent / answered));
    const figures = { authority_share: share, authority_ms: (seconds / asked) * 1000 };
    findings.push(
      note(
        name,
        `${name}: ${percent(share)} of its time is the certificate authority's, which takes ${milliseconds(figures.authority_ms)}`,
        { figures },
      ),
    );
  }
  return findings;
}

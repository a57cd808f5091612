/** `make scale`: how lists grow with the number of resources, and what bulk operations on many of them take. */

import type { Signal } from '../../analysis/collect/signals.ts';
import { note } from '../../analysis/findings/note.ts';
import { growthLaw } from '../../analysis/statistics/growth-law.ts';
import { batchTable } from '../../analysis/tables/batch-table.ts';
import {
  median,
  medianLatency,
  type Repeated,
  repetitions,
  total,
} from '../../analysis/tables/repetitions.ts';
import type { Built, Facts, ReportTable } from '../../analysis/tables/report-tables.ts';
import { milliseconds, number } from '../../contract/units.js';

/** What is done to 1,000 hosts, in the document's words. */
const BULK = {
  all: 'List all',
  disable: 'Bulk disable (batch=10)',
  enable: 'Bulk enable (batch=10)',
  export: 'Export config',
};

export default function scale({ phases, signals }: Facts): Built {
  const steps = repetitions(phases);
  const of = (what: string) => steps.filter(({ labels }) => labels.what === what);
  const [all, page] = [of('all'), of('page')];
  const limit = page[0]?.labels.limit ?? '';
  const renewal = batchTable('Certificate renewal at scale', of('renew'));
  return {
    tables: [
      lists('List operations: all resources in one answer', all, signals),
      lists(`List operations: pages of ${limit}`, page, signals),
      thousand(steps),
      renewal.table,
    ],
    findings: [
      ...growth('a list of all resources', all),
      ...growth(`a page of ${limit}`, page),
      ...paging(all, page),
      ...renewal.findings,
    ],
  };
}

function lists(title: string, steps: Repeated[], signals: Signal[]): ReportTable {
  return {
    title,
    columns: [
      { name: 'resources', unit: 'count' },
      { name: 'calls', unit: 'count' },
      { name: 'p50', unit: 'ms' },
      { name: 'p95', unit: 'ms' },
      { name: 'throughput', unit: 'per_s' },
      { name: 'memory', unit: 'bytes' },
    ],
    rows: steps.map((step) => [
      Number(step.labels.resources),
      total(step, ({ answered }) => answered),
      medianLatency(step, 'p50'),
      medianLatency(step, 'p95'),
      median(step, ({ achieved_rps: rate }) => rate),
      memoryOf(step, signals),
    ]),
    notes: [
      'Latency and throughput: medians of the repetitions, one user. Memory: the most that the server had in the first repetition, where it has not yet answered longer lists; no figure: too short to be looked at. A server keeps what it once needed: this column wants one that was started anew (make down, make up).',
    ],
  };
}

function memoryOf({ phases }: Repeated, signals: Signal[]) {
  const first = phases[0]?.name;
  return signals.find(({ signal, phase }) => signal === 'memory' && phase === first)?.max ?? null;
}

function thousand(steps: Repeated[]): ReportTable {
  const rows = Object.entries(BULK).map(([what, title]) => {
    const step = steps.find(
      ({ labels }) => labels.what === what && (what !== 'all' || labels.resources === '1000'),
    );
    const p50 = step ? medianLatency(step, 'p50') : null;
    return [title, p50, what === 'all' || !p50 ? null : 1000 / (p50 / 1000)];
  });
  return {
    title: 'Bulk operations at scale: 1,000 proxy hosts, one call',
    columns: [
      { name: 'operation', unit: 'text' },
      { name: 'duration (p50)', unit: 'ms' },
      { name: 'throughput', unit: 'per_s' },
    ],
    rows,
    notes: ['Throughput: resources a second.'],
  };
}

function growth(what: string, steps: Repeated[]) {
  const points = steps.flatMap(({ labels, phases }) =>
    phases.flatMap(({ latency_ms: latency }) =>
      latency ? [[Number(labels.resources), latency.p50] as [number, number]] : [],
    ),
  );
  if (points.length === 0) return [];
  const { law, evidence, exponent, per_thousand } = growthLaw(points);
  const each = per_thousand === null ? '' : `, ${milliseconds(per_thousand)} for each 1,000 resources`;
  return [
    note('growth', `the p50 of ${what} grows with their number: ${law}${each} (${evidence})`, {
      figures: { exponent, per_thousand_ms: per_thousand },
      confidence: law === 'not enough to tell' ? 'low' : 'high',
    }),
  ];
}

function paging(all: Repeated[], page: Repeated[]) {
  const faster = all.find((step) => {
    const paged = page.find(({ labels }) => labels.resources === step.labels.resources);
    const [whole, part] = [medianLatency(step, 'p50'), paged ? medianLatency(paged, 'p50') : null];
    return whole !== null && part !== null && whole > 2 * part;
  });
  if (!faster) return [];
  return [
    note(
      'pagination',
      `from ${number(Number(faster.labels.resources))} resources on a page takes less than half the time of the whole list`,
    ),
  ];
}

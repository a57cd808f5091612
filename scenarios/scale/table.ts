/** `make scale`: the latency of lists by number of resources, and of bulk operations on many resources. */

import type { Signal } from '../../analysis/collect/signals.ts';
import { note } from '../../analysis/findings/note.ts';
import { fitLine } from '../../analysis/statistics/line.ts';
import { batchTable } from '../../analysis/tables/batch-table.ts';
import {
  median,
  medianLatency,
  type Repeated,
  repetitions,
  total,
} from '../../analysis/tables/repetitions.ts';
import { type Built, type Facts, type ReportTable, tableOf } from '../../analysis/tables/report-tables.ts';
import { milliseconds, number } from '../../contract/units.js';

/** Bulk operations on 1,000 hosts, in the document's wording. */
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

const lists = (title: string, steps: Repeated[], signals: Signal[]): ReportTable =>
  tableOf(
    title,
    steps,
    [
      { name: 'resources', unit: 'count', of: ({ labels }) => Number(labels.resources) },
      { name: 'calls', unit: 'count', of: (step) => total(step, ({ answered }) => answered) },
      { name: 'p50', unit: 'ms', of: (step) => medianLatency(step, 'p50') },
      { name: 'p95', unit: 'ms', of: (step) => medianLatency(step, 'p95') },
      { name: 'throughput', unit: 'per_s', of: (step) => median(step, ({ achieved_rps: rate }) => rate) },
      { name: 'memory', unit: 'bytes', of: (step) => memoryOf(step, signals) },
    ],
    [
      "Latency and throughput: medians of the repetitions, one VU. Memory: the server's maximum in the first repetition, before it answered longer lists; no figure: too short to measure. A server keeps memory that it once needed, so restart it for this column (make down, make up).",
    ],
  );

function memoryOf({ phases }: Repeated, signals: Signal[]) {
  const first = phases[0]?.name;
  return signals.find(({ signal, phase }) => signal === 'memory' && phase === first)?.max ?? null;
}

function thousand(steps: Repeated[]): ReportTable {
  const rows = Object.entries(BULK).map(([what, title]) => {
    const step = steps.find(
      ({ labels }) => labels.what === what && (what !== 'all' || labels.resources === '1000'),
    );
    return { what, title, p50: step ? medianLatency(step, 'p50') : null };
  });
  return tableOf(
    'Bulk operations at scale: 1,000 proxy hosts, one call',
    rows,
    [
      { name: 'operation', unit: 'text', of: ({ title }) => title },
      { name: 'duration (p50)', unit: 'ms', of: ({ p50 }) => p50 },
      {
        name: 'throughput',
        unit: 'per_s',
        of: ({ what, p50 }) => (what === 'all' || !p50 ? null : 1000 / (p50 / 1000)),
      },
    ],
    ['Throughput: resources per second.'],
  );
}

/** How much slower the longest list is than the shortest, and how much 1,000 more resources add. */
function growth(what: string, steps: Repeated[]) {
  const points = steps.flatMap(({ labels, phases }) =>
    phases.flatMap(({ latency_ms: latency }) =>
      latency ? [[Number(labels.resources), latency.p50] as [number, number]] : [],
    ),
  );
  const [shortest, longest] = [steps[0], steps.at(-1)];
  const [low, high] = [shortest, longest].map((step) => (step ? medianLatency(step, 'p50') : null));
  const line = fitLine(points);
  if (!shortest || !longest || low == null || high == null || !line) return [];
  const [added, within] = [line.slope * 1000, line.error * 1000];
  const isKnown = Math.abs(added) > within;
  const adds = isKnown
    ? `${milliseconds(added)} per 1,000 resources (+-${milliseconds(within)})`
    : 'the increase per 1,000 resources is inconclusive';
  const [from, to] = [shortest, longest].map(({ labels }) => number(Number(labels.resources)));
  return [
    note(
      'growth',
      `the p50 of ${what} goes from ${milliseconds(low)} with ${from} resources to ${milliseconds(high)} with ${to}: ${adds}`,
      {
        figures: { per_thousand_ms: isKnown ? added : null },
        confidence: isKnown ? 'high' : 'low',
      },
    ),
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
      `with ${number(Number(faster.labels.resources))} or more resources, a page takes less than half the time of the whole list`,
    ),
  ];
}

/** `make scale`: how lists grow with the number of resources, and what bulk operations on many of them take. */
import { milliseconds, number } from '../../contract/units.js';
import { batchTable } from '../batch-table.js';
import { growthLaw } from '../growth-law.js';
import { median, medianLatency, repetitions, total } from '../repetitions.js';

/** @typedef {import('../repetitions.js').Repeated} Repeated */

/** What is done to 1,000 hosts, in the document's words. */
const BULK = {
  all: 'List all',
  disable: 'Bulk disable (batch=10)',
  enable: 'Bulk enable (batch=10)',
  export: 'Export config',
};

/** @type {import('../report-tables.js').TableBuilder} */
export default function scale({ phases, signals, note }) {
  const steps = repetitions(phases);
  /** @param {string} what */
  const of = (what) => steps.filter(({ labels }) => labels.what === what);
  const [all, page] = [of('all'), of('page')];
  const limit = page[0]?.labels.limit ?? '';
  const renewal = batchTable('Certificate renewal at scale', of('renew'), note);
  return {
    tables: [
      lists('List operations: all resources in one answer', all, signals),
      lists(`List operations: pages of ${limit}`, page, signals),
      thousand(steps),
      renewal.table,
    ],
    findings: [
      ...growth('a list of all resources', all, note),
      ...growth(`a page of ${limit}`, page, note),
      ...paging(all, page, note),
      ...renewal.findings,
    ],
  };
}

/**
 * @param {string} title
 * @param {Repeated[]} steps
 * @param {import('../signals.js').Signal[]} signals
 * @returns {import('../report-tables.js').ReportTable}
 */
function lists(title, steps, signals) {
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

/** @param {Repeated} step @param {import('../signals.js').Signal[]} signals */
function memoryOf({ phases }, signals) {
  const first = phases[0]?.name;
  return signals.find(({ signal, phase }) => signal === 'memory' && phase === first)?.max ?? null;
}

/** @param {Repeated[]} steps @returns {import('../report-tables.js').ReportTable} */
function thousand(steps) {
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

/**
 * @param {string} what
 * @param {Repeated[]} steps
 * @param {import('../report-tables.js').Facts['note']} note
 */
function growth(what, steps, note) {
  const points = steps.flatMap(({ labels, phases }) =>
    phases.flatMap(({ latency_ms: latency }) =>
      latency ? [/** @type {[number, number]} */ ([Number(labels.resources), latency.p50])] : [],
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

/**
 * @param {Repeated[]} all
 * @param {Repeated[]} page
 * @param {import('../report-tables.js').Facts['note']} note
 */
function paging(all, page, note) {
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

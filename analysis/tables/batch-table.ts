/** The table of batch sizes, of whatever the batches hold. */

import { number, percent, perSecond } from '../../contract/units.js';
import type { Finding } from '../findings/findings.ts';
import { note } from '../findings/note.ts';
import { median, type Repeated, total } from './repetitions.ts';
import { type ReportTable, ratio, tableOf } from './report-tables.ts';

/** Throughputs closer than this count as equal: the smaller batch wins. */
const TIE = 0.1;
const MAX_FAILURE_SHARE = 0.01;

const itemsOf = ({ labels }: Repeated) => Number(labels.items);

const throughput = (size: Repeated) => median(size, ({ items_per_s: rate }) => rate);

/** @param sizes with the label `items` */
export function batchTable(title: string, sizes: Repeated[]): { table: ReportTable; findings: Finding[] } {
  const single = sizes.find((size) => itemsOf(size) === 1);
  const base = single ? throughput(single) : null;
  const times = Math.max(0, ...sizes.map(({ phases }) => phases.length));
  const sizeText = (items: number) => (items === 1 ? '1 (sequential)' : String(items));
  const table = tableOf(
    title,
    sizes,
    [
      { name: 'batch size', unit: 'text', of: (size) => sizeText(itemsOf(size)) },
      { name: 'operations', unit: 'count', of: (size) => median(size, ({ items }) => items) },
      { name: 'calls', unit: 'count', of: (size) => median(size, ({ iterations }) => iterations) },
      {
        name: 'duration',
        unit: 's',
        of: (size) => median(size, ({ items, duration_s: s }) => (items ? s : null)),
      },
      { name: 'throughput', unit: 'per_s', of: throughput },
      { name: 'per 10', unit: 'ms', of: (size) => ratio(10_000, throughput(size)) },
      { name: 'speed-up', unit: 'factor', of: (size) => ratio(throughput(size) || null, base) },
      { name: 'failed', unit: 'ratio', of: failedShare },
    ],
    [`Medians of ${times} repetition${times === 1 ? '' : 's'}; operations: resources of one repetition.`],
  );
  return { table, findings: findingsOf(title, sizes, base) };
}

function failedShare(size: Repeated): number | null {
  const requests = total(size, ({ requests }) => requests);
  return requests > 0 ? total(size, ({ failed }) => failed) / requests : null;
}

function findingsOf(title: string, sizes: Repeated[], base: number | null) {
  const candidates = sizes.filter((size) => throughput(size) && (failedShare(size) ?? 1) < MAX_FAILURE_SHARE);
  const top = Math.max(0, ...candidates.map((size) => throughput(size) ?? 0));
  const [best] = candidates
    .filter((size) => (throughput(size) ?? 0) >= (1 - TIE) * top)
    .sort((a, b) => itemsOf(a) - itemsOf(b));
  const rate = best ? throughput(best) : null;
  if (!best || rate === null || sizes.length < 2) return [];
  const gain = ratio(rate, base);
  return [
    note(
      'batch size',
      `${title}: ${itemsOf(best)} in a batch is best, with ${perSecond(rate)}${gain === null ? '' : ` or ${number(gain)} x one at a time`} ` +
        `(rule: the smallest batch within ${percent(TIE)} of the highest median throughput, with failures below ${percent(MAX_FAILURE_SHARE)})`,
      { phase: best.phases[0]?.name ?? null, figures: { items_per_s: rate, speedup_ratio: gain } },
    ),
  ];
}

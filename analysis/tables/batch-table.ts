/** The table of batch sizes, for any type of batch. */

import { number, percent, perSecond } from '../../contract/units.js';
import type { Finding } from '../findings/finding.ts';
import { note } from '../findings/note.ts';
import { RECOMMENDED } from '../limits.ts';
import { median, type Repeated, total } from './repetitions.ts';
import { type ReportTable, ratio, tableOf } from './report-tables.ts';
import { smallestNearBest } from './smallest-near-best.ts';

const itemsOf = ({ labels }: Repeated) => Number(labels.items);

const throughput = (size: Repeated) => median(size, ({ items_per_s: rate }) => rate);

/** @param sizes phases with the label `items` */
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
  const candidates = sizes.filter((size) => (failedShare(size) ?? 1) < RECOMMENDED.maxFailures);
  const best = smallestNearBest(candidates, throughput, itemsOf);
  const rate = best ? throughput(best) : null;
  if (!best || rate === null || sizes.length < 2) return [];
  const gain = ratio(rate, base);
  return [
    note(
      'batch size',
      `${title}: ${itemsOf(best)} in a batch is best, with ${perSecond(rate)}${gain === null ? '' : ` or ${number(gain)} x one at a time`} ` +
        `(rule: the smallest batch within ${percent(RECOMMENDED.tie)} of the highest median throughput, with failures below ${percent(RECOMMENDED.maxFailures)})`,
      { phase: best.phases[0]?.name ?? null, figures: { items_per_s: rate, speedup_ratio: gain } },
    ),
  ];
}

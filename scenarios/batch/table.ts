/** `make batch`: the best batch size. */

import { note } from '../../analysis/findings/note.ts';
import type { Phase } from '../../analysis/judge/phases.ts';
import { RECOMMENDED } from '../../analysis/limits.ts';
import { type Built, type Facts, tableOf } from '../../analysis/tables/report-tables.ts';
import { smallestNearBest } from '../../analysis/tables/smallest-near-best.ts';
import { counted, number, percent } from '../../contract/units.js';

const TITLE = 'Batch size';
const LABEL = 'items';

export default function batch({ phases }: Facts): Built {
  const sized = phases.filter(({ measured, labels }) => measured && labels[LABEL] !== undefined);
  const table = tableOf(TITLE, sized, [
    { name: LABEL, unit: 'text', of: ({ labels }) => labels[LABEL] ?? null },
    { name: 'phase', unit: 'text', of: ({ name }) => name },
    {
      name: 'batches/s',
      unit: 'count',
      of: ({ items, achieved_rps: rate }) => (items === null ? null : rate),
    },
    { name: 'items/s', unit: 'count', of: ({ items_per_s }) => items_per_s },
    { name: 'p99', unit: 'ms', of: ({ latency_ms }) => latency_ms?.p99 ?? null },
    { name: 'failed', unit: 'ratio', of: ({ failure_rate }) => failure_rate },
    { name: 'speed-up', unit: 'factor', of: (phase) => speedup(phase, sized) },
  ]);
  const findings = bestSizes(sized).map(({ group, best, tried }) => {
    const factor = speedup(best, sized);
    return note(
      TITLE,
      `${TITLE}: ${best.labels[LABEL]} ${LABEL}${group ? ` (${group})` : ''} is best, with ${number(best.items_per_s)} items/s` +
        `${factor === null ? '' : ` or ${number(factor)} x size 1`} (rule: most items/s of ${counted(tried, 'size')} with ` +
        `failures below ${percent(RECOMMENDED.maxFailures)}; the smallest size within ${percent(RECOMMENDED.tie)} of it)`,
      { phase: best.name, figures: { items_per_s: best.items_per_s, speedup_ratio: factor } },
    );
  });
  return { tables: [table], findings };
}

/** @returns items/s relative to size 1 */
function speedup(phase: Phase, sized: Phase[]): number | null {
  const single = sized.find((other) => other.labels[LABEL] === '1' && groupOf(other) === groupOf(phase));
  return phase.items_per_s && single?.items_per_s ? phase.items_per_s / single.items_per_s : null;
}

/**
 * @returns the best size of each group of phases that differ only in size; groups with a single size or
 *   without a candidate are left out
 */
export function bestSizes(sized: Phase[]): { group: string; best: Phase; tried: number }[] {
  return [...Map.groupBy(sized, groupOf)].flatMap(([group, ofGroup]) => {
    const candidates = ofGroup.filter(({ failure_rate: rate }) => (rate ?? 1) < RECOMMENDED.maxFailures);
    const best = smallestNearBest(
      candidates,
      ({ items_per_s: rate }) => rate,
      ({ labels }) => Number(labels[LABEL]),
    );
    return best && ofGroup.length > 1 ? [{ group, best, tried: ofGroup.length }] : [];
  });
}

/** @returns the group's name; only phases with the same other labels are compared */
function groupOf({ labels }: Phase): string {
  const others = Object.entries(labels).filter(([name]) => name !== LABEL);
  return others.map(([name, value]) => `${name} ${value}`).join(', ');
}

import { groupOf } from './phases.js';

/** A size whose failures reach this share is not a candidate. */
export const MAX_FAILURE_SHARE = 0.01;
/** Items/s closer than this count as equal: the smaller size wins. */
export const TIE = 0.02;

/**
 * @param {import('./phases.js').Phase[]} phases
 * @param {import('./summary.js').Table} table
 * @returns {{group: string, best: import('./phases.js').Phase, tried: number}[]} the best size of each group of
 *   phases that differ in nothing else; groups of one size, or without a candidate, are left out
 */
export function bestSizes(phases, { label }) {
  const sized = phases.filter((phase) => phase.measured && phase.labels[label] !== undefined);
  const groups = [...new Set(sized.map((phase) => groupOf(phase, label)))];
  return groups.flatMap((group) => {
    const ofGroup = sized.filter((phase) => groupOf(phase, label) === group);
    const candidates = ofGroup.filter(
      (phase) => phase.items_per_s && (phase.error_rate ?? 1) < MAX_FAILURE_SHARE,
    );
    const top = Math.max(...candidates.map((phase) => phase.items_per_s ?? 0));
    const [best] = candidates
      .filter((phase) => (phase.items_per_s ?? 0) >= (1 - TIE) * top)
      .sort((a, b) => Number(a.labels[label]) - Number(b.labels[label]));
    return best && ofGroup.length > 1 ? [{ group, best, tried: ofGroup.length }] : [];
  });
}

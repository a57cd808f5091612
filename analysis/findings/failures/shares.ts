/** Checks whether a constant share of the calls fails, independently of the load. */
import type { Phase } from '../../judge/phases.ts';
import { SPREAD } from '../../limits.ts';
import { binomialTail } from '../../statistics/binomial.ts';
import { addCell, type Stratum, type Sum, sumOf, sumsBy } from './cells.ts';

export interface Share extends Sum {
  /** Counts at the lowest and the highest load; a single entry if there was only one load. */
  loads: (Sum & { rps: number })[];
}

/** @returns null if the share depends on load or time, or if there are too few failures */
export function shareOf(stratum: Stratum, phases: readonly Phase[]): Share | null {
  const { failed, well } = sumOf(stratum);
  const share = failed / (failed + well);
  if (failed < SPREAD.minFailures || share > SPREAD.maxShare || !isSpread(stratum, share)) return null;
  const known = loadsOf(stratum, phases).filter((load) => share * sizeOf(load) >= SPREAD.minExpected);
  const [low, high] = [known[0], known.at(-1)];
  if (!low || !high) return null;
  if (high.rps < SPREAD.loadFactor * low.rps) return { failed, well, loads: [high] };
  const ratio = high.failed / sizeOf(high) / (low.failed / sizeOf(low));
  return ratio <= SPREAD.maxRatio && ratio >= 1 / SPREAD.maxRatio
    ? { failed, well, loads: [low, high] }
    : null;
}

export const sizeOf = ({ failed, well }: Sum): number => failed + well;

/** @returns the sums by rate, in ascending order */
function loadsOf(stratum: Stratum, phases: readonly Phase[]): (Sum & { rps: number })[] {
  const rates = new Map(
    phases.map(({ name, offered_rps, achieved_rps }) => [name, offered_rps ?? achieved_rps]),
  );
  return [...sumsBy(stratum, ({ phase }) => rates.get(phase) || undefined)]
    .map(([rps, load]) => ({ rps, ...load }))
    .sort((a, b) => a.rps - b.rps);
}

/** @returns whether the failures are spread evenly: no part of the run has more than chance explains */
function isSpread({ cells, kind }: Stratum, share: number): boolean {
  const size = sizeOf(sumOf({ cells, kind })) / SPREAD.parts;
  const parts: Sum[] = [];
  for (const cell of cells) {
    const last = parts.at(-1);
    const part = last && sizeOf(last) < size ? last : { failed: 0, well: 0 };
    if (part !== last) parts.push(part);
    addCell(part, cell, kind);
  }
  return parts.every(
    (part) => SPREAD.parts * binomialTail(part.failed, sizeOf(part), share) >= SPREAD.maxChance,
  );
}

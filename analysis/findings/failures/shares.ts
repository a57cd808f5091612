/** Whether one in so many fails, whatever the load. */
import type { Phase } from '../../judge/phases.ts';
import { binomialTail } from '../../statistics/binomial.ts';
import { fisherTail } from '../../statistics/fisher.ts';
import { type Stratum, sumOf, where } from './cells.ts';

const MIN_FAILURES = 10;
/** More than half is no exception. */
const MAX_SHARE = 0.5;
/** Two loads are told apart if one is so many times the other. */
const MIN_LOADS = 2;
/** With fewer failures to be expected at one of them, they cannot differ. */
const MIN_EXPECTED = 5;
/** A difference that chance makes less often than this is one. */
const CHANCE = 0.01;
/** Equal parts of the run that must not differ either: failures that come together have another reason. */
const PARTS = 10;

export interface Share {
  failed: number;
  requests: number;
  /** With their own counts, the lowest first: two, or one if the run had no others. */
  loads: { rps: number; failed: number; requests: number }[];
}

/** @returns null: the share depends on the load, or on the time, or there are too few failures to tell */
export function shareOf(stratum: Stratum, phases: readonly Phase[]): Share | null {
  const { count: failed, requests } = sumOf(stratum);
  const share = failed / requests;
  if (failed < MIN_FAILURES || share > MAX_SHARE) return null;
  const byLoad = phases
    .flatMap(({ name, achieved_rps: rps }) => {
      const part = sumOf(where(stratum, ({ phase }) => phase === name));
      return rps && part.requests * share >= MIN_EXPECTED
        ? [{ rps, failed: part.count, requests: part.requests }]
        : [];
    })
    .toSorted((a, b) => a.rps - b.rps);
  const [low, high] = [byLoad[0], byLoad.at(-1)];
  if (!low || !high) return null;
  const isAlike =
    Math.min(
      fisherTail(low.failed, low.requests, high.failed, high.requests),
      fisherTail(high.failed, high.requests, low.failed, low.requests),
    ) >= CHANCE;
  const haveTwo = high.rps >= MIN_LOADS * low.rps;
  if (!isSpread(stratum, share) || (haveTwo && !isAlike)) return null;
  return { failed, requests, loads: haveTwo ? [low, high] : [high] };
}

/** @returns whether none of the parts of the run has more of them than chance gives it */
function isSpread({ cells, kind }: Stratum, share: number): boolean {
  const size = Math.ceil(cells.reduce((sum, { requests }) => sum + requests, 0) / PARTS);
  let part: Stratum = { kind, cells: [] };
  const parts: Stratum[] = [];
  for (const cell of cells) {
    part = { kind, cells: [...part.cells, cell] };
    if (sumOf(part).requests < size) continue;
    parts.push(part);
    part = { kind, cells: [] };
  }
  return parts
    .map(sumOf)
    .every(({ count, requests }) => PARTS * binomialTail(count, requests, share) >= CHANCE);
}

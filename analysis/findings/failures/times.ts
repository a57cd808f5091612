/** Finds the time since which, or the span in which, all requests of a stratum failed. */

import { FAILURES } from '../../limits.ts';
import { fisherTail } from '../../statistics/fisher.ts';
import { addedTenths, failedIn, joined, type Span, type Stratum, sumOf } from './cells.ts';

export interface Stretch {
  /**
   * always: there were no successes; since: no request that began later succeeded; window: requests before
   * and after it succeeded.
   */
  pattern: 'always' | 'since' | 'window';
  /** Unix times in milliseconds at which the first and the last failure began. */
  fromMs: number;
  toMs: number;
  failed: number;
  /** Successful requests that began within the span. */
  well: number;
  /** Successful requests before and after the span. */
  before: number;
  after: number;
}

interface Second {
  at: number;
  failed: number;
  well: number;
  failedSpan: Span;
  /** Successful requests by tenth of the second; empty if unknown. */
  wellTenths: readonly number[];
}

/** @returns null if failures and successes alternate */
export function stretchOf(stratum: Stratum): Stretch | null {
  const all = sumOf(stratum);
  const seconds = bySecond(stratum);
  const whole = seconds.reduce<Span>((span, { failedSpan }) => joined(span, failedSpan), null);
  if (!whole) return null;
  if (all.well === 0)
    return {
      ...{ pattern: 'always', fromMs: whole[0], toMs: whole[1], failed: all.failed },
      ...{ well: 0, before: 0, after: 0 },
    };
  const [begin, end] = densest(seconds);
  const inside = seconds.slice(begin, end);
  const [fromMs, toMs] =
    inside.reduce<Span>((span, { failedSpan }) => joined(span, failedSpan), null) ?? whole;
  let [failed, well, before, after] = [0, 0, 0, 0];
  for (const second of seconds) {
    const outside = wellOutside(second, fromMs, toMs);
    before += outside.before;
    after += outside.after;
    well += second.well - outside.before - outside.after;
  }
  for (const second of inside) failed += second.failed;
  if (
    failed < FAILURES.minFailing * (failed + well) ||
    failed < FAILURES.minCovered * all.failed ||
    before < FAILURES.minBefore
  )
    return null;
  const chance = seconds.length * fisherTail(failed, failed + well, all.failed - failed, before + after);
  if (chance > FAILURES.maxChance) return null;
  return { pattern: after === 0 ? 'since' : 'window', fromMs, toMs, failed, well, before, after };
}

function bySecond({ cells, kind }: Stratum): Second[] {
  const found = new Map<number, Second>();
  for (const cell of cells) {
    const { count, span } = failedIn(cell, kind);
    const known = found.get(cell.at);
    found.set(cell.at, {
      at: cell.at,
      failed: (known?.failed ?? 0) + count,
      well: (known?.well ?? 0) + cell.requests - cell.failed,
      failedSpan: joined(known?.failedSpan ?? null, span),
      wellTenths: addedTenths(known?.wellTenths ?? [], cell.wellTenths),
    });
  }
  return [...found.values()].sort((a, b) => a.at - b.at);
}

/**
 * Finds the maximum subarray (J. Bentley, Programming Pearls, Communications of the ACM 27, 1984).
 *
 * @returns the range of seconds, without `end`, with the largest surplus of failures over successes
 */
function densest(seconds: readonly Second[]): [begin: number, end: number] {
  let [sum, most, begin] = [0, 0, 0];
  let best: [number, number] = [0, 0];
  for (const [index, second] of seconds.entries()) {
    if (sum <= 0) [sum, begin] = [0, index];
    const outside = second.failedSpan ? wellOutside(second, ...second.failedSpan) : { before: 0, after: 0 };
    // In the first and last second of the span, successes outside of it do not count.
    sum += second.failed - (second.well - outside.before - outside.after);
    if (sum > most) [best, most] = [[begin, index + 1], sum];
  }
  return best;
}

/**
 * @returns the number of successful requests that began at this time or later; if only their second is
 *   known, all of that second
 */
export const wellSince = (stratum: Stratum, ms: number): number =>
  bySecond(stratum).reduce((sum, second) => {
    const { before } = wellOutside(second, ms, Number.POSITIVE_INFINITY);
    return sum + second.well - before;
  }, 0);

/**
 * @returns the second's successful requests that began before and after the span; those with an unknown
 *   time count as neither
 */
function wellOutside({ at, well, wellTenths }: Second, fromMs: number, toMs: number) {
  if ((at + 1) * 1000 <= fromMs) return { before: well, after: 0 };
  if (at * 1000 > toMs) return { before: 0, after: well };
  const tenthMs = 1000 / wellTenths.length;
  // The tenths in which the span begins and ends count as outside, unless the span itself is only a few
  // tenths long.
  const edgeMs = toMs - fromMs < FAILURES.minTenths * tenthMs ? tenthMs : 0;
  let [before, after] = [0, 0];
  for (const [index, count] of wellTenths.entries()) {
    const beganMs = at * 1000 + tenthMs * index;
    if (beganMs + edgeMs < fromMs) before += count;
    else if (beganMs + tenthMs - edgeMs > toMs) after += count;
  }
  return { before, after };
}

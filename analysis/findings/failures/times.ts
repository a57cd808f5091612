/** Since when, or in which stretch of time, all of a stratum's requests failed. */

import { FAILURES } from '../../limits.ts';
import { fisherTail } from '../../statistics/fisher.ts';
import { addedTenths, failedIn, joined, type Span, type Stratum, sumOf } from './cells.ts';

export interface Stretch {
  /** always: nothing went well; since: nothing that began later did; window: what began before it and after it did. */
  pattern: 'always' | 'since' | 'window';
  /** When its first and last failure began, Unix times in milliseconds. */
  fromMs: number;
  toMs: number;
  failed: number;
  /** That began in it and went well. */
  well: number;
  /** Requests that went well before it, and after it. */
  before: number;
  after: number;
}

interface Second {
  at: number;
  failed: number;
  well: number;
  failedSpan: Span;
  /** Of those that went well, by the tenth of the second; none: not known. */
  wellTenths: readonly number[];
}

/** @returns null: failures and successes took turns */
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
 * J. Bentley, Programming Pearls, Communications of the ACM 27, 1984.
 *
 * @returns from which second to which, without that, most more failed than went well
 */
function densest(seconds: readonly Second[]): [begin: number, end: number] {
  let [sum, most, begin] = [0, 0, 0];
  let best: [number, number] = [0, 0];
  for (const [index, second] of seconds.entries()) {
    if (sum <= 0) [sum, begin] = [0, index];
    const outside = second.failedSpan ? wellOutside(second, ...second.failedSpan) : { before: 0, after: 0 };
    // In a second in which the stretch begins or ends, successes are before it or after it.
    sum += second.failed - (second.well - outside.before - outside.after);
    if (sum > most) [best, most] = [[begin, index + 1], sum];
  }
  return best;
}

/** @returns requests that went well and began then or later; all of a second if it is not known when in it */
export const wellSince = (stratum: Stratum, ms: number): number =>
  bySecond(stratum).reduce((sum, second) => {
    const { before } = wellOutside(second, ms, Number.POSITIVE_INFINITY);
    return sum + second.well - before;
  }, 0);

/** @returns of a second, what went well and began before a stretch, and after it; as far as it is not known, neither */
function wellOutside({ at, well, wellTenths }: Second, fromMs: number, toMs: number) {
  if ((at + 1) * 1000 <= fromMs) return { before: well, after: 0 };
  if (at * 1000 > toMs) return { before: 0, after: well };
  const tenthMs = 1000 / wellTenths.length;
  // A tenth in which the stretch begins or ends is outside, unless it is as long as what is to be told.
  const edgeMs = toMs - fromMs < FAILURES.minTenths * tenthMs ? tenthMs : 0;
  let [before, after] = [0, 0];
  for (const [index, count] of wellTenths.entries()) {
    const beganMs = at * 1000 + tenthMs * index;
    if (beganMs + edgeMs < fromMs) before += count;
    else if (beganMs + tenthMs - edgeMs > toMs) after += count;
  }
  return { before, after };
}

/** Since when, or in which stretch of time, all of a stratum's requests failed. */
import { fisherTail } from '../../statistics/fisher.ts';
import { type Cell, failedIn, type Stratum, sumOf, where } from './cells.ts';

/** Of the requests of a stretch in which all fail; the seconds at its edges are not whole. */
const MIN_SHARE = 0.9;
/** Of all failures, those that the stretch has. */
const MIN_COVERED = 0.95;
/** Requests that went well before it, or after it, so that it is one. */
const MIN_WELL = 5;
/** By chance, less than once in so many runs of as many seconds. */
const CHANCE = 1e-4;

export interface Stretch {
  /** always: nothing went well; since: nothing that began later did; window: what began before it and after it did. */
  pattern: 'always' | 'since' | 'window';
  /** When its first and last failure began, Unix times in milliseconds. */
  fromMs: number;
  toMs: number;
  failed: number;
  requests: number;
  /** Requests that went well before it. */
  before: number;
  after: number;
}

/** @returns null: failures and successes took turns */
export function stretchOf(stratum: Stratum): Stretch | null {
  const all = sumOf(stratum);
  if (all.count >= MIN_COVERED * all.requests && all.count > 0)
    return {
      pattern: 'always',
      fromMs: all.firstMs,
      toMs: all.lastMs,
      failed: all.count,
      requests: all.requests,
      before: 0,
      after: 0,
    };
  const seconds = bySecond(stratum);
  const segment = densest(seconds);
  const [first, last] = [segment[0], segment.at(-1)];
  if (!first || !last) return null;
  const [fromMs, toMs] = [first.firstMs, last.lastMs];
  const inside = segment.reduce((sum, { failed }) => sum + failed, 0);
  // Of the seconds at its edges, the requests of the part that belongs to it, if they came evenly.
  const requests = Math.max(
    inside,
    segment.reduce((sum, second) => sum + second.requests * partOf(second.at, fromMs, toMs), 0),
  );
  const well = (matches: (cell: Cell) => boolean) => {
    const part = sumOf(where(stratum, matches));
    return part.requests - part.count;
  };
  const before = well(({ at }) => at < first.at);
  const after = well(({ at }) => at > last.at);
  const isLast = after < MIN_WELL && last.at >= (seconds.at(-1)?.at ?? 0) - 1;
  if (inside < MIN_SHARE * requests || inside < MIN_COVERED * all.count || before < MIN_WELL) return null;
  if (!isLast && after < MIN_WELL) return null;
  const outside = all.requests - Math.round(requests);
  const chance = seconds.length * fisherTail(inside, Math.round(requests), all.count - inside, outside);
  if (chance > CHANCE) return null;
  return {
    pattern: isLast ? 'since' : 'window',
    fromMs,
    toMs,
    failed: inside,
    requests: Math.round(requests),
    before,
    after,
  };
}

interface Second {
  at: number;
  requests: number;
  failed: number;
  firstMs: number;
  lastMs: number;
}

function bySecond({ cells, kind }: Stratum): Second[] {
  const found = new Map<number, Second>();
  for (const cell of cells) {
    const { count, firstMs, lastMs } = failedIn(cell, kind);
    const known = found.get(cell.at);
    found.set(cell.at, {
      at: cell.at,
      requests: (known?.requests ?? 0) + cell.requests,
      failed: (known?.failed ?? 0) + count,
      firstMs: Math.min(known?.firstMs ?? Number.POSITIVE_INFINITY, firstMs),
      lastMs: Math.max(known?.lastMs ?? Number.NEGATIVE_INFINITY, lastMs),
    });
  }
  return [...found.values()].sort((a, b) => a.at - b.at);
}

/** @returns the seconds, one after the other, in which most more failed than went well (J. Bentley, Programming Pearls, 1984) */
function densest(seconds: readonly Second[]): readonly Second[] {
  let [sum, most, begin] = [0, 0, 0];
  let best: readonly Second[] = [];
  for (const [index, second] of seconds.entries()) {
    if (sum <= 0) [sum, begin] = [0, index];
    const from = index === begin ? Math.max(second.at * 1000, second.firstMs) : second.at * 1000;
    // Before its first failure and after its last one, a second is not of the stretch.
    const share = second.failed > 0 ? partOf(second.at, from, Math.max(from + 1, second.lastMs)) : 1;
    sum += second.failed - (Math.max(second.failed, second.requests * share) - second.failed);
    if (sum > most) [best, most] = [seconds.slice(begin, index + 1), sum];
  }
  return best;
}

/** @returns of a second, the share that is between the two */
function partOf(at: number, fromMs: number, toMs: number): number {
  const overlap = Math.min((at + 1) * 1000, toMs) - Math.max(at * 1000, fromMs);
  return Math.min(1, Math.max(0, overlap / 1000));
}

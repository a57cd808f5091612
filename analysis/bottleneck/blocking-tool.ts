/**
 * One synchronous tool blocks all others on a server with one thread. From outside that is three things at once: the thread has no time
 * left, all operations became slower together, and one of them accounts for that thread's time: its calls a second, times what one call took
 * while nothing waited. A tool that waits without blocking has more calls under way than one thread can hold.
 */

import type { Timeline } from '../collect/timeline.ts';
import { medianOf } from '../statistics/interval.ts';
import type { Breakage } from './breakage.ts';

/** Of the thread's time. Above the upper one several calls ran at once, so that none held a thread alone. */
const MIN_HELD = 0.5;
const MAX_HELD = 1.2;
/** Of the time that all operations together account for. */
const MIN_SHARE = 0.6;
/** Times as long as a call of the others. */
const MIN_LONGER = 5;
/** The others have to become slower by this share of what it became slower by. */
const MIN_TOGETHER = 0.3;

export interface Blocker {
  operation: string;
  /** Of the thread's time. */
  heldRatio: number;
  /** What a call took in the baseline. */
  callS: number;
  /** Median of the other operations' means there. */
  othersS: number;
}

export function blockerOf(operations: Timeline['operations'], { baseline, phase }: Breakage): Blocker | null {
  const [before, now] = [baseline?.name ?? '', phase.name].map((name) => operations?.[name] ?? {});
  const called = Object.entries(now ?? {}).flatMap(([operation, { rate, mean_s }]) => {
    const callS = before?.[operation]?.mean_s;
    return callS === undefined ? [] : [{ operation, callS, heldRatio: rate * callS, addedS: mean_s - callS }];
  });
  const [first, ...others] = called.toSorted((a, b) => b.heldRatio - a.heldRatio);
  if (!first || others.length === 0) return null;
  const all = called.reduce((sum, { heldRatio }) => sum + heldRatio, 0);
  const othersS = medianOf(others.map(({ callS }) => callS));
  const together = medianOf(others.map(({ addedS }) => addedS)) >= MIN_TOGETHER * first.addedS;
  const holds =
    first.heldRatio >= MIN_HELD &&
    first.heldRatio <= MAX_HELD &&
    first.heldRatio >= MIN_SHARE * all &&
    first.callS >= MIN_LONGER * othersS;
  if (!holds || first.addedS <= 0 || !together) return null;
  return { operation: first.operation, heldRatio: first.heldRatio, callS: first.callS, othersS };
}

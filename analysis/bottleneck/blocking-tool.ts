/**
 * One synchronous tool blocks all others on a server with one thread. From outside that is three things at once: the thread has no time
 * left, all operations became slower together, and one of them accounts for that thread's time: its calls a second, times what one call took
 * while nothing waited. A tool that waits without blocking has more calls under way than one thread can hold.
 */

import type { Timeline } from '../collect/timeline.ts';
import { BOTTLENECK } from '../limits.ts';
import { medianOf } from '../statistics/interval.ts';
import type { Breakage } from './breakage.ts';

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
  const together =
    medianOf(others.map(({ addedS }) => addedS)) >= BOTTLENECK.minDelayedTogether * first.addedS;
  const holds =
    first.heldRatio >= BOTTLENECK.minHeld &&
    first.heldRatio <= BOTTLENECK.maxHeld &&
    first.heldRatio >= BOTTLENECK.minBlockingShare * all &&
    first.callS >= BOTTLENECK.minBlockingFactor * othersS;
  if (!holds || first.addedS <= 0 || !together) return null;
  return { operation: first.operation, heldRatio: first.heldRatio, callS: first.callS, othersS };
}

/**
 * Detects a synchronous tool that blocks all others on a single-threaded server. The evidence is a
 * combination of three observations: the thread is busy all the time, all operations became slower together,
 * and one operation accounts for most of the thread's time (its call rate times its service time without
 * queueing). In contrast, a tool that waits without blocking the thread has more calls in flight than one
 * thread can serve.
 */

import type { Timeline } from '../collect/timeline.ts';
import { BOTTLENECK } from '../limits.ts';
import { medianOf } from '../statistics/interval.ts';
import type { Breakage } from './breakage.ts';

export interface Blocker {
  operation: string;
  /** Share of the thread's time that the operation uses, 0 to 1. */
  heldRatio: number;
  /** Mean duration of a call in the baseline. */
  callS: number;
  /** Median of the other operations' mean durations in the baseline. */
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

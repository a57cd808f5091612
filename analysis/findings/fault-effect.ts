/**
 * Measures the effect of a fault that is injected during a steady load, and the time to recovery after its
 * removal.
 */
import { type Bucket, bucketsIn, episodesOf } from '../episode.ts';
import type { Phase } from '../judge/phases.ts';
import { normalRangeOf } from '../normal.ts';
import { type Recovery, recoveryAfter } from './recovery.ts';

/** The phases of the load. */
export interface Parts {
  baseline: Phase;
  fault: Phase;
  after: Phase;
}

/** @param phases phases of the load around one fault @returns null if there was no load */
export function partsOf(phases: readonly Phase[]): Parts | null {
  const named = (part: string) => phases.find(({ labels }) => labels.part === part);
  const [baseline, fault, after] = [named('baseline'), named('fault'), named('after')];
  return baseline && fault && after ? { baseline, fault, after } : null;
}

export interface Effect extends Recovery {
  /** Whether latency or failures left the normal range because of the fault; null if inconclusive. */
  affected: boolean | null;
  /** Whether they were back in the range from the recovery to the end; null if inconclusive. */
  back: boolean | null;
}

/**
 * @param removedS Unix time at which the fault was removed
 * @param all all buckets of the load
 * @returns null if the load ended before the fault was removed
 */
export function faultEffect(
  { baseline, fault, after }: Parts,
  removedS: number,
  all: readonly Bucket[],
): Effect | null {
  const toS = Date.parse(after.end ?? '') / 1000;
  if (Number.isNaN(toS)) return null;
  const range = normalRangeOf(baseline, []);
  const recovery = recoveryAfter(
    { overload: fault, baseline, after: [after], fromS: removedS, toS },
    range,
    all,
  );
  if (!range || recovery.reason) return { ...recovery, affected: null, back: null };
  const episodes = episodesOf(bucketsIn(all, [fault, after]), range);
  const { recovery_s } = recovery;
  const normalFromS = removedS + (recovery_s ?? 0);
  return {
    ...recovery,
    affected: recovery_s !== 0 || episodes.some(({ fromS }) => fromS < removedS),
    back: recovery_s !== null && episodes.every(({ fromS }) => fromS < normalFromS),
  };
}

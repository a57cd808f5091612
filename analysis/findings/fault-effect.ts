/** What a fault in the middle of a steady load did, and how long after it was lifted the service was as before. */
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

/** @param phases of the load around one fault @returns null: it was not loaded */
export function partsOf(phases: readonly Phase[]): Parts | null {
  const named = (part: string) => phases.find(({ labels }) => labels.part === part);
  const [baseline, fault, after] = [named('baseline'), named('fault'), named('after')];
  return baseline && fault && after ? { baseline, fault, after } : null;
}

export interface Effect extends Recovery {
  /** Neither latency nor failures left the normal range because of it; null: inconclusive. */
  affected: boolean | null;
  /** Whether they stayed in it from the recovery on; null: inconclusive. */
  back: boolean | null;
}

/**
 * @param liftedS Unix time
 * @param all of the load
 * @returns null: the load ended before the fault was lifted
 */
export function faultEffect(
  { baseline, fault, after }: Parts,
  liftedS: number,
  all: readonly Bucket[],
): Effect | null {
  const toS = Date.parse(after.end ?? '') / 1000;
  if (Number.isNaN(toS)) return null;
  const range = normalRangeOf(baseline, []);
  const recovery = recoveryAfter(
    { overload: fault, baseline, after: [after], fromS: liftedS, toS },
    range,
    all,
  );
  if (!range || recovery.reason) return { ...recovery, affected: null, back: null };
  const episodes = episodesOf(bucketsIn(all, [fault, after]), range);
  const { recovery_s } = recovery;
  const normalFromS = liftedS + (recovery_s ?? 0);
  return {
    ...recovery,
    affected: recovery_s !== 0 || episodes.some(({ fromS }) => fromS < liftedS),
    back: recovery_s !== null && episodes.every(({ fromS }) => fromS < normalFromS),
  };
}

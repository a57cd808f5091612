/** Measures the recovery time after an overload: until the end of the episode that the overload caused. */
import { duration } from '../../contract/units.js';
import type { Objective } from '../collect/plan.ts';
import { type Bucket, bucketsIn, type Episode, episodesOf } from '../episode.ts';
import { followsDirectly, loadOf, type Phase, peaks } from '../judge/phases.ts';
import { RECOVERY } from '../limits.ts';
import { type NormalRange, normalRangeOf } from '../normal.ts';
import { round } from '../round.ts';

/** The phases of one overload. */
export interface Watched {
  /** The overload, or a fault. */
  overload: Phase;
  /** The phase that shows what is normal. */
  baseline: Phase;
  /** Phases after the overload. */
  after: Phase[];
  /** Unix time of the overload's end. */
  fromS: number;
  toS: number;
}

export interface Recovery {
  overload: string;
  baseline: string;
  /** null if the baseline does not show what is normal. */
  range: NormalRange | null;
  /** Unix time of the overload's end. */
  ended_s: number;
  /** Seconds that were observed after it. */
  observed_s: number;
  /** null if inconclusive, or if the run ended before the recovery. */
  recovery_s: number | null;
  /** Recovery of latency only. */
  latency_recovery_s: number | null;
  /** Recovery of failures only. */
  failures_recovery_s: number | null;
  /** Seconds from the recovery to the end of the observed time. */
  normal_for_s: number;
  /** Calls in that time. */
  calls: number;
  confidence: 'high' | 'medium' | 'inconclusive';
  /** Why the result is inconclusive. */
  reason: string | null;
}

/**
 * @param buckets all buckets of the run
 * @returns a recovery for each overload that has a baseline before it, and right after it a phase with at
 *   most the baseline's load. Overloads without a rest in between count as one that ends with the last of
 *   them.
 */
export function recoveries(phases: Phase[], objectives: Objective[], buckets: readonly Bucket[]): Recovery[] {
  return peaks(phases).flatMap((overload) => {
    const index = phases.indexOf(overload);
    const baseline = phases.find(
      (phase, i) => i < index && phase.measured && !phase.overload && phase.answered,
    );
    if (!baseline || overload.end === null) return [];
    const after = restAfter(overload, phases.slice(index + 1), baseline);
    const toS = Date.parse(after.at(-1)?.end ?? '') / 1000;
    if (Number.isNaN(toS)) return [];
    const fromS = Date.parse(overload.end) / 1000;
    const range = normalRangeOf(baseline, objectives);
    return [recoveryAfter({ overload, baseline, after, fromS, toS }, range, buckets)];
  });
}

/** @returns the phases that follow without a pause and are comparable with the baseline */
function restAfter(overload: Phase, later: Phase[], baseline: Phase): Phase[] {
  const end = later.findIndex((phase, index) => {
    const goesOn =
      phase.measured && phase.end !== null && followsDirectly(later[index - 1] ?? overload, phase);
    const comparable = (phase.offered_rps === null) === (baseline.offered_rps === null);
    return !(goesOn && comparable && loadOf(phase) <= loadOf(baseline));
  });
  return end === -1 ? later : later.slice(0, end);
}

/** @param all all buckets of the run */
export function recoveryAfter(
  { overload, baseline, after, fromS, toS }: Watched,
  range: NormalRange | null,
  all: readonly Bucket[],
): Recovery {
  const buckets = range ? bucketsIn(all, [overload, ...after]) : [];
  const episodes = range ? episodesOf(buckets, range) : [];
  const endOf = (stretchOf: (episode: Episode) => { fromS: number; toS: number } | undefined) =>
    endAfter(
      fromS,
      episodes.flatMap((episode) => stretchOf(episode) ?? []),
    );
  const normalFromS = endOf((episode) => episode);
  const calls = callsSince(normalFromS, buckets);
  const isNormal = (sinceS: number) => toS - sinceS >= RECOVERY.minNormalS && callsSince(sinceS, buckets) > 0;
  const secondsAfter = (sinceS: number) => (isNormal(sinceS) ? round(sinceS - fromS, 1) : null);
  const reason = !range
    ? `${baseline.name} has too few answers or too many failures to define the normal range`
    : toS - fromS < RECOVERY.minNormalS
      ? `it was observed for only ${duration(round(toS - fromS, 1))}`
      : buckets.every(({ sums }) => sums.requests === 0)
        ? 'there are no figures per second'
        : null;
  return {
    overload: overload.name,
    baseline: baseline.name,
    range,
    ended_s: fromS,
    observed_s: round(toS - fromS, 1),
    recovery_s: reason ? null : secondsAfter(normalFromS),
    latency_recovery_s: reason ? null : secondsAfter(endOf(({ latency }) => latency)),
    failures_recovery_s: reason ? null : secondsAfter(endOf(({ failures }) => failures)),
    normal_for_s: round(toS - normalFromS, 1),
    calls,
    confidence: reason
      ? 'inconclusive'
      : !isNormal(normalFromS) || calls >= RECOVERY.manyCalls
        ? 'high'
        : 'medium',
    reason,
  };
}

/** @returns the Unix time after which an episode cannot be an effect of the overload that ended at `fromS` */
function endAfter(fromS: number, stretches: { fromS: number; toS: number }[]): number {
  let endS = fromS;
  for (const stretch of stretches)
    if (stretch.toS > endS && stretch.fromS <= endS + RECOVERY.sameOverloadS) endS = stretch.toS;
  return endS;
}

const callsSince = (sinceS: number, buckets: readonly Bucket[]) =>
  buckets.reduce((sum, { fromS, sums }) => (fromS >= sinceS ? sum + sums.requests : sum), 0);

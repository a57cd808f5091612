/**
 * Reports episodes under a steady load: latency or failures left the normal range although the load did not
 * change.
 */
import { milliseconds, percent } from '../../contract/units.js';
import { latencyText } from '../collect/latencies.ts';
import { sumsWithin, Within } from '../collect/seconds.ts';
import { SparseHistogram } from '../collect/sparse-histogram.ts';
import { type Bucket, bucketsIn, type Episode, episodesOf } from '../episode.ts';
import { loadOf, type Phase } from '../judge/phases.ts';
import { EPISODES, NORMAL } from '../limits.ts';
import { type NormalRange, normalRangeOf } from '../normal.ts';
import { medianOf } from '../statistics/interval.ts';
import { degradedFinding } from './degraded-finding.ts';
import type { Finding } from './finding.ts';
import type { Known } from './known.ts';
import { steadyKey } from './steady-stretches.ts';

/** A stall may begin and end in the middle of a second, and episodes consist of whole seconds. */
const DRAINED_S = 2;

/** @returns a finding for each steady load with episodes */
export function degraded(known: Known): Finding[] {
  const { phases, lines, plan } = known;
  if (plan.sequence) return [];
  const startedS = Math.min(...phases.filter(({ start }) => start !== null).map(startOf));
  return steadyLoads(known).flatMap((group) => {
    const settledS = new Map(group.map((phase) => [phase.name, startOf(phase) + EPISODES.settlingS]));
    const buckets = bucketsIn(known.buckets, group).filter(
      ({ sums, phase, fromS }) =>
        fromS >= (settledS.get(phase) ?? 0) &&
        (sums.timerLateness.percentile(1) ?? 0) <= EPISODES.maxLatenessMs,
    );
    const range = usualRange(group[0], buckets, known);
    if (!range) return [];
    const episodes = episodesOf(buckets, range).filter((episode) => !isAftermath(episode, known));
    const sums = sumsWithin(lines, episodes);
    const degradedEpisodes = episodes.flatMap((episode, index) => {
      const bucketSums = sums[index] ?? new Within();
      const text = whatLeft(episode, bucketSums, range);
      return text === '' ? [] : [{ ...episode, text, stallS: stallOf(episode, bucketSums, range, phases) }];
    });
    return degradedEpisodes.length > 0 ? [degradedFinding(degradedEpisodes, range, startedS)] : [];
  });
}

/** @returns Unix time */
const startOf = ({ start }: Phase): number => Date.parse(start ?? '') / 1000;

/**
 * @returns what left the normal range; '' if neither did by its figures, for example if load was dropped
 *   because there were too few VUs
 */
function whatLeft(
  { latency, failures }: Episode,
  { failed, requests, latencies: { latency: now } }: Within,
  range: NormalRange,
): string {
  const share = failed / Math.max(1, requests);
  return [
    latency &&
      (now?.p99 ?? 0) > range.p99_ms &&
      `p99 ${milliseconds(range.baseline_p99_ms)} -> ${latencyText(now, 'p99')}`,
    failures && share > range.failure_rate && `${percent(share)} failed`,
  ]
    .filter(Boolean)
    .join(', ');
}

/**
 * Recognizes a stall. All calls wait for its end, so every call that begins within the longest latency is
 * slow. In a closed model, each VU has one such call.
 *
 * @returns the stall's length in seconds; null if the episode is not a stall
 */
function stallOf(
  { fromS, toS, phase }: Episode,
  { requests, latencies }: Within,
  range: NormalRange,
  phases: Phase[],
): number | null {
  const longestS = (latencies.latency?.max ?? 0) / 1000;
  const { vus = null } = phases.find(({ name }) => name === phase) ?? {};
  const waiting = vus ?? (requests / (toS - fromS)) * longestS;
  const slow = latencies.countOver(range.p99_ms);
  // Calls that began late in the stall waited for less time.
  const isSpread = vus !== null || latencies.countOver(750 * longestS) <= slow / 2;
  const isStall =
    longestS >= EPISODES.minStallS &&
    toS - fromS <= longestS + DRAINED_S &&
    slow >= EPISODES.minStalled * waiting &&
    isSpread;
  return isStall ? longestS : null;
}

/**
 * @returns groups of phases that differ only in their load; phases with a higher load than the group's
 *   first phase are left out
 */
function steadyLoads({ plan, phases }: Known): Phase[][] {
  const groups = new Map<string, Phase[]>();
  for (const phase of phases) {
    if (!phase.measured || phase.overload || phase.start === null || phase.end === null) continue;
    const key = steadyKey(phase, plan);
    const group = groups.get(key);
    if (!group) groups.set(key, [phase]);
    else if (loadOf(phase) <= loadOf(group[0] ?? phase)) group.push(phase);
  }
  return [...groups.values()];
}

/**
 * @returns the normal range of most parts of the first phase, so that an episode within it does not count
 *   as normal
 */
function usualRange(
  first: Phase | undefined,
  buckets: readonly Bucket[],
  { plan }: Known,
): NormalRange | null {
  if (!first?.latency_ms) return null;
  const parts = partsOf(buckets.filter(({ phase }) => phase === first.name));
  if (parts.length < EPISODES.minParts) return normalRangeOf(first, plan.objectives);
  const p99 = medianOf(parts.map(({ durations }) => durations.percentile(0.99) ?? 0));
  const failure_rate = medianOf(parts.map(({ attempts, failed }) => failed / attempts));
  const usual = { ...first, latency_ms: { ...first.latency_ms, p99 }, failure_rate };
  const range = normalRangeOf(usual, plan.objectives);
  return range && { ...range, baseline: `most of ${first.name}` };
}

function partsOf(buckets: readonly Bucket[]) {
  const parts: { attempts: number; failed: number; durations: SparseHistogram }[] = [];
  let part = { attempts: 0, failed: 0, durations: new SparseHistogram() };
  for (const { sums } of buckets) {
    part.attempts += sums.attempts;
    part.failed += sums.failed;
    part.durations.add(sums.latencies.all.text);
    if (part.durations.count < NORMAL.minP99Calls) continue;
    parts.push(part);
    part = { attempts: 0, failed: 0, durations: new SparseHistogram() };
  }
  return parts;
}

/** @returns whether the episode began before the recovery from an overload */
const isAftermath = ({ fromS }: Episode, { recoveries }: Known) =>
  recoveries.some(
    ({ ended_s, recovery_s, observed_s }) =>
      fromS >= ended_s - 1 && fromS <= ended_s + (recovery_s ?? observed_s) + 1,
  );

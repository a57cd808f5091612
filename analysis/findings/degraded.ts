/** Episodes under a steady load: for how long latency or failures left the normal range, though nothing about the load changed. */
import { clock, counted, duration, milliseconds, percent } from '../../contract/units.js';
import { latencyText } from '../collect/latencies.ts';
import { sumsWithin, type Within } from '../collect/seconds.ts';
import { SparseHistogram } from '../collect/sparse-histogram.ts';
import { type Bucket, bucketsOf, type Episode, episodesOf } from '../episode.ts';
import { loadOf, type Phase } from '../judge/phases.ts';
import { type NormalRange, normalRangeOf, P99_NEEDS, rangeOrigin } from '../normal.ts';
import { round } from '../round.ts';
import { medianOf } from '../statistics/interval.ts';
import type { Finding, Known } from './findings.ts';
import { steadyKey } from './steady-stretches.ts';

/** With fewer parts of 100 calls each, the baseline is taken as it is. */
const MIN_PARTS = 5;
/** A phase begins with the connections and sessions of its users. */
const SETTLING_S = 2;
/** A timer of the generator that is so late says that the whole machine stood still, not the server. */
const MAX_LATENESS_MS = 30;

/** @returns one for all episodes of each steady load */
export function degraded(known: Known): Finding[] {
  const { phases, lines, plan } = known;
  if (plan.sequence) return [];
  return steadyLoads(known).flatMap((group) => {
    const buckets = bucketsOf(lines, group).filter(
      ({ sums, phase, fromS }) =>
        fromS >= startOf(phases.find(({ name }) => name === phase)) + SETTLING_S &&
        (sums.timerLateness.percentile(1) ?? 0) <= MAX_LATENESS_MS,
    );
    const range = usualRange(group[0], buckets, known);
    if (!range) return [];
    const episodes = episodesOf(buckets, range).filter((episode) => !isAftermath(episode, known));
    const sums = sumsWithin(lines, episodes);
    const told = episodes.flatMap((episode, index) => {
      const text = whatLeft(episode, sums[index], range);
      return text === '' ? [] : [{ ...episode, text }];
    });
    return told.length > 0 ? [findingOf(told, range, phases)] : [];
  });
}

const startOf = (phase: Phase | undefined) => Date.parse(phase?.start ?? '') / 1000;

/** @returns '': by its figures nothing did, as where load was dropped for too few VUs */
function whatLeft({ latency, failures }: Episode, sums: Within | undefined, range: NormalRange): string {
  const { failed = 0, requests = 0, latencies } = sums ?? {};
  const now = latencies?.latency;
  const share = failed / Math.max(1, requests);
  return [
    latency &&
      (now?.p99 ?? 0) > range.p99_ms &&
      `p99 ${milliseconds(range.baseline_p99_ms)} -> ${latencyText(now, 'p99')}`,
    failures && share > range.failure_share && `${percent(share)} failed`,
  ]
    .filter(Boolean)
    .join(', ');
}

/** @returns phases of one load, or less of it, with the first of them in front */
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

/** @returns of the first phase, as most of its parts are: an episode in it is not what is normal */
function usualRange(
  first: Phase | undefined,
  buckets: readonly Bucket[],
  { plan }: Known,
): NormalRange | null {
  if (!first?.latency_ms) return null;
  const parts = partsOf(buckets.filter(({ phase }) => phase === first.name));
  if (parts.length < MIN_PARTS) return normalRangeOf(first, plan.objectives);
  const p99 = medianOf(parts.map(({ durations }) => durations.percentile(0.99) ?? 0));
  const error_rate = medianOf(parts.map(({ requests, failed }) => failed / requests));
  return normalRangeOf({ ...first, latency_ms: { ...first.latency_ms, p99 }, error_rate }, plan.objectives);
}

function partsOf(buckets: readonly Bucket[]) {
  const parts: { requests: number; failed: number; durations: SparseHistogram }[] = [];
  let part = { requests: 0, failed: 0, durations: new SparseHistogram() };
  for (const { sums } of buckets) {
    part.requests += sums.requests;
    part.failed += sums.failed;
    part.durations.add(sums.latencies.all.text);
    if (part.durations.count < P99_NEEDS) continue;
    parts.push(part);
    part = { requests: 0, failed: 0, durations: new SparseHistogram() };
  }
  return parts;
}

/** @returns it began while an overload's episode went on */
const isAftermath = ({ fromS }: Episode, { recoveries }: Known) =>
  recoveries.some(
    ({ ended_s, recovery_s, observed_s }) =>
      fromS >= ended_s - 1 && fromS <= ended_s + (recovery_s ?? observed_s) + 1,
  );

type Told = Episode & { text: string };

function findingOf(episodes: Told[], range: NormalRange, phases: Phase[]): Finding {
  const lengthOf = ({ fromS, toS }: Episode) => round(toS - fromS, 1);
  const [longest] = episodes.toSorted((a, b) => lengthOf(b) - lengthOf(a)) as [Told];
  const startedS = Math.min(...phases.filter(({ start }) => start !== null).map(startOf));
  const times = episodes.length > 1 ? `${counted(episodes.length, 'time')}, the longest ` : '';
  return {
    kind: 'episode',
    subject: 'degraded',
    phase: longest.phase,
    confidence: 'high',
    statement: `degraded ${times}for ${duration(lengthOf(longest))} in ${longest.phase}: ${longest.text}`,
    figures: {
      episodes: episodes.length,
      longest_s: lengthOf(longest),
      total_s: round(
        episodes.reduce((sum, episode) => sum + lengthOf(episode), 0),
        1,
      ),
    },
    evidence: [
      rangeOrigin(range),
      ...episodes
        .slice(0, MAX_LISTED)
        .map(
          (episode) =>
            `from ${clock(episode.fromS - startedS)} for ${duration(lengthOf(episode))}: ${episode.text}`,
        ),
    ],
    observations: [
      {
        series: longest.latency ? 'client.p99' : 'client.failed',
        unit: longest.latency ? 'milliseconds' : 'ratio',
        from: longest.latency ? range.baseline_p99_ms : range.baseline_failure_share,
        to: null,
        threshold: longest.latency ? range.p99_ms : range.failure_share,
        at: new Date(longest.fromS * 1000).toISOString(),
      },
    ],
  };
}

const MAX_LISTED = 5;

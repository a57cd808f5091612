import { clock, counted, duration } from '../../contract/units.js';
import type { Episode } from '../episode.ts';
import { EPISODES } from '../limits.ts';
import { type NormalRange, rangeOrigin } from '../normal.ts';
import { round } from '../round.ts';
import { medianOf } from '../statistics/interval.ts';
import type { Finding } from './finding.ts';

export interface DegradedEpisode extends Episode {
  /** What left the normal range. */
  text: string;
  /** Seconds without an answer; null if the episode is not a stall. */
  stallS: number | null;
}

const MAX_LISTED = 5;

/** @param episodes at least one @param startedS Unix time of the run's start */
export function degradedFinding(episodes: DegradedEpisode[], range: NormalRange, startedS: number): Finding {
  const [longest] = episodes.toSorted((a, b) => lengthOf(b) - lengthOf(a)) as [DegradedEpisode];
  const stalls = episodes.flatMap(({ stallS }) => stallS ?? []);
  const isStall = stalls.length > episodes.length / 2;
  const many = episodes.length > 1 ? counted(episodes.length, 'time') : '';
  const period = isStall ? periodOf(episodes) : null;
  const what = isStall
    ? ['stalled', many, `for ${duration(round(medianOf(stalls), 1))}`, period && `every ${duration(period)}`]
    : ['degraded', many && `${many}, the longest`, `for ${duration(lengthOf(longest))}`];
  return {
    kind: 'episode',
    subject: isStall ? 'stall' : 'degraded',
    phase: longest.phase,
    confidence: 'high',
    statement: `${what.filter(Boolean).join(' ')} in ${whereOf(episodes)}: ${longest.text}`,
    figures: {
      episodes: episodes.length,
      longest_s: lengthOf(longest),
      total_s: round(
        episodes.reduce((sum, episode) => sum + lengthOf(episode), 0),
        1,
      ),
      stall_s: isStall ? round(medianOf(stalls), 2) : null,
      period_s: period,
    },
    evidence: [
      rangeOrigin(range),
      ...episodes.slice(0, MAX_LISTED).map((episode) => listed(episode, startedS)),
      ...(episodes.length > MAX_LISTED ? [`and ${episodes.length - MAX_LISTED} more`] : []),
      ...(isStall ? ['the generator did not cause the stall: its own timer was on time'] : []),
    ],
    observations: [
      {
        series: longest.latency ? 'client.p99' : 'client.failed',
        unit: longest.latency ? 'milliseconds' : 'ratio',
        from: longest.latency ? range.baseline_p99_ms : range.baseline_failure_rate,
        to: null,
        threshold: longest.latency ? range.p99_ms : range.failure_rate,
        at: new Date(longest.fromS * 1000).toISOString(),
      },
    ],
  };
}

/** @returns the phases in which the episodes began */
function whereOf(episodes: Episode[]): string {
  const [first = '', ...others] = new Set(episodes.map(({ phase }) => phase));
  return others.length > 1
    ? `${first} and ${counted(others.length, 'other phase')}`
    : [first, ...others].join(' and ');
}

const lengthOf = ({ fromS, toS }: Episode) => round(toS - fromS, 1);

const listed = (episode: DegradedEpisode, startedS: number) =>
  `from ${clock(episode.fromS - startedS)} for ${duration(lengthOf(episode))}: ${episode.text}`;

/**
 * @returns seconds between the starts of consecutive episodes; null if they are not periodic. An overload
 *   in between may hide some.
 */
function periodOf(episodes: Episode[]): number | null {
  if (episodes.length < EPISODES.minPeriodic) return null;
  const intervals = episodes.slice(1).map(({ fromS }, index) => fromS - (episodes[index]?.fromS ?? 0));
  const median = medianOf(intervals);
  const isPeriodic = intervals.every((interval) => {
    const times = Math.max(1, Math.round(interval / median));
    return Math.abs(interval - times * median) <= Math.max(1, EPISODES.maxPeriodScatter * median);
  });
  return isPeriodic ? round(median, 1) : null;
}

/** Where a run broke: the phases in which its clients first saw what is not normal, and since when. */
import { counted, duration, milliseconds, percent, perSecond } from '../../contract/units.js';
import type { Capacity } from '../capacity.ts';
import { latencyText } from '../collect/latencies.ts';
import { sumsWithin } from '../collect/seconds.ts';
import { isBlurred, RULE_WINDOW_S } from '../collect/signals.ts';
import type { Timeline } from '../collect/timeline.ts';
import { bucketsIn, episodesOf } from '../episode.ts';
import type { Observation } from '../findings/finding.ts';
import type { Known } from '../findings/known.ts';
import { followsDirectly, type Phase } from '../judge/phases.ts';
import { BOTTLENECK, TRUST } from '../limits.ts';
import { round } from '../round.ts';
import { comparedPhases, type Limit, type Usual } from './compared-phases.ts';
import { phaseWindow, samplesIn, staysFrom, steadyPoints, timeOf, type Window, windowOf } from './windows.ts';

/** How a run breaks. */
type Way = 'latency' | 'failures' | 'throughput';

export interface Breakage {
  way: Way;
  /** The failures left the normal range, by themselves or at about the same time. */
  failing: boolean;
  phase: Phase;
  /** null: there is nothing normal to compare with. */
  baseline: Phase | null;
  /** The baseline's steady points; empty without one. */
  normal: Window;
  /** The phase's points from the onset on. */
  broken: Window;
  /** All of the phase's points. */
  whole: Window;
  /** The point at which it began. */
  onset: number;
  /** Unix time. */
  onsetS: number;
  /** What broke, for the evidence. */
  statement: string;
  observation: Observation;
}

/** How old a scrape is when a rule reads it, and a rule's result when it is read. */
const SCRAPE_AGE_S = 0.5;
/** Phases that an episode is followed through. */
const MAX_PHASES = 3;

export type Judged = Pick<Known, 'plan' | 'phases' | 'thresholds'> &
  Partial<Pick<Known, 'lines' | 'buckets'>>;

/**
 * @returns the first phase that missed an objective with nothing to be compared with, and the first that broke next to its baseline: that
 *   may be the one that missed it, and have broken all the same
 */
export function breakagesOf(judged: Judged, timeline: Timeline): Breakage[] {
  const breakages: Breakage[] = [];
  for (const { phase, usual } of comparedPhases(judged, timeline)) {
    const lasting = firstOf(phase, timeline, usual);
    // What lasted to the end of a phase says the most, if the phase is long enough to be told from what was around it.
    const found =
      lasting && !isBlurred(phase.duration_s)
        ? lasting
        : (ofEpisode(phase, timeline, usual, judged) ?? lasting);
    if (!found || (!found.baseline && breakages.length > 0)) continue;
    breakages.push(found);
    if (found.baseline) break;
  }
  return breakages;
}

/** @returns the way in which it broke the earliest */
function firstOf(
  phase: Phase,
  timeline: Timeline,
  { baseline, normal, p99, failed }: Usual,
): Breakage | null {
  const whole = phaseWindow(phase, timeline);
  const {
    name,
    latency_ms: latency,
    error_rate: errors,
    offered_rps: offered,
    iterations,
    duration_s,
  } = phase;
  const made = iterations === null || duration_s === 0 ? null : iterations / duration_s;
  const least = TRUST.minDelivered * (offered ?? 0);
  const ways: (Pick<Breakage, 'way' | 'statement'> & {
    series: string;
    beyond: (value: number) => boolean;
    limit: Limit;
    happened: boolean;
  })[] = [
    {
      way: 'latency',
      series: 'p99',
      happened: latency !== null && latency.p99 > p99.limit,
      limit: p99,
      beyond: (value) => value > p99.limit,
      statement: `p99 was ${latencyText(latency, 'p99')} in ${name}, at most ${milliseconds(p99.limit)} is normal`,
    },
    {
      way: 'failures',
      series: 'failed',
      happened: errors !== null && errors > failed.limit,
      limit: failed,
      beyond: (value) => value > failed.limit,
      statement: `${percent(errors)} of the requests failed in ${name}, at most ${percent(failed.limit)} is normal`,
    },
    {
      way: 'throughput',
      series: 'iterations',
      happened: offered !== null && made !== null && made < least,
      limit: { limit: least, from: null },
      beyond: (value) => value < least,
      statement: `${name} made ${perSecond(made)} of the ${perSecond(offered)} that were offered (${counted(phase.dropped ?? 0, 'iteration')} dropped)`,
    },
  ];
  const found = ways
    .filter(({ happened }) => happened)
    .flatMap((each) => {
      const series = timeline.client[each.series] ?? null;
      const onset = staysFrom(series, whole, each.beyond);
      if (onset === null || !series) return [];
      // A client's figure looks back, so what it shows began before it; the phase did not.
      const from = steadyPoints(timeline, phase).first;
      const broken = { first: Math.min(Math.max(onset, from), whole.last), last: whole.last };
      const after = samplesIn(series, broken);
      if (after.length === 0) return [];
      const onsetS = timeOf(timeline, onset);
      const breakage: Omit<Breakage, 'failing'> = {
        way: each.way,
        phase,
        baseline,
        normal,
        broken,
        whole,
        onset,
        onsetS,
        statement: each.statement,
        observation: {
          series: `client.${each.series}`,
          unit: series.unit,
          from: each.limit.from,
          to: { latency: latency?.p99, failures: errors, throughput: made }[each.way] ?? null,
          threshold: each.limit.limit,
          at: new Date(onsetS * 1000).toISOString(),
        },
      };
      return [breakage];
    });
  // Of two that show at about the same time the waiting says more than what came of it; but a refusal comes of no waiting.
  if (isRefused(phase)) found.sort((a, b) => Number(b.way === 'failures') - Number(a.way === 'failures'));
  const [first = null] = found.toSorted((a, b) => (apart(a, b) ? a.onsetS - b.onsetS : 0));
  return first && { ...first, failing: found.some((one) => one.way === 'failures' && !apart(one, first)) };
}

/**
 * What did not last to the end of the phase, or lasted for longer than a short one: the longest episode that began in it.
 *
 * @returns null: there is none, or too few moments of the timeline tell of it
 */
function ofEpisode(
  phase: Phase,
  timeline: Timeline,
  { baseline, normal, range, p99, failed }: Usual,
  { phases, lines = [], buckets = [] }: Judged,
): Breakage | null {
  if (!range) return null;
  const [startS, endS] = [Date.parse(phase.start ?? '') / 1000, Date.parse(phase.end ?? '') / 1000];
  const [episode] = episodesOf(bucketsIn(buckets, followedFrom(phase, phases)), range)
    .filter(({ fromS }) => fromS >= startS && fromS < endS)
    .toSorted((a, b) => b.toS - b.fromS - (a.toS - a.fromS));
  if (!episode) return null;
  const { fromS, toS, latency, failures } = episode;
  const broken = pointsOf(fromS, toS, timeline);
  if (!broken) return null;
  const [sums] = sumsWithin(lines, [{ fromS, toS }]);
  const share = sums && sums.requests > 0 ? sums.failed / sums.requests : 0;
  const failsFirst = failures && (!latency || failures.fromS < latency.fromS - RULE_WINDOW_S);
  const way = failsFirst || (failures && isRefused(phase)) ? 'failures' : 'latency';
  const where = `in ${phase.name} for ${duration(round(toS - fromS, 1))}`;
  const limit = way === 'latency' ? p99 : failed;
  return {
    way,
    failing: failures !== undefined,
    phase,
    baseline,
    normal,
    broken,
    whole: joined(phaseWindow(phase, timeline), broken),
    onset: Math.ceil((fromS - timeline.start_s) / timeline.step_s),
    onsetS: fromS,
    statement:
      way === 'latency'
        ? `p99 was ${latencyText(sums?.latencies.latency, 'p99')} ${where}, at most ${milliseconds(limit.limit)} is normal`
        : `${percent(share)} of the requests failed ${where}, at most ${percent(limit.limit)} is normal`,
    observation: {
      series: way === 'latency' ? 'client.p99' : 'client.failed',
      unit: way === 'latency' ? 'milliseconds' : 'ratio',
      from: limit.from,
      to: way === 'latency' ? (sums?.latencies.latency?.p99 ?? null) : share,
      threshold: limit.limit,
      at: new Date(fromS * 1000).toISOString(),
    },
  };
}

/** @returns the same with the points of the seconds in which calls waited: what limits a run is full then; null: too few points */
export function whileWaiting(found: Breakage, { waited }: Capacity, timeline: Timeline): Breakage | null {
  const broken = pointsOf(waited.fromS, waited.toS, timeline);
  return broken && { ...found, broken, whole: joined(found.whole, broken) };
}

const joined = (a: Window, b: Window): Window => ({ ...a, last: Math.max(a.last, b.last) });

/**
 * A point of a signal looks back over RULE_WINDOW_S from the scrape before it. Of a short episode the two points are taken that hold most of it.
 *
 * @returns null: too short for two
 */
function pointsOf(fromS: number, toS: number, timeline: Timeline): Window | null {
  if (!isBlurred(toS - fromS))
    return windowOf(timeline, fromS + RULE_WINDOW_S + SCRAPE_AGE_S, toS + SCRAPE_AGE_S);
  if (toS - fromS < BOTTLENECK.minPoints * timeline.step_s) return null;
  const middleS = (fromS + toS + RULE_WINDOW_S) / 2 + SCRAPE_AGE_S;
  const first = Math.floor((middleS - timeline.start_s) / timeline.step_s);
  return { first, last: Math.min(first + BOTTLENECK.minPoints - 1, timeline.count - 1) };
}

/** @returns the phase, and those that follow without a pause */
function followedFrom(phase: Phase, phases: Phase[]): Phase[] {
  const index = phases.indexOf(phase);
  const followed = phases.slice(index, index + MAX_PHASES);
  const end = followed.findIndex((one, i) => i > 0 && !followsDirectly(followed[i - 1] ?? phase, one));
  return end < 0 ? followed : followed.slice(0, end);
}

const isRefused = ({ failures, failed }: Phase) =>
  (failures?.rate_limited ?? 0) > BOTTLENECK.refused * (failed ?? 0);

const apart = (a: Pick<Breakage, 'onsetS'>, b: Pick<Breakage, 'onsetS'>) =>
  Math.abs(a.onsetS - b.onsetS) > RULE_WINDOW_S;

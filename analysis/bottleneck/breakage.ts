/**
 * Finds the phases in which a run broke, and when: its clients saw latency, failures or throughput outside
 * the normal range.
 */
import { counted, duration, milliseconds, percent, perSecond } from '../../contract/units.js';
import type { Capacity } from '../capacity.ts';
import { latencyText } from '../collect/latencies.ts';
import { sumsWithin } from '../collect/seconds.ts';
import { isBlurred, RULE_WINDOW_S } from '../collect/signals.ts';
import type { Timeline } from '../collect/timeline.ts';
import { bucketsIn, episodesOf } from '../episode.ts';
import type { Observation } from '../findings/finding.ts';
import type { Known } from '../findings/known.ts';
import { dueOf, followsDirectly, type Phase } from '../judge/phases.ts';
import { shortfallCause } from '../judge/shortfall.ts';
import { BOTTLENECK, TRUST } from '../limits.ts';
import { round } from '../round.ts';
import { comparedPhases, type Limit, type Usual } from './compared-phases.ts';
import { phaseWindow, samplesIn, staysFrom, steadyPoints, timeOf, type Window, windowOf } from './windows.ts';

/** The client-side measure that left the normal range. */
type Way = 'latency' | 'failures' | 'throughput';

export interface Breakage {
  way: Way;
  /** Whether failures left the normal range too, at about the same time. */
  failing: boolean;
  phase: Phase;
  /** null if there is no phase to compare with. */
  baseline: Phase | null;
  /** The baseline's steady points; empty without a baseline. */
  normal: Window;
  /** The phase's points from the onset on. */
  broken: Window;
  whole: Window;
  /** Index of the point at which it began. */
  onset: number;
  /** Unix time of the onset. */
  onsetS: number;
  /** Describes what broke, as evidence. */
  statement: string;
  observation: Observation;
}

/** Mean age of a scrape when a rule reads it, and of a rule's result when it is queried. */
const SCRAPE_AGE_S = 0.5;
/** Number of phases through which an episode is followed. */
const MAX_PHASES = 3;

export type Judged = Pick<Known, 'plan' | 'phases' | 'thresholds'> &
  Partial<Pick<Known, 'lines' | 'buckets'>>;

/**
 * @returns the first phase that missed an objective without a baseline, and the first that left its
 *   baseline's normal range; if both exist, the former may have missed its objective for another reason
 */
export function breakagesOf(judged: Judged, timeline: Timeline): Breakage[] {
  const breakages: Breakage[] = [];
  for (const { phase, usual } of comparedPhases(judged, timeline)) {
    const lacksVus = isShortOfVus(phase, judged);
    const lasting = firstOf(phase, timeline, usual, lacksVus);
    // A breakage that lasted to the end of the phase is the strongest evidence, if the phase is long enough
    // to be distinguished from its neighbours.
    const found =
      lacksVus || (lasting && !isBlurred(phase.duration_s))
        ? lasting
        : (ofEpisode(phase, timeline, usual, judged) ?? lasting);
    if (!found || (!found.baseline && breakages.length > 0)) continue;
    breakages.push(found);
    if (found.baseline) break;
  }
  return breakages;
}

/** @returns whether load is missing because of too few VUs: a limit of the generator, not of the server */
const isShortOfVus = (phase: Phase, { plan, phases }: Judged): boolean =>
  phase.offered_rps !== null &&
  (phase.iterations ?? 0) < TRUST.minDelivered * dueOf(phase, plan) &&
  shortfallCause(phase, { plan, phases, vusMax: 0 }).of === 'users';

/** @param lacksVus missing load does not count @returns the breakage that began first */
function firstOf(
  phase: Phase,
  timeline: Timeline,
  { baseline, normal, p99, failed }: Usual,
  lacksVus: boolean,
): Breakage | null {
  const whole = phaseWindow(phase, timeline);
  const {
    name,
    latency_ms: latency,
    failure_rate: errors,
    offered_rps: offered,
    iterations,
    duration_s,
  } = phase;
  const made = iterations === null || duration_s === 0 ? null : iterations / duration_s;
  const minRate = TRUST.minDelivered * (offered ?? 0);
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
      statement: `p99 was ${latencyText(latency, 'p99')} in ${name}; normal: at most ${milliseconds(p99.limit)}`,
    },
    {
      way: 'failures',
      series: 'failed',
      happened: errors !== null && errors > failed.limit,
      limit: failed,
      beyond: (value) => value > failed.limit,
      statement: `${percent(errors)} of the calls failed in ${name}; normal: at most ${percent(failed.limit)}`,
    },
    {
      way: 'throughput',
      series: 'iterations',
      happened: offered !== null && made !== null && made < minRate && !lacksVus,
      limit: { limit: minRate, from: null },
      beyond: (value) => value < minRate,
      statement: `${name} delivered ${perSecond(made)} of the offered ${perSecond(offered)} (${counted(phase.dropped ?? 0, 'iteration')} dropped)`,
    },
  ];
  const found = ways
    .filter(({ happened }) => happened)
    .flatMap((each) => {
      const series = timeline.client[each.series] ?? null;
      const onset = staysFrom(series, whole, each.beyond);
      if (onset === null || !series) return [];
      // A client-side metric looks back over its window, so the breakage began earlier, but not before the
      // phase.
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
  // If latency and failures rise at about the same time, latency is reported, as it usually causes the
  // failures. Refusals (429) are an exception: they do not result from waiting.
  if (isRefused(phase)) found.sort((a, b) => Number(b.way === 'failures') - Number(a.way === 'failures'));
  const [first = null] = found.toSorted((a, b) => (areApart(a, b) ? a.onsetS - b.onsetS : 0));
  return first && { ...first, failing: found.some((one) => one.way === 'failures' && !areApart(one, first)) };
}

/**
 * Finds the longest episode that began in the phase. It may have ended before the phase, or lasted longer than
 * a short phase.
 *
 * @returns null if there is no such episode, or if it covers too few points of the timeline
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
  const share = sums?.failureRate ?? 0;
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
        ? `p99 was ${latencyText(sums?.latencies.latency, 'p99')} ${where}; normal: at most ${milliseconds(limit.limit)}`
        : `${percent(share)} of the calls failed ${where}; normal: at most ${percent(limit.limit)}`,
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

/**
 * @returns the breakage, limited to the points at which calls waited: only then is the limiting resource
 *   full; null if there are too few points
 */
export function whileWaiting(found: Breakage, { waited }: Capacity, timeline: Timeline): Breakage | null {
  const broken = pointsOf(waited.fromS, waited.toS, timeline);
  return broken && { ...found, broken, whole: joined(found.whole, broken) };
}

const joined = (a: Window, b: Window): Window => ({ ...a, last: Math.max(a.last, b.last) });

/**
 * Selects the points of an episode. A point of a signal looks back over RULE_WINDOW_S from the last scrape
 * before it. For a short episode, selects the two points whose look-back covers most of it.
 *
 * @returns null if the episode is too short for two points
 */
function pointsOf(fromS: number, toS: number, timeline: Timeline): Window | null {
  if (!isBlurred(toS - fromS))
    return windowOf(timeline, fromS + RULE_WINDOW_S + SCRAPE_AGE_S, toS + SCRAPE_AGE_S);
  if (toS - fromS < BOTTLENECK.minPoints * timeline.step_s) return null;
  const middleS = (fromS + toS + RULE_WINDOW_S) / 2 + SCRAPE_AGE_S;
  const first = Math.floor((middleS - timeline.start_s) / timeline.step_s);
  return { first, last: Math.min(first + BOTTLENECK.minPoints - 1, timeline.count - 1) };
}

/** @returns the phase and the phases that follow it without a pause */
function followedFrom(phase: Phase, phases: Phase[]): Phase[] {
  const index = phases.indexOf(phase);
  const followed = phases.slice(index, index + MAX_PHASES);
  const end = followed.findIndex((one, i) => i > 0 && !followsDirectly(followed[i - 1] ?? phase, one));
  return end < 0 ? followed : followed.slice(0, end);
}

const isRefused = ({ failures, failed }: Phase) =>
  (failures?.rate_limited ?? 0) > BOTTLENECK.refused * (failed ?? 0);

const areApart = (a: Pick<Breakage, 'onsetS'>, b: Pick<Breakage, 'onsetS'>) =>
  Math.abs(a.onsetS - b.onsetS) > RULE_WINDOW_S;

/** Where a run broke: the phases in which its clients first saw what is not normal, and since when. */
import { counted, milliseconds, percent, perSecond } from '../../contract/units.js';
import { latencyText } from '../collect/latencies.ts';
import type { Plan, PlannedPhase } from '../collect/plan.ts';
import { LAG_S, RULE_WINDOW_S } from '../collect/signals.ts';
import type { Timeline } from '../collect/timeline.ts';
import type { Known, Observation } from '../findings/findings.ts';
import type { Phase } from '../judge/phases.ts';
import type { Threshold } from '../judge/threshold.ts';
import { normalRangeOf, P99_NEEDS } from '../normal.ts';
import { samplesIn, staysFrom, steadyPoints, timeOf, usualIn, type Window, windowOf } from './windows.ts';

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

/** Of what is offered, the share that has to be made. */
const DELIVERED_SHARE = 0.95;
/** Of the failures. */
const REFUSED = 0.5;
const NONE = { first: 0, last: -1 };

/**
 * @returns the first phase that missed an objective with nothing to be compared with, and the first that broke next to its baseline: that
 *   may be the one that missed it, and have broken all the same
 */

export type Judged = Pick<Known, 'plan' | 'phases' | 'thresholds'>;

export function breakagesOf(judged: Judged, timeline: Timeline): Breakage[] {
  const breakages: Breakage[] = [];
  for (const { phase, usual } of comparedPhases(judged, timeline)) {
    const found = firstOf(phase, timeline, usual);
    if (!found || (!found.baseline && breakages.length > 0)) continue;
    breakages.push(found);
    if (found.baseline) break;
  }
  return breakages;
}

/** @param judged of a run in which nothing broke @returns the first one of p99 or of failures */

/** An objective that was missed in a phase that did not break. */
export interface Miss {
  phase: Phase;
  /** What was missed, by how much. */
  reason: string;
  /** Points of the timeline that were beyond what is normal. */
  moments: number;
  /** Of so many. */
  watched: number;
  /** Its threshold is what is normal. */
  observation: Observation;
}

export function missOf(judged: Judged, timeline: Timeline): Miss | null {
  for (const { phase, usual } of comparedPhases(judged, timeline)) {
    for (const [metric, name, { limit, from }] of [
      ['p99_ms', 'p99', usual.p99],
      ['failure_share', 'failed', usual.failed],
    ] as const) {
      const missed = missedIn(phase, metric, judged.thresholds);
      const series = timeline.client[name];
      if (!missed || !series) continue;
      const whole = wholeOf(phase, timeline);
      const watched = samplesIn(series, whole);
      if (watched.length === 0) continue;
      const beyond = watched.filter((value) => value > limit);
      const [first] = beyond;
      return {
        phase,
        reason: missed.reason ?? '',
        moments: beyond.length,
        watched: watched.length,
        observation: {
          series: `client.${name}`,
          unit: series.unit,
          from,
          to: missed.observed,
          threshold: limit,
          at:
            first === undefined
              ? null
              : new Date(timeOf(timeline, series.values.indexOf(first, whole.first)) * 1000).toISOString(),
        },
      };
    }
  }
  return null;
}

export type Limit = { limit: number; from: number | null };

/** What a phase is held against. */
interface Usual {
  /** null: its objectives alone. */
  baseline: Phase | null;
  /** The baseline's steady points; empty without one. */
  normal: Window;
  /** Milliseconds. */
  p99: Limit;
  /** Share. */
  failed: Limit;
}

function comparedPhases(
  { plan, phases, thresholds }: Judged,
  timeline: Timeline,
): { phase: Phase; usual: Usual }[] {
  // One user's calls, one after the other, each of another kind: they have no load that could be too much.
  if (plan.sequence) return [];
  const trials = trialsOf(plan.phases);
  return phases.flatMap((phase, index) => {
    // What is done to the parts of an experiment is known, and is what differs between them.
    if (!phase.measured || phase.start === null || phase.end === null || phase.labels.part !== undefined)
      return [];
    const baseline = phases.find(
      (one, first) =>
        first < index &&
        one.measured &&
        !one.overload &&
        one.start !== null &&
        sameCalls(plan.phases[first], plan.phases[index]) &&
        (trials[first] === trials[index] ||
          (phase.labels.rate !== undefined && one.labels.rate !== undefined)),
    );
    const usual = (baseline && ofBaseline(plan, baseline, timeline)) ?? ofObjectives(phase, thresholds);
    return [{ phase, usual }];
  });
}

/**
 * Trials of an experiment may differ in anything; those whose phases are labelled with their rate differ in that.
 *
 * @param planned those of all trials, each with a clock of its own
 * @returns which trial each is of
 */
function trialsOf(planned: PlannedPhase[]): number[] {
  let trial = 0;
  return planned.map(({ start_s }, index) => {
    if (start_s < (planned[index - 1]?.start_s ?? 0)) trial++;
    return trial;
  });
}

function sameCalls(a: PlannedPhase | undefined, b: PlannedPhase | undefined) {
  return a?.operation === b?.operation && String(a?.weights) === String(b?.weights);
}

/** @returns null: it can't be told what is normal */
function ofBaseline(plan: Plan, baseline: Phase, timeline: Timeline): Usual | null {
  const range = normalRangeOf(baseline, plan.objectives);
  if (!range) return null;
  const normal = steadyPoints(timeline, baseline);
  // The p99 of a few answers is their slowest, and says nothing of what is usual.
  const answers = ((baseline.answered ?? 0) / baseline.duration_s) * timeline.window_s;
  const p99s = answers < P99_NEEDS ? null : (timeline.client.p99 ?? null);
  return {
    baseline,
    normal,
    p99: { limit: Math.max(range.p99_ms, usualIn(p99s, normal) ?? 0), from: range.baseline_p99_ms },
    failed: { limit: range.failure_share, from: range.baseline_failure_share },
  };
}

/** Without anything to compare with, only a missed objective says that something is not as it should be. */
function ofObjectives(phase: Phase, thresholds: Threshold[]): Usual {
  const missed = (metric: string) => ({
    limit: missedIn(phase, metric, thresholds)?.limit ?? Number.POSITIVE_INFINITY,
    from: null,
  });
  return { baseline: null, normal: NONE, p99: missed('p99_ms'), failed: missed('failure_share') };
}

/** @returns the missed objective of the phase as a whole */
function missedIn(phase: Phase, metric: string, thresholds: Threshold[]): Threshold | undefined {
  return thresholds.find(
    (one) =>
      one.metric === metric &&
      one.outcome === 'fail' &&
      !one.relative_to &&
      one.limit !== null &&
      one.scope.phase === phase.name &&
      !one.scope.class &&
      !one.scope.operation,
  );
}

const wholeOf = ({ start, end }: Phase, timeline: Timeline): Window =>
  windowOf(timeline, Date.parse(start ?? '') / 1000, Date.parse(end ?? '') / 1000 + LAG_S);

/** @returns the way in which it broke the earliest */
function firstOf(
  phase: Phase,
  timeline: Timeline,
  { baseline, normal, p99, failed }: Usual,
): Breakage | null {
  const whole = wholeOf(phase, timeline);
  const {
    name,
    latency_ms: latency,
    error_rate: errors,
    offered_rps: offered,
    iterations,
    duration_s,
  } = phase;
  const made = iterations === null || duration_s === 0 ? null : iterations / duration_s;
  const least = DELIVERED_SHARE * (offered ?? 0);
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
  const { failures, failed: count } = phase;
  const refused = (failures?.rate_limited ?? 0) > REFUSED * (count ?? 0);
  if (refused) found.sort((a, b) => Number(b.way === 'failures') - Number(a.way === 'failures'));
  const [first = null] = found.toSorted((a, b) => (apart(a, b) ? a.onsetS - b.onsetS : 0));
  return first && { ...first, failing: found.some((one) => one.way === 'failures' && !apart(one, first)) };
}

const apart = (a: Pick<Breakage, 'onsetS'>, b: Pick<Breakage, 'onsetS'>) =>
  Math.abs(a.onsetS - b.onsetS) > RULE_WINDOW_S;

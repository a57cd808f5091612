/** The phases in which a run may have broken, each with what is normal for it. */
import type { Plan, PlannedPhase } from '../collect/plan.ts';
import type { Timeline } from '../collect/timeline.ts';
import type { Known } from '../findings/known.ts';
import type { Phase } from '../judge/phases.ts';
import type { Threshold } from '../judge/threshold.ts';
import { NORMAL } from '../limits.ts';
import { type NormalRange, normalRangeOf } from '../normal.ts';
import { steadyPoints, usualIn, type Window } from './windows.ts';

const NONE = { first: 0, last: -1 };

export type Limit = { limit: number; from: number | null };

/** What a phase is held against. */
export interface Usual {
  /** null: its objectives alone. */
  baseline: Phase | null;
  /** The baseline's steady points; empty without one. */
  normal: Window;
  /** Milliseconds. */
  p99: Limit;
  /** Share. */
  failed: Limit;
  /** null: there is no baseline. */
  range: NormalRange | null;
}

export function comparedPhases(
  { plan, phases, thresholds }: Pick<Known, 'plan' | 'phases' | 'thresholds'>,
  timeline: Timeline,
): { phase: Phase; usual: Usual }[] {
  return withBaselines(plan, phases).map(({ phase, baseline }) => ({
    phase,
    usual: (baseline && ofBaseline(plan, baseline, timeline)) ?? ofObjectives(phase, thresholds),
  }));
}

/** @returns the phases that may be compared, each with an earlier one of the same calls and less load */
export function withBaselines(plan: Plan, phases: Phase[]): { phase: Phase; baseline: Phase | null }[] {
  // One user's calls, one after the other, each of another kind: they have no load that could be too much.
  if (plan.sequence) return [];
  const trials = trialsOf(plan.phases);
  return phases.flatMap((phase, index) => {
    // What is done between the trials of a test is known, and is what differs between them.
    if (!phase.measured || phase.start === null || phase.end === null || phase.labels.part !== undefined)
      return [];
    const baseline = phases.find(
      (one, first) =>
        first < index &&
        one.measured &&
        !one.overload &&
        one.start !== null &&
        sameCalls(plan.phases[first], plan.phases[index]) &&
        kindOf(one) === kindOf(phase) &&
        (trials[first] === trials[index] ||
          (phase.labels.rate !== undefined && one.labels.rate !== undefined)),
    );
    return [{ phase, baseline: baseline ?? null }];
  });
}

/**
 * Trials of a test may differ in anything; those whose phases are labelled with their rate differ in that.
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

/** Labels by which phases differ in their load alone. */
const OF_LOAD = ['rate', 'users', 'load'];

/** @returns what tells its calls from others of the same operation */
const kindOf = ({ labels }: Phase) =>
  JSON.stringify(Object.entries(labels).filter(([label]) => !OF_LOAD.includes(label)));

/** @returns null: it can't be told what is normal */
function ofBaseline(plan: Plan, baseline: Phase, timeline: Timeline): Usual | null {
  const range = normalRangeOf(baseline, plan.objectives);
  if (!range) return null;
  const normal = steadyPoints(timeline, baseline);
  // The p99 of a few answers is their slowest, and says nothing of what is usual.
  const answers = ((baseline.answered ?? 0) / baseline.duration_s) * timeline.window_s;
  const p99s = answers < NORMAL.minP99Calls ? null : (timeline.client.p99 ?? null);
  return {
    baseline,
    range,
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
  return {
    baseline: null,
    range: null,
    normal: NONE,
    p99: missed('p99_ms'),
    failed: missed('failure_share'),
  };
}

/** @returns the missed objective of the phase as a whole */
export function missedIn(phase: Phase, metric: string, thresholds: Threshold[]): Threshold | undefined {
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

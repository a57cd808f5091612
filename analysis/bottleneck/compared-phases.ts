/** Selects the phases in which a run may have broken, each with its normal range. */
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

/** What a phase is compared with. */
export interface Usual {
  /** null if only the phase's objectives are known. */
  baseline: Phase | null;
  /** The baseline's steady points; empty without a baseline. */
  normal: Window;
  /** In milliseconds. */
  p99: Limit;
  /** Failure rate, 0 to 1. */
  failed: Limit;
  /** null without a baseline. */
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

/** @returns the comparable phases, each with an earlier phase that makes the same calls at a lower load */
export function withBaselines(plan: Plan, phases: Phase[]): { phase: Phase; baseline: Phase | null }[] {
  // In a sequence, a single VU makes one call after the other, each of a different kind. It cannot overload a
  // server.
  if (plan.sequence) return [];
  const trials = trialsOf(plan.phases);
  return phases.flatMap((phase, index) => {
    // The difference between the parts of such a test (`labels.part`) is set by the test itself, so it needs
    // no attribution.
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
 * Numbers the trials. Trials whose phases have a `rate` label differ only in the rate; other trials may
 * differ in any setting.
 *
 * @param planned phases of all trials, each trial with its own clock
 * @returns the index of each phase's trial
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

/** Labels of phases that differ only in their load. */
const OF_LOAD = ['rate', 'users', 'load'];

/** @returns a key that distinguishes the phase's calls from other calls of the same operation */
const kindOf = ({ labels }: Phase) =>
  JSON.stringify(Object.entries(labels).filter(([label]) => !OF_LOAD.includes(label)));

/** @returns null if the baseline does not show what is normal */
function ofBaseline(plan: Plan, baseline: Phase, timeline: Timeline): Usual | null {
  const range = normalRangeOf(baseline, plan.objectives);
  if (!range) return null;
  const normal = steadyPoints(timeline, baseline);
  // The p99 of a few answers is their slowest answer, which does not show what is normal.
  const answers = ((baseline.answered ?? 0) / baseline.duration_s) * timeline.window_s;
  const p99s = answers < NORMAL.minP99Calls ? null : (timeline.client.p99 ?? null);
  return {
    baseline,
    range,
    normal,
    p99: { limit: Math.max(range.p99_ms, usualIn(p99s, normal) ?? 0), from: range.baseline_p99_ms },
    failed: { limit: range.failure_rate, from: range.baseline_failure_rate },
  };
}

/** Without a baseline, only a missed objective shows that a phase is outside the normal range. */
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
    failed: missed('failure_rate'),
  };
}

/** @returns the missed objective that applies to the phase as a whole */
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

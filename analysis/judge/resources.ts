/** Utilization of each resource at the highest rate, and the rates at which it would be full. */

import { titleOf } from '../../contract/signals.js';
import type { Facts } from '../bottleneck/bottleneck.ts';
import { breakagesOf } from '../bottleneck/breakage.ts';
import { comparedPhases } from '../bottleneck/compared-phases.ts';
import { Reader } from '../bottleneck/derived.ts';
import { nearestOf } from '../bottleneck/nearest.ts';
import { steadyPoints } from '../bottleneck/windows.ts';
import type { Finding } from '../findings/finding.ts';
import { round } from '../round.ts';

export interface Resources {
  phase: string;
  /** Successful answers per second at capacity; null if calls did not wait. */
  answers_per_s: number | null;
  /** By descending utilization. */
  rows: {
    series: string;
    title: string;
    /** 0 to 1, in the phase. */
    utilization: number;
    /** 0 to 1; null without a baseline or without samples in it. */
    baseline_utilization: number | null;
    /**
     * Answers per second, based on the capacity; null if unknown, or if the load does not raise the
     * resource's utilization.
     */
    full_at_per_s: number | null;
    /**
     * Answers per second, based on the baseline; null if the baseline hardly uses the resource, or if the
     * load does not raise its utilization.
     */
    predicted_per_s: number | null;
  }[];
}

const MAX_ROWS = 6;

/**
 * @param found findings of the run
 * @returns the resources in the phase of the capacity, or of the bottleneck; null if there is neither, or
 *   if no resource was in use
 */
export function resourcesOf(
  facts: Facts,
  found: readonly Pick<Finding, 'kind' | 'phase'>[],
): Resources | null {
  const { timeline, capacities = [] } = facts;
  const inPhase = (wanted: Finding['kind']) =>
    found.find(({ kind, phase }) => kind === wanted && phase)?.phase;
  const name = inPhase('capacity') ?? inPhase('bottleneck');
  const compared = timeline && comparedPhases(facts, timeline).find(({ phase }) => phase.name === name);
  if (!compared) return null;
  const { phase, usual } = compared;
  const breakage = breakagesOf(facts, timeline).find((one) => one.phase === phase) ?? {
    ...usual,
    broken: steadyPoints(timeline, phase),
  };
  const capacity = capacities.find((one) => one.phase === name) ?? null;
  const rows = nearestOf({ reader: new Reader(timeline), breakage, capacity }, MAX_ROWS);
  if (rows.length === 0) return null;
  const rounded = (value: number | null, digits: number) => value && round(value, digits);
  return {
    phase: phase.name,
    answers_per_s: capacity?.answers_per_s.value ?? null,
    rows: rows.map(({ series, utilization, baselineUtilization, fullAtPerS, predictedPerS }) => ({
      series,
      title: titleOf(series, 'ratio'),
      utilization: round(utilization, 4),
      baseline_utilization: rounded(baselineUtilization, 4),
      full_at_per_s: rounded(fullAtPerS, 3),
      predicted_per_s: rounded(predictedPerS, 3),
    })),
  };
}

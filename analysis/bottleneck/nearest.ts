/**
 * Ranks resources by how close they are to their limit, by the utilization law. A resource with utilization U
 * at X answers per second has the service demand D = U / X, and is full at 1 / D = X / U answers per second.
 *
 * P. J. Denning, J. P. Buzen, The Operational Analysis of Queueing Network Models, ACM Computing Surveys 10,
 * 1978.
 */

import { MAX_OF_ONE_CORE, MIN_UTILIZATION, SATURATING } from '../../contract/signals.js';
import { percent, perSecond } from '../../contract/units.js';
import type { Phase } from '../judge/phases.ts';
import { BOTTLENECK } from '../limits.ts';
import type { Case } from './bottleneck.ts';
import type { Breakage } from './breakage.ts';
import { fullestIn, samplesIn } from './windows.ts';

export interface Near {
  series: string;
  /** 0 to 1. */
  utilization: number;
  /** Mean, 0 to 1; null without a baseline or without samples in it. */
  baselineUtilization: number | null;
  /**
   * Answers per second at which the resource would be full, based on the capacity; null if the capacity is
   * unknown, or if the load does not raise the resource's utilization.
   */
  fullAtPerS: number | null;
  /**
   * The same, based on the baseline with its low load; null if the baseline hardly uses the resource, or if
   * the load does not raise its utilization.
   */
  predictedPerS: number | null;
}

const LISTED = 3;

/** The generator's share is measured by the output lab (k6), not by a recording rule. */
const LIMITED = [...SATURATING, 'generator_allowed'];

/** @param count maximum number of rows @returns the resources by descending utilization */
export function nearestOf(
  {
    reader,
    breakage: { broken, normal, baseline },
    capacity,
  }: Pick<Case, 'reader' | 'capacity'> & { breakage: Pick<Breakage, 'broken' | 'normal' | 'baseline'> },
  count = LISTED,
): Near[] {
  const rate = capacity?.answers_per_s.value;
  return LIMITED.flatMap((name) => {
    const series = reader.series(name);
    const level = fullestIn(series, broken);
    // A process with several threads is not limited to one core.
    if (level === null || level < MIN_UTILIZATION || level >= MAX_OF_ONE_CORE) return [];
    const before = meanOf(samplesIn(series, normal));
    const isFilled = level >= BOTTLENECK.minGrowth * (before ?? 0);
    return [
      {
        series: name,
        utilization: level,
        baselineUtilization: before,
        fullAtPerS: rate && isFilled ? rate / level : null,
        predictedPerS: isFilled ? predictedFrom(baseline, before) : null,
      },
    ];
  })
    .toSorted((a, b) => b.utilization - a.utilization)
    .slice(0, count);
}

const meanOf = (samples: readonly number[]): number | null =>
  samples.length === 0 ? null : samples.reduce((sum, value) => sum + value, 0) / samples.length;

/** @returns answers per second; null if unknown */
function predictedFrom(baseline: Phase | null, utilization: number | null): number | null {
  if (!baseline?.answered || utilization === null || utilization < BOTTLENECK.minBaselineUtilization)
    return null;
  return baseline.answered / baseline.duration_s / utilization;
}

/** @returns the resource as part of a sentence */
export function nearText({ series, utilization, fullAtPerS }: Near): string {
  const until = fullAtPerS === null ? '' : `, full at ${perSecond(fullAtPerS)}`;
  return `${series.replaceAll('_', ' ')} ${percent(utilization)}${until}`;
}

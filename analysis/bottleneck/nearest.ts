/**
 * What is nearest to its limit, by the utilization law. A resource that is busy for the share U of the time while X calls a second are
 * answered has the demand D = U / X, and would be full at 1 / D = X / U.
 *
 * P. J. Denning, J. P. Buzen, The Operational Analysis of Queueing Network Models, ACM Computing Surveys 10, 1978.
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
  /** Mean, 0 to 1; null: there is no baseline, or no samples in it. */
  baselineUtilization: number | null;
  /** Answers a second at which it would be full, by the capacity; null: that is not known, or the load does not fill the resource. */
  fullAtPerS: number | null;
  /** The same by the baseline, whose load is light; null: hardly used there, or the load does not fill it. */
  predictedPerS: number | null;
}

const LISTED = 3;

/** Of the generator the output lab says it, and no rule. */
const LIMITED = [...SATURATING, 'generator_allowed'];

/** @param count rows at most @returns the fullest first */
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
    // A process of several threads has no limit at one core.
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

/** @returns answers a second; null: not known */
function predictedFrom(baseline: Phase | null, utilization: number | null): number | null {
  if (!baseline?.answered || utilization === null || utilization < BOTTLENECK.minBaselineUtilization)
    return null;
  return baseline.answered / baseline.duration_s / utilization;
}

/** @returns for a sentence */
export function nearText({ series, utilization, fullAtPerS }: Near): string {
  const until = fullAtPerS === null ? '' : `, enough for ${perSecond(fullAtPerS)}`;
  return `${series.replaceAll('_', ' ')} ${percent(utilization)}${until}`;
}

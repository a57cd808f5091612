/** Suggests latency limits for a server without objectives, based on a run's measurements. */

import { partOf } from '../../contract/tests.js';
import { loadOf } from './phases.ts';
import type { Run } from './run.ts';

/** Margin for the variance between runs. */
export const MARGIN = 1.5;
/**
 * Minimum number of samples per percentile. Uses the highest percentile that has enough answers above it for
 * its scatter to be smaller than the margin.
 */
const PERCENTILES = [
  { percentile: 'p99', samples: 500 },
  { percentile: 'p95', samples: 100 },
  { percentile: 'p50', samples: 20 },
] as const;

/**
 * @returns thresholds: a value for THRESHOLDS; samples: the smallest number of samples of a limit. null if
 *   the run did not pass, already has latency limits, has too few answers, or no scope fits
 */
export function suggestedLimits({
  test,
  documents,
  thresholds,
  verdict,
  phases,
}: Pick<Run, 'test' | 'documents' | 'thresholds' | 'verdict' | 'phases'>): {
  thresholds: string;
  margin: number;
  samples: number;
} | null {
  const hasLimits = thresholds.some(
    ({ metric, relative_to }) => metric.endsWith('_ms') && relative_to === null,
  );
  if (documents !== false || hasLimits || verdict.outcome !== 'pass') return null;
  const judged = phases.filter(({ measured, overload, latency_ms }) => measured && !overload && latency_ms);
  const samples = Math.min(...judged.map(({ answered }) => answered ?? 0));
  const found = PERCENTILES.find((one) => samples >= one.samples);
  if (judged.length === 0 || !found) return null;
  const { percentile } = found;
  const limits = judged.map(({ name, latency_ms }) => ({
    name,
    limit: roundUp(MARGIN * (latency_ms?.[percentile] ?? 0)),
  }));
  // Phases with the same load share a limit.
  const isShared = new Set(judged.map(loadOf)).size === 1;
  // The names of a trial's phases are not those that THRESHOLDS accepts.
  if (!isShared && partOf(test ?? '', 'trials')) return null;
  const scopes = isShared ? [{ name: 'each', limit: Math.max(...limits.map(({ limit }) => limit)) }] : limits;
  return {
    thresholds: scopes.map(({ name, limit }) => `${name}.${percentile}_ms=${limit}`).join(','),
    margin: MARGIN,
    samples,
  };
}

/** @returns the value rounded up to two digits */
function roundUp(value: number): number {
  const step = 10 ** (Math.floor(Math.log10(value)) - 1);
  return Number((Math.ceil(value / step) * step).toPrecision(2));
}

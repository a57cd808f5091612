/** Latency limits that a user may take over, from what a run measured on a server that nobody has set any for. */

import { loadOf } from './phases.ts';
import type { Run } from './run.ts';

/** Room for scatter between runs. */
export const MARGIN = 1.5;
/** The highest percentile whose tail holds some answers is taken: the margin is wider than what they scatter. */
const PERCENTILES = [
  { percentile: 'p99', samples: 500 },
  { percentile: 'p95', samples: 100 },
  { percentile: 'p50', samples: 20 },
] as const;

/**
 * @returns thresholds: a value for THRESHOLDS; samples: the fewest that one of its limits rests on. null: the run did not pass, has limits
 *   for latency already, or too few answers
 */
export function suggestedLimits({
  documents,
  thresholds,
  verdict,
  phases,
}: Pick<Run, 'documents' | 'thresholds' | 'verdict' | 'phases'>): {
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
  const loads = new Set(judged.map(loadOf));
  const scopes =
    loads.size === 1 && judged.length > 1
      ? [{ name: 'each', limit: Math.max(...limits.map(({ limit }) => limit)) }]
      : limits;
  return {
    thresholds: scopes.map(({ name, limit }) => `${name}.${percentile}_ms=${limit}`).join(','),
    margin: MARGIN,
    samples,
  };
}

/** @returns with two digits, never below the value */
function roundUp(value: number): number {
  const step = 10 ** (Math.floor(Math.log10(value)) - 1);
  return Number((Math.ceil(value / step) * step).toPrecision(2));
}

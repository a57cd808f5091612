/** The normal range of a test: the p99 and failure rate of its baseline, plus a margin. */
import { milliseconds, percent } from '../contract/units.js';
import type { Objective } from './collect/plan.ts';
import type { Phase } from './judge/phases.ts';
import { NORMAL } from './limits.ts';
import { round } from './round.ts';

export interface NormalRange {
  /** Name of the phase that shows what is normal. */
  baseline: string;
  baseline_p99_ms: number;
  baseline_failure_rate: number;
  /** Values at or below this are normal. */
  p99_ms: number;
  /**
   * Multiple of the baseline's p99 that an objective allows later phases; absent without such an objective.
   */
  p99_factor?: number;
  /** Values at or below this are normal. */
  failure_rate: number;
}

/** @returns null if the phase has too few answers, or too many failures, to show what is normal */
export function normalRangeOf(
  { name, latency_ms: latency, answered, failure_rate: failed }: Phase,
  objectives: Objective[],
): NormalRange | null {
  if (!latency || failed === null || (answered ?? 0) < NORMAL.minP99Calls) return null;
  const limits = (metric: string) =>
    objectives
      .filter((one) => one.scope.phase === name && one.metric === metric && !one.relative_to)
      .map(({ limit }) => limit);
  const allowed = Math.max(0, ...limits('failure_rate'));
  // An objective of a later phase relative to this one, such as `recovered p99 <= 1.5 x baseline`, extends
  // the normal range.
  const factors = objectives
    .filter((one) => one.relative_to?.phase === name && one.metric.endsWith('_ms'))
    .map(({ limit }) => limit);
  if (failed > Math.max(allowed, NORMAL.maxBaselineFailures)) return null;
  return {
    baseline: name,
    baseline_p99_ms: latency.p99,
    baseline_failure_rate: failed,
    p99_ms: round(Math.max(...limits('p99_ms'), Math.max(NORMAL.p99Factor, ...factors) * latency.p99)),
    ...(factors.length > 0 && { p99_factor: Math.max(NORMAL.p99Factor, ...factors) }),
    failure_rate: round(Math.max(allowed, failed + NORMAL.failureMargin), 6),
  };
}

/** @returns the range as part of a sentence */
export function rangeText({ p99_ms, failure_rate }: NormalRange): string {
  return `p99 <= ${milliseconds(p99_ms)}, failures <= ${percent(failure_rate)}`;
}

/** @returns how the range was derived, as evidence */
export function rangeOrigin({
  baseline,
  baseline_p99_ms: p99,
  baseline_failure_rate: failed,
  ...range
}: NormalRange): string {
  const factor = range.p99_factor ?? NORMAL.p99Factor;
  const latency = `${factor} x its p99 of ${milliseconds(p99)}${range.p99_factor ? ', the factor of a later phase' : ''}`;
  const failures = `its ${percent(failed)} plus ${percent(NORMAL.failureMargin)}`;
  const allowed = (is: boolean, margin: string) => (is ? `its objective, more than ${margin}` : margin);
  return (
    `normal range, based on ${baseline}: p99 <= ${milliseconds(range.p99_ms)} (${allowed(range.p99_ms > round(factor * p99), latency)}); ` +
    `failures <= ${percent(range.failure_rate)} (${allowed(range.failure_rate > round(failed + NORMAL.failureMargin, 6), failures)})`
  );
}

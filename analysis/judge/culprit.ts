/**
 * Finds the operation that explains a missed threshold: either the threshold would have held without this
 * operation, or the operation has most of the failures.
 */

import { type Group, inScope, latenciesOf, total } from '../collect/groups.ts';
import { isLowerBound, type LatencyFigure } from '../collect/latencies.ts';
import type { Plan } from '../collect/plan.ts';
import { OBJECTIVES } from '../limits.ts';
import { round } from '../round.ts';
import type { Operation } from './operations.ts';
import { OPERATORS } from './operators.ts';
import type { Threshold } from './threshold.ts';

export interface Culprit {
  operation: string;
  /** Requests of the operation in the threshold's scope. */
  requests: number;
  failed: number;
  /** Share of the scope's requests, 0 to 1. */
  share: number;
  p50_ms: number | null;
  p95_ms: number | null;
  /** The last known percentile is a lower bound, because too few calls were answered. */
  at_least?: true;
}

type Missed = Pick<Threshold, 'scope' | 'metric' | 'op' | 'limit' | 'relative_to' | 'observed'>;

export type Facts = { plan: Pick<Plan, 'operations'>; groups: readonly Group[] };

/** Share of the calls below each percentile. */
const QUANTILE: Record<string, number> = {
  p50_ms: 0.5,
  p75_ms: 0.75,
  p90_ms: 0.9,
  p95_ms: 0.95,
  p99_ms: 0.99,
  p999_ms: 0.999,
};

/** @returns null if no single operation explains the miss, or if the scope is a single operation */
export function culpritOf(
  { scope, metric, op, limit, relative_to }: Missed,
  { plan, groups }: Facts,
): Culprit | null {
  if (scope.operation !== undefined || relative_to !== null || limit === null) return null;
  const inside = inScope(groups, scope);
  const [requests, failed] = [total(inside, 'requests'), total(inside, 'failed')];
  const all = plan.operations.map(({ operation }) => {
    const own = inScope(inside, { operation });
    const its = total(own, 'requests');
    const { latency } = latenciesOf(own);
    return {
      operation,
      requests: its,
      failed: total(own, 'failed'),
      share: requests > 0 ? round(its / requests, 6) : 0,
      p50_ms: latency && round(latency.p50),
      p95_ms: latency && round(latency.p95),
      ...(isLowerBound(latency, 'p95') && { at_least: true as const }),
    };
  });
  if (metric === 'failure_rate') {
    const [worst] = all.toSorted((a, b) => b.failed - a.failed);
    return worst && worst.failed > 0 && worst.failed >= OBJECTIVES.minOwnFailures * failed ? worst : null;
  }
  const quantile = Object.hasOwn(QUANTILE, metric) ? QUANTILE[metric] : undefined;
  if (quantile === undefined) return null;
  const figure = metric.replace(/_ms$/, '') as LatencyFigure;
  const holdsWithout = (operation: string) => {
    const others = latenciesOf(inside.filter((group) => group.operation !== operation)).latency;
    if (others === null || isLowerBound(others, figure)) return false;
    return OPERATORS[op ?? '']?.(others[figure], limit) ?? false;
  };
  const slow = all
    .filter(({ share, p95_ms }) => share >= 1 - quantile && p95_ms !== null && p95_ms > limit)
    .toSorted((a, b) => (b.p95_ms ?? 0) - (a.p95_ms ?? 0));
  return slow.find(({ operation }) => holdsWithout(operation)) ?? null;
}

/**
 * For run documents without figures by phase and operation. An overload slows down all operations, so only
 * the medians over the whole run are compared: only the culprit's median exceeds the limit.
 */
export function culpritOfRun(
  { scope, metric, limit, relative_to, observed }: Missed,
  operations: Operation[],
): Culprit | null {
  const quantile = Object.hasOwn(QUANTILE, metric) ? QUANTILE[metric] : undefined;
  if (quantile === undefined || scope.operation !== undefined || scope.class !== undefined) return null;
  if (relative_to !== null || limit === null || observed === null) return null;
  const all = operations.reduce((sum, { requests }) => sum + requests, 0);
  const weighty = operations.filter(({ requests }) => requests >= (1 - quantile) * all);
  const [slowest, ...others] = weighty.filter(({ latency_ms }) => (latency_ms?.p50 ?? 0) > limit);
  if (!slowest?.latency_ms || others.length > 0) return null;
  const { operation, requests, failed, latency_ms } = slowest;
  // The slower half of the operation's calls must be enough to reach the percentile, and its own p99 must
  // reach the observed value.
  if (requests / 2 < (1 - quantile) * all || latency_ms.p99 < observed) return null;
  return {
    operation,
    requests,
    failed,
    share: round(requests / all, 6),
    p50_ms: latency_ms.p50,
    p95_ms: null,
    ...(isLowerBound(latency_ms, 'p50') && { at_least: true as const }),
  };
}

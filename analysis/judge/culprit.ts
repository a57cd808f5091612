/** Which operation made a threshold miss: one whose absence would have kept it, or most of the failures. */

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
  /** Of it, in the threshold's scope. */
  requests: number;
  failed: number;
  /** Of the scope's requests, 0 to 1. */
  share: number;
  p50_ms: number | null;
  p95_ms: number | null;
  /** The last of these that is known is a lower bound: too few calls were answered to say more. */
  at_least?: true;
}

type Missed = Pick<Threshold, 'scope' | 'metric' | 'op' | 'limit' | 'relative_to' | 'observed'>;

export type Facts = { plan: Pick<Plan, 'operations'>; groups: readonly Group[] };

/** What share of the calls a percentile leaves below it. */
const QUANTILE: Record<string, number> = {
  p50_ms: 0.5,
  p75_ms: 0.75,
  p90_ms: 0.9,
  p95_ms: 0.95,
  p99_ms: 0.99,
  p999_ms: 0.999,
};

/** @returns null: no single operation explains the miss, or the scope is one operation */
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
  if (metric === 'failure_share') {
    const [most] = all.toSorted((a, b) => b.failed - a.failed);
    return most && most.failed > 0 && most.failed >= OBJECTIVES.minOwnFailures * failed ? most : null;
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
 * For a run document without figures by phase and operation. An overload slows all operations down, so only the medians of the whole run
 * are compared: one operation's is over the limit, those of the others are not.
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
  // Half of its calls alone have to reach the percentile, and its own latencies the figure.
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

/** Computes the value that an objective is judged by, with the samples that it is based on. */
import {
  attemptsOf,
  failuresOf,
  type Group,
  inScope,
  latenciesOf,
  type Scope,
  slowOf,
  total,
  trendOf,
} from '../collect/groups.ts';
import { isLowerBound } from '../collect/latencies.ts';
import type { Threshold as K6Threshold } from '../collect/measured.ts';
import type { Objective, Plan } from '../collect/plan.ts';
import { dueOf, type Phase } from './phases.ts';

export interface Facts {
  plan: Plan;
  phases: Phase[];
  groups: readonly Group[];
  /** Maximum number of VUs. */
  vusMax: number;
  /** With k6's own results. */
  thresholds: readonly K6Threshold[];
}

export interface Figure {
  /** null without samples. */
  value: number | null;
  /** The value is a lower bound. */
  atLeast?: boolean;
  samples: number;
  /** Only for objectives that allow a share of the samples. */
  share?: Share;
}

interface Share {
  /** Number of samples that count against the objective. */
  over: number;
  /** Number of these samples that a slow generator cannot have caused; absent if unknown. */
  certain?: number;
  /** 0 to 1. */
  allowed: number;
  /** k6 counted them, so the comparison is exact. A percentile from a histogram is not. */
  exact?: true;
}

/** Latency figure by the name of the metric. */
export const LATENCY = {
  min_ms: 'min',
  avg_ms: 'avg',
  p50_ms: 'p50',
  p75_ms: 'p75',
  p90_ms: 'p90',
  p95_ms: 'p95',
  p99_ms: 'p99',
  p999_ms: 'p999',
  max_ms: 'max',
} as const;

/** Share of the calls that may exceed the limit, by percentile. */
export const ALLOWED: Record<string, number> = {
  p50_ms: 0.5,
  p75_ms: 0.25,
  p90_ms: 0.1,
  p95_ms: 0.05,
  p99_ms: 0.01,
  p999_ms: 0.001,
  sequence_p99_ms: 0.01,
};

/** @returns the objective's figure; for a relative objective, the ratio, without a share */
export function figureOf({ scope, metric, limit, relative_to }: Objective, facts: Facts): Figure {
  const own = absoluteFigure({ scope, metric, limit }, facts);
  if (!relative_to) return own;
  const reference = absoluteFigure({ scope: relative_to, metric, limit }, facts);
  const samples = Math.min(own.samples, reference.samples);
  const value = own.value !== null && reference.value ? own.value / reference.value : null;
  return { value, atLeast: own.atLeast, samples };
}

/** @returns the figure of one scope, in the unit of the metric */
export function absoluteFigure(
  { scope, metric, limit }: Pick<Objective, 'scope' | 'metric' | 'limit'>,
  { plan, phases, groups }: Facts,
): Figure {
  const own = inScope(groups, scope);
  const allowed = ALLOWED[metric];
  if (metric in LATENCY) {
    const latencies = latenciesOf(own);
    const { all, latency } = latencies;
    const figure = LATENCY[metric as keyof typeof LATENCY];
    const counted = slowOf(own, limit);
    return {
      value: latency?.[figure] ?? null,
      atLeast: isLowerBound(latency, figure),
      samples: all.count,
      ...(allowed !== undefined && {
        share: {
          over: counted ?? latencies.countOver(limit),
          allowed,
          ...(counted !== null && { exact: true as const }),
        },
      }),
    };
  }
  if (metric === 'sequence_p99_ms') {
    const durations = trendOf(own, 'mcp_sequence_duration');
    const share = { over: durations.countOver(limit), allowed: allowed ?? 0 };
    return { value: durations.percentile(0.99), samples: durations.count, share };
  }
  if (metric === 'failure_rate') {
    const [attempts, failed] = [attemptsOf(own), total(own, 'failed')];
    // Timeouts may be caused by the generator, if it was too slow to receive the answer.
    const { timeout = 0 } = failuresOf(own);
    const share = { over: failed, certain: failed - timeout, allowed: limit };
    return { value: attempts > 0 ? failed / attempts : null, samples: attempts, share };
  }
  return ofPhase(scope, metric, { plan, phases });
}

function ofPhase(scope: Scope, metric: string, { plan, phases }: Pick<Facts, 'plan' | 'phases'>): Figure {
  const phase = phases.find(({ name }) => name === scope.phase);
  if (!phase) return { value: null, samples: 0 };
  const samples = phase.iterations ?? 0;
  if (metric === 'throughput') return { value: phase.achieved_rps, samples };
  if (metric !== 'delivered_share') return { value: null, samples: 0 };
  const due = dueOf(phase, plan);
  return { value: due > 0 && phase.iterations !== null ? phase.iterations / due : null, samples };
}

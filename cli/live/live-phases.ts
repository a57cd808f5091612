/** The phases of a running test in the format of its run document, with the results so far. */
import { isLowerBound, type LatencyFigure } from '../../analysis/collect/latencies.ts';
import { type Group, type Second, Within } from '../../analysis/collect/seconds.ts';
import { ALLOWED, LATENCY } from '../../analysis/judge/figure.ts';
import { isIrreconcilable } from '../../analysis/judge/irreconcilable.ts';
import type { Run } from '../../analysis/judge/run.ts';
import type { Plan } from '../run/inspect.ts';

type Phase = Run['phases'][number];
type Planned = Pick<
  Plan['phases'][number],
  'name' | 'measured' | 'overload' | 'labels' | 'offered_rps' | 'vus'
>;

/** The results of a phase or a trial. */
class Sums {
  /** Unix seconds. */
  firstS = Number.POSITIVE_INFINITY;
  lastS = 0;
  readonly total = new Within();
}

export class LivePhases {
  readonly #sums = new Map<string, Sums>();

  /** @param run the name of the k6 run; '' if there is only one */
  take(run: string, second: Second, groups: ReadonlyMap<string, Group>) {
    const numbers = Object.keys(second.groups ?? {});
    for (const name of new Set(numbers.map((number) => run || groups.get(number)?.phase || ''))) {
      const sums = this.#sums.get(name) ?? new Sums();
      this.#sums.set(name, sums);
      sums.firstS = Math.min(sums.firstS, second.at);
      sums.lastS = Math.max(sums.lastS, second.at + 1);
      sums.total.add(second, (number) => groups.get(number), run ? undefined : [name]);
    }
  }

  /** @param startedS Unix time of the start of the phases; null = not started */
  ofPlan({ phases, sequence }: Plan, startedS: number | null, nowS: number): Phase[] {
    return phases.map((planned) => {
      const sums = this.#sums.get(planned.name);
      if (sequence) return phaseOf(planned, sums, sums?.firstS ?? null, sums?.lastS ?? null, nowS);
      const fromS = startedS === null ? null : startedS + planned.start_s;
      return phaseOf(planned, sums, fromS, fromS === null ? null : fromS + planned.duration_s, nowS);
    });
  }

  /**
   * The plan's thresholds with the values so far. A threshold is missed if later calls can no longer meet it;
   * everything else is judged at the end.
   */
  thresholds({ objectives, objectives_off }: Plan, phases: readonly Phase[]): Run['thresholds'] {
    if (objectives_off) return [];
    return objectives.map(({ scope, metric, op, limit, relative_to }) => {
      const phase = phases.find(({ name }) => name === scope.phase);
      const figure = metric.replace(/_ms$/, '') as LatencyFigure;
      const observed = metric === 'failure_rate' ? phase?.failure_rate : phase?.latency_ms?.[figure];
      const share = relative_to || !phase ? null : this.#share(phase.name, metric, limit);
      const isMissed = share !== null && isIrreconcilable(share.over, share.samples, share.allowed);
      const atLeast = op.startsWith('<') && isLowerBound(phase?.latency_ms, figure);
      return {
        scope,
        metric,
        expression: '',
        op,
        limit,
        relative_to: relative_to?.phase ?? null,
        observed: observed ?? null,
        ...(atLeast && { at_least: true as const }),
        samples: share?.samples ?? phase?.requests ?? 0,
        ok: isMissed ? false : null,
        outcome: isMissed ? 'fail' : 'unjudged',
        reason: null,
        k6: null,
        disputed: false,
      };
    });
  }

  /** @returns null if the objective is not an allowed share of the calls */
  #share(name: string, metric: string, limit: number) {
    const sums = this.#sums.get(name)?.total;
    if (!sums) return null;
    const { attempts, failed, latencies } = sums;
    if (metric === 'failure_rate') return { over: failed, samples: attempts, allowed: limit };
    const allowed = metric in LATENCY ? ALLOWED[metric] : undefined;
    return allowed === undefined
      ? null
      : { over: latencies.countOver(limit), samples: latencies.all.count, allowed };
  }

  /** Each k6 run as a phase. */
  ofRuns(nowS: number): Phase[] {
    return [...this.#sums].map(([name, sums]) =>
      phaseOf({ name, measured: true }, sums, sums.firstS, sums.lastS, nowS),
    );
  }
}

const NONE = {
  iterations: null,
  achieved_rps: null,
  requests: null,
  requests_per_s: null,
  failed: null,
  dropped: null,
  failure_rate: null,
  latency_ms: null,
};

function phaseOf(
  { name, measured, overload = false, labels = {}, offered_rps = null, vus = null }: Planned,
  sums: Sums | undefined,
  fromS: number | null,
  toS: number | null,
  nowS: number,
): Phase {
  const ranS = fromS === null || toS === null ? 0 : Math.max(0, Math.min(nowS, toS) - fromS);
  return {
    name,
    measured,
    overload,
    labels: Object.fromEntries(Object.entries(labels).map(([label, value]) => [label, String(value)])),
    start: isoOf(fromS),
    end: isoOf(toS),
    duration_s: ranS,
    completed: true,
    offered_rps,
    vus,
    iterations_planned: null,
    answered: null,
    failures: null,
    items: null,
    items_per_s: null,
    ...(measured && sums && ranS > 0 ? figuresOf(sums.total, ranS) : NONE),
  };
}

const isoOf = (seconds: number | null) => (seconds === null ? null : new Date(seconds * 1000).toISOString());

function figuresOf(
  { iterations, late, requests, failed, failureRate, dropped, latencies }: Within,
  ranS: number,
) {
  return {
    iterations,
    achieved_rps: (iterations - late) / ranS,
    requests,
    requests_per_s: requests / ranS,
    failed,
    dropped,
    failure_rate: failureRate,
    latency_ms: latencies.latency,
  };
}

/**
 * The thresholds of a run, over all of its generators. k6 judges its own part only, and lets one pass that has no samples: where there is one
 * generator, this has to agree with k6 otherwise.
 */
import type { Measured, Share, Threshold } from './measured.ts';
import { OPERATORS } from './operators.ts';

export interface Evaluated {
  metric: string;
  threshold: string;
  outcome: 'pass' | 'fail' | 'invalid';
  /** A share, or a count; null where it is not known. */
  observed: number | null;
  /** Why it is no pass. */
  reason: string | null;
  /** The sums, where there are any. */
  share?: Share;
  value?: number;
}

/** Those that can be judged over several generators: shares and counts add up. */
const THRESHOLD = /^\s*(rate|count)\s*(<=|>=|<|>|===?|!=)\s*([\d.e+-]+)\s*$/i;

/** k6 has more than objectives have. */
const HOLDS: typeof OPERATORS = {
  ...OPERATORS,
  '==': (observed, limit) => observed === limit,
  '===': (observed, limit) => observed === limit,
  '!=': (observed, limit) => observed !== limit,
};

/** @param generators what each k6 of the run measured, one at least */
export function evaluateThresholds(generators: Measured[]): Evaluated[] {
  const parts = new Map<string, Threshold[]>();
  for (const { thresholds } of generators) {
    for (const one of thresholds) {
      const key = JSON.stringify([one.metric, one.threshold]);
      parts.set(key, [...(parts.get(key) ?? []), one]);
    }
  }
  return [...parts.values()].map((all) => evaluate(all, generators.length));
}

function evaluate(all: Threshold[], generators: number): Evaluated {
  const { metric = '', threshold = '' } = all[0] ?? {};
  const { holds, observed, ...sums } = ownJudgement(threshold, all);
  const result = (outcome: Evaluated['outcome'], reason: string | null) => ({
    ...{ metric, threshold, outcome, observed, reason },
    ...sums,
  });
  if (all.length < generators) return result('invalid', 'a generator does not have it');
  const judged = all.filter(({ hasSamples }) => hasSamples);
  if (judged.length === 0) return result('invalid', 'no samples');
  const passed = judged.filter((part) => part.passed).length;
  const byK6 = passed === judged.length ? true : passed === 0 ? false : null;
  if (generators === 1 && holds !== null && holds !== byK6) {
    return result('invalid', `k6 says that it ${byK6 ? 'passed' : 'failed'}, its own figures do not`);
  }
  const verdict = holds ?? byK6;
  if (verdict === null)
    return result('invalid', `${passed} of ${judged.length} generators passed it, and parts do not add up`);
  return verdict ? result('pass', null) : result('fail', null);
}

/** What adds up is judged as a sum. Of what does not, a percentile for example, all parts or none have to hold. */
function ownJudgement(
  threshold: string,
  all: Threshold[],
): { holds: boolean | null; observed: number | null; share?: Share; value?: number } {
  const [, of = '', operator = '', limit] = THRESHOLD.exec(threshold) ?? [];
  const judged = (observed: number) => HOLDS[operator]?.(observed, Number(limit)) ?? null;
  if (of.toLowerCase() === 'rate' && all.every(({ share }) => share)) {
    const share = {
      trues: all.reduce((sum, one) => sum + (one.share?.trues ?? 0), 0),
      total: all.reduce((sum, one) => sum + (one.share?.total ?? 0), 0),
    };
    const observed = share.total === 0 ? null : share.trues / share.total;
    return { share, observed, holds: observed === null ? null : judged(observed) };
  }
  if (of.toLowerCase() === 'count' && all.every(({ value }) => value !== undefined)) {
    const value = all.reduce((sum, one) => sum + (one.value ?? 0), 0);
    return { value, observed: value, holds: judged(value) };
  }
  return { observed: null, holds: null };
}

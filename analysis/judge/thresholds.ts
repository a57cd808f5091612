/** Judges every objective of the plan, those that k6 judged too, and says in a sentence why one was missed. */
import { apart, counted, milliseconds, number, percent, perSecond } from '../../contract/units.js';
import { type Group, inScope, latenciesOf, type Scope, slowOf, total, trendOf } from '../collect/groups.ts';
import { boundText, isLowerBound } from '../collect/latencies.ts';
import type { Threshold as K6Threshold } from '../collect/measured.ts';
import type { Objective, Plan } from '../collect/plan.ts';
import { round } from '../round.ts';
import { type Culprit, culpritOf } from './culprit.ts';
import { holdsByFigures } from './k6-threshold.ts';
import { OPERATORS } from './operators.ts';
import { dueOf, type Phase } from './phases.ts';
import { shortfallCause } from './shortfall.ts';

export interface Threshold {
  /** {} = the whole run. */
  scope: Scope;
  /** An objective's, or k6's own name where no objective of the plan is behind it. */
  metric: string;
  expression: string;
  op: string | null;
  limit: number | null;
  /** The phase whose figure the observed value is a multiple of. */
  relative_to: string | null;
  observed: number | null;
  /** The observed value is a lower bound: too few calls were answered to say more. */
  at_least?: true;
  /** Samples that the observed value comes from. */
  samples: number;
  /** null: could not be judged. */
  ok: boolean | null;
  /** `invalid`: what is missing makes the run untrustworthy; `unjudged`: it does not. */
  outcome: 'pass' | 'fail' | 'invalid' | 'unjudged';
  /** Why it is anything but a pass. */
  reason: string | null;
  /** k6's own judgement. */
  k6: { metric: string; expression: string; ok: boolean | null } | null;
  /** k6 and this analysis judge it differently. */
  disputed: boolean;
  /** The operation that explains a miss; absent: none does. */
  culprit?: Culprit;
  /** One observation is enough to fail it: too little load makes that no less true. */
  proof?: true;
}

export interface Facts {
  plan: Plan;
  phases: Phase[];
  groups: readonly Group[];
  /** VUs that k6 had at most. */
  vusMax: number;
  /** As k6 judged them. */
  thresholds: readonly K6Threshold[];
}

export interface Figure {
  value: number | null;
  /** It is a lower bound. */
  atLeast?: boolean;
  samples: number;
}

type Judgement = Pick<Threshold, 'ok' | 'outcome' | 'reason'>;

/** Which value of a Trend an objective's name stands for. */
const LATENCY = {
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

/** How a metric is called in a sentence, and how its figures are written. */
const WORDS = {
  ...Object.fromEntries(
    Object.entries(LATENCY).map(([metric, figure]) => [
      metric,
      { name: figure.replace('p999', 'p99.9'), format: milliseconds },
    ]),
  ),
  sequence_p99_ms: { name: 'p99 of all its calls together', format: milliseconds },
  failure_share: { name: 'failure share', format: percent },
  throughput: { name: 'throughput', format: perSecond },
  delivered_share: { name: 'delivered load', format: percent },
  min_samples: { name: 'requests', format: number },
  median_p95_ms: { name: 'p95 (median)', format: milliseconds },
  success_share: { name: 'success', format: percent },
  refused_share: { name: 'refusals', format: percent },
  recovery_s: { name: 'time to recover', format: (value) => `${number(value)} s` },
  back_to_baseline: { name: 'as before', format: (value) => (value ? 'yes' : 'no') },
} as Record<string, { name: string; format: (value: number, digits?: number) => string }>;

/** @param metric of a document: it may be `toString` */
const hasWords = (metric: string) => Object.hasOwn(WORDS, metric);

export function wordsOf(metric: string): {
  name: string;
  format: (value: number, digits?: number) => string;
} {
  return (hasWords(metric) && WORDS[metric]) || { name: metric, format: number };
}

export function scopeName({ phase, operation, class: kind }: Scope): string {
  if (phase !== undefined) return phase;
  if (operation !== undefined) return operation;
  return kind === undefined ? 'the whole run' : `class ${kind}`;
}

/** @returns for example `baseline p99 < 85 ms` */
export function thresholdName({
  scope,
  metric,
  expression,
  op,
  limit,
  relative_to,
  k6,
}: Pick<Threshold, 'scope' | 'metric' | 'expression' | 'op' | 'limit' | 'relative_to' | 'k6'>): string {
  if (op === null || limit === null || !hasWords(metric)) return `${k6?.metric ?? metric} ${expression}`;
  const { name, format } = wordsOf(metric);
  const bound = relative_to === null ? format(limit) : `${number(limit)} x ${relative_to}`;
  return `${scopeName(scope)} ${name} ${op} ${bound}`;
}

/** @returns the plan's objectives in their order, then k6's thresholds that no objective is behind */
export function judgeThresholds(facts: Facts): Threshold[] {
  if (facts.plan.objectives_off) return [];
  const k6Verdicts = facts.thresholds.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const planned = facts.plan.objectives.map((objective) => judgeObjective(objective, facts, k6Verdicts));
  const known = new Set(
    facts.plan.objectives.flatMap(({ k6 }) => (k6 ? [`${k6.metric} ${k6.expression}`] : [])),
  );
  const others = k6Verdicts.filter((one) => !known.has(nameOf(one)) && !isEmpty(one.threshold)).map(fromK6);
  return [...planned, ...others];
}

const nameOf = ({ metric, threshold }: K6Threshold) => `${metric} ${threshold}`;

/** @returns `count>=0` and the like can't fail: they only make k6 keep a metric */
function isEmpty(expression: string): boolean {
  return /^\S+?\s*>=\s*0$/.test(expression);
}

function fromK6(one: K6Threshold): Threshold {
  const { metric, threshold: expression } = one;
  const [, figure = '', op = null, limit] = /^(\S+?)\s*(<=|>=|<|>)\s*(-?[\d.]+)$/.exec(expression) ?? [];
  const observed = observedBy(one, figure);
  const ok = okOf(one);
  return {
    scope: {},
    metric,
    expression,
    op,
    limit: limit === undefined ? null : Number(limit),
    relative_to: null,
    observed,
    samples: one.share?.total ?? (figure === 'count' ? (one.value ?? 0) : 0),
    ok,
    outcome: ok === null ? 'invalid' : ok ? 'pass' : 'fail',
    reason:
      ok === null
        ? `${metric} ${expression} could not be judged: ${one.doubt ?? 'no samples'}`
        : ok
          ? null
          : `${metric} was ${number(observed)}, threshold ${expression}`,
    k6: { metric, expression, ok },
    disputed: false,
  };
}

/** A pass takes k6's judgement and the figures. @returns null: k6 lets one pass that has no samples */
const okOf = (one: K6Threshold) => (one.hasSamples ? one.passed && holdsByFigures(one) !== false : null);

/** @param figure that the threshold is of @returns null: nobody kept it */
function observedBy({ share, value }: K6Threshold, figure: string): number | null {
  if (share) return figure === 'rate' ? round(share.trues / Math.max(1, share.total), 6) : null;
  return ['count', 'value'].includes(figure) && value !== undefined ? round(value, 6) : null;
}

function judgeObjective(objective: Objective, facts: Facts, k6Verdicts: K6Threshold[]): Threshold {
  const { scope, metric, op, limit, relative_to, k6 } = objective;
  const figure = figureOf(objective, facts);
  const byK6 = k6 && k6Verdicts.find((one) => nameOf(one) === `${k6.metric} ${k6.expression}`);
  const k6Ok = byK6 ? okOf(byK6) : null;
  const own = judge(objective, figure, facts);
  // A disagreement is told apart (see findings.ts); the stricter of the two counts.
  const judgement =
    own.outcome === 'pass' && k6Ok === false
      ? { ...fail(`${missText(objective, figure, facts)}: k6 judged it as failed`) }
      : own;
  const observed = figure.value === null ? null : round(figure.value, 6);
  const missed = { scope, metric, op, limit, relative_to: relative_to?.phase ?? null, observed };
  const culprit = judgement.outcome === 'fail' ? culpritOf(missed, facts) : null;
  return {
    scope,
    metric,
    expression: `${metric} ${op} ${limit}${relative_to ? ` x ${relative_to.phase}` : ''}`,
    op,
    limit,
    relative_to: relative_to?.phase ?? null,
    observed,
    ...(figure.atLeast && { at_least: true as const }),
    samples: figure.samples,
    ...judgement,
    k6: k6 ? { ...k6, ok: k6Ok } : null,
    disputed: own.ok !== null && k6Ok !== null && own.ok !== k6Ok,
    ...(culprit && { culprit }),
  };
}

/** @returns a ratio where the objective is relative */
function figureOf({ scope, metric, relative_to, k6 }: Objective, facts: Facts): Figure {
  const own = absoluteFigure(scope, metric, facts, k6?.metric);
  if (!relative_to) return own;
  const reference = absoluteFigure(relative_to, metric, facts);
  const samples = Math.min(own.samples, reference.samples);
  const value = own.value !== null && reference.value ? own.value / reference.value : null;
  return { value, atLeast: own.atLeast, samples };
}

/** @param k6Metric the metric that k6 counts the samples of */
function absoluteFigure(
  scope: Scope,
  metric: string,
  { plan, phases, groups }: Facts,
  k6Metric: string = '',
): Figure {
  const own = inScope(groups, scope);
  if (metric in LATENCY) {
    const { all, latency } = latenciesOf(own);
    const figure = LATENCY[metric as keyof typeof LATENCY];
    return { value: latency?.[figure] ?? null, atLeast: isLowerBound(latency, figure), samples: all.count };
  }
  if (metric === 'sequence_p99_ms') {
    const durations = trendOf(own, 'mcp_sequence_duration');
    return { value: durations.percentile(0.99), samples: durations.count };
  }
  const requests = total(own, 'requests');
  if (metric === 'failure_share')
    return { value: requests > 0 ? total(own, 'failed') / requests : null, samples: requests };
  if (metric === 'min_samples') {
    const count = k6Metric.startsWith('iterations') ? total(own, 'iterations') : requests;
    return { value: count, samples: count };
  }
  const phase = phases.find(({ name }) => name === scope.phase);
  if (!phase) return { value: null, samples: 0 };
  const samples = phase.iterations ?? 0;
  if (metric === 'throughput') return { value: phase.achieved_rps, samples };
  if (metric === 'delivered_share') {
    const due = dueOf(phase, plan);
    return { value: due > 0 && phase.iterations !== null ? phase.iterations / due : null, samples };
  }
  return { value: null, samples: 0 };
}

const fail = (reason: string): Judgement => ({ ok: false, outcome: 'fail', reason });
const invalid = (reason: string, ok: boolean | null = null): Judgement => ({
  ok,
  outcome: 'invalid',
  reason,
});

function judge(objective: Objective, figure: Figure, facts: Facts): Judgement {
  const { scope, metric, op, min_samples, relative_to } = objective;
  const { value, samples } = figure;
  const name = `${scopeName(scope)} ${wordsOf(metric).name}`;
  if (relative_to && min_samples !== undefined && samples < min_samples) {
    const reason = `${name} was not compared with that of ${relative_to.phase}: ${counted(samples, 'sample')}, ${number(min_samples)} are needed`;
    return { ok: null, outcome: 'unjudged', reason };
  }
  if (value === null) {
    const own = inScope(facts.groups, scope);
    const requests = total(own, 'requests');
    // Not one answer among requests that were made is the server's failure, not a gap in the measurement.
    if (metric in LATENCY && requests > 0 && total(own, 'failed') === requests) {
      return fail(
        `${name} has no figure, objective ${op} ${limitText(objective)}: all ${counted(requests, 'request')} failed`,
      );
    }
    return invalid(`${name} could not be judged: no samples`);
  }
  if (!relative_to && min_samples !== undefined) {
    if (samples < min_samples)
      return invalid(
        `${name} was not judged: ${counted(samples, 'sample')}, ${number(min_samples)} are needed`,
      );
  }
  if (holds(objective, figure, facts)) return PASS;
  if (metric === 'delivered_share') return judgeDelivered(objective, value, facts);
  const reason = missText(objective, figure, facts);
  if (metric === 'min_samples') return invalid(`${reason}: too few to judge by`, false);
  return fail(reason);
}

/** @returns of a percentile whose slow calls were counted: exactly, as k6 judges it */
function holds(
  { scope, metric, op, limit, relative_to, k6 }: Objective,
  { value, atLeast, samples }: Figure,
  { groups }: Facts,
): boolean {
  const [, most] = /^rate<=([\d.]+)$/.exec(k6?.expression ?? '') ?? [];
  const slow = metric in LATENCY && !relative_to && most ? slowOf(inScope(groups, scope), limit) : null;
  if (slow !== null) return slow / samples <= Number(most);
  if (atLeast && op.startsWith('<')) return false;
  return OPERATORS[op]?.(value ?? Number.NaN, limit) ?? false;
}

const PASS: Judgement = { ok: true, outcome: 'pass', reason: null };

function limitText({ metric, limit, relative_to }: Objective): string {
  return relative_to ? `${number(limit)} x that of ${relative_to.phase}` : wordsOf(metric).format(limit);
}

/** @param facts to name the two figures of a ratio @returns for example `baseline p99 was 132 ms, objective < 85 ms (480 samples)` */
function missText(
  { scope, metric, op, limit, relative_to }: Objective,
  { value, atLeast, samples }: Figure,
  facts: Facts,
): string {
  const { name, format } = wordsOf(metric);
  const [figure, bound] = apart(relative_to ? number : format, value ?? Number.NaN, limit);
  const observed = boundText(figure, atLeast);
  if (metric === 'min_samples')
    return `${scopeName(scope)} had ${observed} requests, objective ${op} ${bound}`;
  const subject = `${scopeName(scope)} ${name} was ${observed}`;
  const slow = metric in LATENCY && !relative_to ? slowOf(inScope(facts.groups, scope), limit) : null;
  if (slow !== null) {
    const share = percent(slow / samples);
    return `${scopeName(scope)} ${name} was ${atLeast ? '' : 'about '}${observed}, objective ${op} ${bound}: ${share} of ${counted(samples, 'request')} took that long, or got no answer (${number(slow)})`;
  }
  if (!relative_to) return `${subject}, objective ${op} ${bound} (${counted(samples, 'sample')})`;
  const [now, before] = [scope, relative_to].map((one) =>
    format(absoluteFigure(one, metric, facts).value ?? Number.NaN),
  );
  return `${subject} x that of ${relative_to.phase}, objective ${op} ${bound} x (${now} after ${before}, ${counted(samples, 'sample')})`;
}

/** Less load than was offered is the server's doing where it kept the users busy, and the generator's where not. @param share delivered */
function judgeDelivered(
  { scope, op, limit }: Objective,
  share: number,
  { plan, phases, vusMax }: Facts,
): Judgement {
  const phase = phases.find(({ name }) => name === scope.phase);
  if (!phase) return invalid(`${scopeName(scope)} delivered load could not be judged: no such phase`);
  const due = dueOf(phase, plan);
  // An arrival that is cut in half by the phase's end is none: 28 of 28.5 are all that there could be.
  if (op === '>=' && (phase.iterations ?? 0) >= Math.floor(limit * due)) return PASS;
  const cause = shortfallCause(phase, { plan, phases, vusMax });
  const [delivered, bound] = apart(percent, share, limit);
  const reason =
    `${phase.name} delivered ${delivered} of its load (${number(phase.iterations)} of ${number(due)} ` +
    `iterations, ${number(phase.dropped)} dropped), objective ${op} ${bound}: ${cause.because}`;
  return cause.hint === null ? fail(reason) : invalid(`${reason}; ${cause.hint}`, false);
}

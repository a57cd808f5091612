/** Judges every objective of the plan, including those that k6 judged, and explains misses. */
import { apart, counted, number, percent } from '../../contract/units.js';
import { inScope, total } from '../collect/groups.ts';
import { boundText } from '../collect/latencies.ts';
import type { Threshold as K6Threshold } from '../collect/measured.ts';
import type { Objective } from '../collect/plan.ts';
import { round } from '../round.ts';
import { culpritOf } from './culprit.ts';
import { absoluteFigure, type Facts, type Figure, figureOf, LATENCY } from './figure.ts';
import { isIrreconcilable } from './irreconcilable.ts';
import { holdsByFigures } from './k6-threshold.ts';
import { OPERATORS } from './operators.ts';
import { dueOf } from './phases.ts';
import { shortfallCause } from './shortfall.ts';
import type { Threshold } from './threshold.ts';
import { scopeName, wordsOf } from './threshold-words.ts';

type Judgement = Pick<Threshold, 'ok' | 'outcome' | 'reason' | 'by_generator'>;

/** @returns the plan's objectives in order, then k6's thresholds without an objective */
export function judgeThresholds(facts: Facts): Threshold[] {
  if (facts.plan.objectives_off) return [];
  const k6Verdicts = facts.thresholds.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const planned = facts.plan.objectives.map((objective) => judgeObjective(objective, facts, k6Verdicts));
  const known = new Set(
    facts.plan.objectives.flatMap(({ k6, guard }) =>
      [k6, guard].flatMap((one) => (one ? [`${one.metric} ${one.expression}`] : [])),
    ),
  );
  const others = k6Verdicts.filter((one) => !known.has(nameOf(one)) && !isEmpty(one.threshold)).map(fromK6);
  return [...planned, ...others];
}

const nameOf = ({ metric, threshold }: K6Threshold) => `${metric} ${threshold}`;

/** @returns whether the threshold cannot fail, like `count>=0`, which only makes k6 store the metric */
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

/**
 * A threshold passes only if both k6 and the figures say so.
 *
 * @returns null without samples, which k6 treats as a pass
 */
const okOf = (one: K6Threshold) => (one.hasSamples ? one.passed && holdsByFigures(one) !== false : null);

/** @param figure figure of the threshold's expression @returns null if the figure was not stored */
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
  // If the results differ, the stricter one counts. `disputed` marks the difference.
  const judgement =
    own.outcome === 'pass' && k6Ok === false
      ? { ...fail(`${missText(objective, figure, facts)}: k6 judged it as failed`) }
      : own;
  const observed = figure.value === null ? null : round(figure.value, 6);
  const missed = { scope, metric, op, limit, relative_to: relative_to?.phase ?? null, observed };
  const isMissed = judgement.outcome === 'fail';
  const culprit = isMissed ? culpritOf(missed, facts) : null;
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
    ...(isMissed && isProven(figure) && { proof: true as const }),
    ...(isMissed && mayBeChance(figure) && { may_be_chance: true as const }),
  };
}

const mayBeChance = ({ share, samples }: Figure) =>
  share !== undefined && !isIrreconcilable(share.over, samples, share.allowed);

const isProven = ({ share, samples }: Figure) =>
  share?.certain !== undefined && isIrreconcilable(share.certain, samples, share.allowed);

const fail = (reason: string): Judgement => ({ ok: false, outcome: 'fail', reason });
const invalid = (reason: string, ok: boolean | null = null): Judgement => ({
  ok,
  outcome: 'invalid',
  reason,
});

/** With too few samples, an objective can fail but not pass. */
function judge(objective: Objective, figure: Figure, facts: Facts): Judgement {
  const { scope, metric, op, min_samples = 0, relative_to } = objective;
  const { value, samples, share } = figure;
  const name = `${scopeName(scope)} ${wordsOf(metric).name}`;
  const isShort = samples < min_samples;
  if (relative_to && isShort) {
    const reason = `${name} was not compared with ${relative_to.phase}: ${counted(samples, 'sample')}, ${number(min_samples)} needed`;
    return { ok: null, outcome: 'unjudged', reason };
  }
  if (value === null) {
    const own = inScope(facts.groups, scope);
    const requests = total(own, 'requests');
    // If all requests failed, the server is the cause, not a gap in the measurement.
    if (metric in LATENCY && requests > 0 && total(own, 'failed') === requests) {
      return fail(
        `${name} has no value, objective ${op} ${limitText(objective)}: all ${counted(requests, 'request')} failed`,
      );
    }
    return invalid(`${name} could not be judged: no samples`);
  }
  if (isShort && !(share && isIrreconcilable(share.over, samples, share.allowed)))
    return invalid(`${name} was not judged: ${counted(samples, 'sample')}, ${number(min_samples)} needed`);
  if (!isShort && holds(objective, figure)) return PASS;
  if (metric === 'delivered_share') return judgeDelivered(objective, value, facts);
  return fail(missText(objective, figure, facts));
}

function holds({ op, limit }: Objective, { value, atLeast, samples, share }: Figure): boolean {
  if (share?.exact) return share.over / samples <= share.allowed;
  if (atLeast && op.startsWith('<')) return false;
  return OPERATORS[op]?.(value ?? Number.NaN, limit) ?? false;
}

const PASS: Judgement = { ok: true, outcome: 'pass', reason: null };

function limitText({ metric, limit, relative_to }: Objective): string {
  return relative_to ? `${number(limit)} x ${relative_to.phase}` : wordsOf(metric).format(limit);
}

/**
 * @param facts needed for the two figures of a ratio
 * @returns for example `baseline p99 was 132 ms, objective < 85 ms (480 samples)`
 */
function missText(
  { scope, metric, op, limit, relative_to }: Objective,
  { value, atLeast, samples, share }: Figure,
  facts: Facts,
): string {
  const { name, format } = wordsOf(metric);
  const [figure, bound] = apart(relative_to ? number : format, value ?? Number.NaN, limit);
  const observed = boundText(figure, atLeast);
  const subject = `${scopeName(scope)} ${name} was`;
  if (share?.exact) {
    const over = percent(share.over / samples);
    return `${subject} ${atLeast ? '' : 'about '}${observed}, objective ${op} ${bound}: ${over} of ${counted(samples, 'request')} took longer or got no answer (${number(share.over)})`;
  }
  if (!relative_to) return `${subject} ${observed}, objective ${op} ${bound} (${counted(samples, 'sample')})`;
  const [now, before] = [scope, relative_to].map((one) =>
    format(absoluteFigure({ scope: one, metric, limit }, facts).value ?? Number.NaN),
  );
  return `${subject} ${observed} x ${relative_to.phase}, objective ${op} ${bound} x (${now} vs. ${before}, ${counted(samples, 'sample')})`;
}

/**
 * Undelivered load fails the objective if the server is the cause. Otherwise the result is invalid.
 *
 * @param share delivered share of the load
 */
function judgeDelivered(
  { scope, op, limit }: Objective,
  share: number,
  { plan, phases, vusMax }: Facts,
): Judgement {
  const phase = phases.find(({ name }) => name === scope.phase);
  if (!phase) return invalid(`${scopeName(scope)} delivered load could not be judged: no such phase`);
  const due = dueOf(phase, plan);
  // The last iteration may be cut off by the end of the phase: 28 of 28.5 are all that can be delivered.
  if (op === '>=' && (phase.iterations ?? 0) >= Math.floor(limit * due)) return PASS;
  const cause = shortfallCause(phase, { plan, phases, vusMax });
  const [delivered, bound] = apart(percent, share, limit);
  const reason =
    `${phase.name} delivered ${delivered} of its load (${number(phase.iterations)} of ${number(due)} ` +
    `iterations, ${number(phase.dropped)} dropped), objective ${op} ${bound}: ${cause.because}`;
  if (cause.hint === null) return fail(reason);
  return {
    ...invalid(`${reason}; ${cause.hint}`, false),
    ...(cause.of !== 'users' && { by_generator: true as const }),
  };
}

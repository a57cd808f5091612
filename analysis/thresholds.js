/**
 * Judges every objective of the plan, those that k6 judged too, and says in a sentence why one was missed.
 */
import { apart, counted, milliseconds, number, percent, perSecond } from '../contract/units.js';
import { culpritOf } from './culprit.js';
import { boundText, isLowerBound } from './latencies.ts';
import { OPERATORS } from './operators.js';
import { round } from './round.js';
import { shortfallCause } from './shortfall.js';

/**
 * @typedef {object} Threshold
 * @property {import('./summary.js').Scope} scope {} = the whole run
 * @property {string} metric an objective's, or k6's own name where no objective of the plan is behind it
 * @property {string} expression
 * @property {string | null} op
 * @property {number | null} limit
 * @property {string | null} relative_to the phase whose figure the observed value is a multiple of
 * @property {number | null} observed
 * @property {true} [at_least] the observed value is a lower bound: too few calls were answered to say more
 * @property {number} samples that the observed value comes from
 * @property {boolean | null} ok null: could not be judged
 * @property {'pass' | 'fail' | 'invalid' | 'unjudged'} outcome `invalid`: what is missing makes the run untrustworthy;
 *   `unjudged`: it does not
 * @property {string | null} reason why it is anything but a pass
 * @property {{metric: string, expression: string, ok: boolean | null} | null} k6 k6's own judgement
 * @property {boolean} disputed k6 and this analysis judge it differently
 * @property {import('./culprit.js').Culprit} [culprit] the operation that explains a miss; absent: none does
 * @property {true} [proof] one observation is enough to fail it: too little load makes that no less true
 *
 * @typedef {object} Facts
 * @property {import('./summary.js').Plan} plan
 * @property {import('./metrics.ts').Metrics} metrics
 * @property {import('./phases.js').Phase[]} phases
 *
 * @typedef {object} Figure
 * @property {number | null} value
 * @property {boolean} [atLeast] it is a lower bound
 * @property {number} samples
 *
 * @typedef {Pick<Threshold, 'ok' | 'outcome' | 'reason'>} Judgement
 */

/** Which value of a Trend an objective's name stands for. */
const LATENCY = /** @type {const} */ ({
  min_ms: 'min',
  avg_ms: 'avg',
  p50_ms: 'p50',
  p75_ms: 'p75',
  p90_ms: 'p90',
  p95_ms: 'p95',
  p99_ms: 'p99',
  p999_ms: 'p999',
  max_ms: 'max',
});

/** How a metric is called in a sentence, and how its figures are written. */
const WORDS =
  /** @type {Record<string, {name: string, format: (value: number, digits?: number) => string}>} */ ({
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
  });

/** @param {string} metric of a document: it may be `toString` */
const hasWords = (metric) => Object.hasOwn(WORDS, metric);

/**
 * @param {string} metric
 * @returns {{name: string, format: (value: number, digits?: number) => string}}
 */
export function wordsOf(metric) {
  return (hasWords(metric) && WORDS[metric]) || { name: metric, format: number };
}

/** @param {import('./summary.js').Scope} scope @returns {string} */
export function scopeName({ phase, operation, class: kind }) {
  if (phase !== undefined) return phase;
  if (operation !== undefined) return operation;
  return kind === undefined ? 'the whole run' : `class ${kind}`;
}

/**
 * @param {Pick<Threshold, 'scope' | 'metric' | 'expression' | 'op' | 'limit' | 'relative_to' | 'k6'>} threshold
 * @returns {string} for example `baseline p99 < 85 ms`
 */
export function thresholdName({ scope, metric, expression, op, limit, relative_to, k6 }) {
  if (op === null || limit === null || !hasWords(metric)) return `${k6?.metric ?? metric} ${expression}`;
  const { name, format } = wordsOf(metric);
  const bound = relative_to === null ? format(limit) : `${number(limit)} x ${relative_to}`;
  return `${scopeName(scope)} ${name} ${op} ${bound}`;
}

/**
 * @param {Facts} facts
 * @returns {Threshold[]} the plan's objectives in their order, then k6's thresholds that no objective is behind
 */
export function judgeThresholds(facts) {
  if (facts.plan.objectives_off) return [];
  const k6Verdicts = facts.metrics.thresholds();
  const planned = facts.plan.objectives.map((objective) => judgeObjective(objective, facts, k6Verdicts));
  const known = new Set(
    facts.plan.objectives.flatMap(({ k6 }) => (k6 ? [`${k6.metric} ${k6.expression}`] : [])),
  );
  const others = k6Verdicts
    .filter(({ metric, expression }) => !known.has(`${metric} ${expression}`) && !isEmpty(expression))
    .map(fromK6);
  return [...planned, ...others];
}

/** @param {string} expression @returns {boolean} `count>=0` and the like can't fail: they only make k6 keep a metric */
function isEmpty(expression) {
  return /^\S+?\s*>=\s*0$/.test(expression);
}

/**
 * @param {import('./metrics.ts').K6Threshold} verdict
 * @returns {Threshold}
 */
function fromK6({ metric, expression, ok, doubt, values }) {
  const [, figure = '', op = null, limit] = /^(\S+?)\s*(<=|>=|<|>)\s*(-?[\d.]+)$/.exec(expression) ?? [];
  const value = values[figure];
  const observed = value == null ? null : round(value, 6);
  return {
    scope: {},
    metric,
    expression,
    op,
    limit: limit === undefined ? null : Number(limit),
    relative_to: null,
    observed,
    samples: values.count ?? (values.passes ?? 0) + (values.fails ?? 0),
    ok,
    outcome: ok === null ? 'invalid' : ok ? 'pass' : 'fail',
    reason:
      ok === null
        ? `${metric} ${expression} could not be judged: ${doubt}`
        : ok
          ? null
          : `${metric} was ${number(observed)}, threshold ${expression}`,
    k6: { metric, expression, ok },
    disputed: false,
  };
}

/**
 * @param {import('./summary.js').Objective} objective
 * @param {Facts} facts
 * @param {import('./metrics.ts').K6Threshold[]} k6Verdicts
 * @returns {Threshold}
 */
function judgeObjective(objective, facts, k6Verdicts) {
  const { scope, metric, op, limit, relative_to, k6 } = objective;
  const figure = figureOf(objective, facts);
  const k6Ok = k6
    ? (k6Verdicts.find((other) => other.metric === k6.metric && other.expression === k6.expression)?.ok ??
      null)
    : null;
  const own = judge(objective, figure, facts);
  // A disagreement is told apart (see findings.js); the stricter of the two counts.
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
    ...(figure.atLeast && { at_least: /** @type {const} */ (true) }),
    samples: figure.samples,
    ...judgement,
    k6: k6 ? { ...k6, ok: k6Ok } : null,
    disputed: own.ok !== null && k6Ok !== null && own.ok !== k6Ok,
    ...(culprit && { culprit }),
  };
}

/**
 * @param {import('./summary.js').Objective} objective
 * @param {Facts} facts
 * @returns {Figure} a ratio where the objective is relative
 */
function figureOf({ scope, metric, relative_to, k6 }, facts) {
  const own = absoluteFigure(scope, metric, facts, k6?.metric);
  if (!relative_to) return own;
  const reference = absoluteFigure(relative_to, metric, facts);
  const samples = Math.min(own.samples, reference.samples);
  const value = own.value !== null && reference.value ? own.value / reference.value : null;
  return { value, atLeast: own.atLeast, samples };
}

/**
 * @param {import('./summary.js').Scope} scope
 * @param {string} metric
 * @param {Facts} facts
 * @param {string} [k6Metric] the metric that k6 counts the samples of
 * @returns {Figure}
 */
function absoluteFigure(scope, metric, { plan, phases, metrics }, k6Metric = '') {
  if (metric in LATENCY) {
    const { count, latency } = metrics.latency(scope);
    const figure = LATENCY[/** @type {keyof typeof LATENCY} */ (metric)];
    return { value: latency?.[figure] ?? null, atLeast: isLowerBound(latency, figure), samples: count };
  }
  if (metric === 'sequence_p99_ms') {
    const { count, latency } = metrics.latency(scope, 'mcp_sequence_duration');
    return { value: latency?.p99 ?? null, samples: count };
  }
  if (metric === 'failure_share') {
    const { failed, total } = metrics.failed(scope);
    return { value: total > 0 ? failed / total : null, samples: total };
  }
  if (metric === 'min_samples') {
    const counter = /^\w+/.exec(k6Metric)?.[0] ?? 'mcp_requests';
    const count = metrics.count(counter, scope);
    return { value: count, samples: count };
  }
  const index = phases.findIndex(({ name }) => name === scope.phase);
  const phase = phases[index];
  const planned = plan.phases[index];
  if (!phase || !planned) return { value: null, samples: 0 };
  const samples = phase.iterations ?? 0;
  if (metric === 'throughput') return { value: phase.achieved_rps, samples };
  if (metric === 'delivered_share') {
    const expected = planned.iterations ?? (planned.offered_rps ?? 0) * planned.duration_s;
    return { value: expected > 0 && phase.iterations !== null ? phase.iterations / expected : null, samples };
  }
  return { value: null, samples: 0 };
}

/** @param {string} reason @returns {Judgement} */
const fail = (reason) => ({ ok: false, outcome: 'fail', reason });
/** @param {string} reason @param {boolean | null} [ok] @returns {Judgement} */
const invalid = (reason, ok = null) => ({ ok, outcome: 'invalid', reason });

/**
 * @param {import('./summary.js').Objective} objective
 * @param {Figure} figure
 * @param {Facts} facts
 * @returns {Judgement}
 */
function judge(objective, figure, facts) {
  const { scope, metric, op, min_samples, relative_to } = objective;
  const { value, samples } = figure;
  const name = `${scopeName(scope)} ${wordsOf(metric).name}`;
  if (relative_to && min_samples !== undefined && samples < min_samples) {
    const reason = `${name} was not compared with that of ${relative_to.phase}: ${counted(samples, 'sample')}, ${number(min_samples)} are needed`;
    return { ok: null, outcome: 'unjudged', reason };
  }
  if (value === null) {
    const { failed, total } = facts.metrics.failed(scope);
    // Not one answer among requests that were made is the server's failure, not a gap in the measurement.
    if (metric in LATENCY && total > 0 && failed === total) {
      return fail(
        `${name} has no figure, objective ${op} ${limitText(objective)}: all ${counted(total, 'request')} failed`,
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

/**
 * @param {import('./summary.js').Objective} objective
 * @param {Figure} figure
 * @param {Facts} facts
 * @returns {boolean} of a percentile whose slow calls were counted: exactly, as k6 judges it
 */
function holds({ scope, metric, op, limit, relative_to, k6 }, { value, atLeast, samples }, { metrics }) {
  const [, most] = /^rate<=([\d.]+)$/.exec(k6?.expression ?? '') ?? [];
  const slow = metric in LATENCY && !relative_to && most ? metrics.slow(scope, limit) : null;
  if (slow !== null) return slow / samples <= Number(most);
  if (atLeast && op.startsWith('<')) return false;
  return OPERATORS[op]?.(value ?? Number.NaN, limit) ?? false;
}

/** @type {Judgement} */
const PASS = { ok: true, outcome: 'pass', reason: null };

/** @param {import('./summary.js').Objective} objective @returns {string} */
function limitText({ metric, limit, relative_to }) {
  return relative_to ? `${number(limit)} x that of ${relative_to.phase}` : wordsOf(metric).format(limit);
}

/**
 * @param {import('./summary.js').Objective} objective
 * @param {Figure} figure
 * @param {Facts} facts to name the two figures of a ratio
 * @returns {string} for example `baseline p99 was 132 ms, objective < 85 ms (480 samples)`
 */
function missText({ scope, metric, op, limit, relative_to }, { value, atLeast, samples }, facts) {
  const { name, format } = wordsOf(metric);
  const [figure, bound] = apart(relative_to ? number : format, value ?? Number.NaN, limit);
  const observed = boundText(figure, atLeast);
  if (metric === 'min_samples')
    return `${scopeName(scope)} had ${observed} requests, objective ${op} ${bound}`;
  const subject = `${scopeName(scope)} ${name} was ${observed}`;
  const slow = metric in LATENCY && !relative_to ? facts.metrics.slow(scope, limit) : null;
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

/**
 * Less load than was offered is the server's doing where it kept the users busy, and the generator's where not.
 *
 * @param {import('./summary.js').Objective} objective
 * @param {number} share delivered
 * @param {Facts} facts
 * @returns {Judgement}
 */
function judgeDelivered({ scope, op, limit }, share, { plan, phases, metrics }) {
  const index = phases.findIndex(({ name }) => name === scope.phase);
  const phase = phases[index];
  const planned = plan.phases[index];
  if (!phase || !planned)
    return invalid(`${scopeName(scope)} delivered load could not be judged: no such phase`);
  const expected = planned.iterations ?? (planned.offered_rps ?? 0) * planned.duration_s;
  // An arrival that is cut in half by the phase's end is none: 28 of 28.5 are all that there could be.
  if (op === '>=' && (phase.iterations ?? 0) >= Math.floor(limit * expected)) return PASS;
  const cause = shortfallCause(phase, { plan, phases, vusMax: metrics.gauge('vus_max').max });
  const [delivered, bound] = apart(percent, share, limit);
  const reason =
    `${phase.name} delivered ${delivered} of its load (${number(phase.iterations)} of ${number(expected)} ` +
    `iterations, ${number(phase.dropped)} dropped), objective ${op} ${bound}: ${cause.because}`;
  return cause.hint === null ? fail(reason) : invalid(`${reason}; ${cause.hint}`, false);
}

/**
 * The objectives of a run. A scenario defines them as an object, scope -> metric -> limit:
 *
 *     { all: { failure_rate: 0.001 }, baseline: { p99_ms: 85 }, each: { p99_vs_first: 1.3 } }
 *
 * A scope is `all`, `each` (every measured phase that is not an overload), the name of a phase, `class:read`
 * or `operation:get_user`. Each objective that k6 can judge becomes a k6 threshold, with a guard on the
 * number of samples. Objectives that compare phases are judged after the run.
 */

import { ConfigError } from '../contract/config-error.js';
import { MIN_DELIVERED } from '../contract/limits.js';
import { expectedSamples, judgeableLimits } from './expected-samples.js';
import { namesOf } from './names-of.js';
import { ABSOLUTE, RELATIVE } from './objective-metrics.js';

/**
 * @typedef {Record<string, Record<string, number>>} Objectives
 *
 * @typedef {object} Objective
 * @property {{phase?: string, operation?: string, class?: string}} scope {} = the whole run
 * @property {string} metric
 * @property {'<' | '<=' | '>='} op
 * @property {number} limit
 * @property {number} [min_samples] the objective fails with fewer samples; for a relative one, with fewer in
 *   either phase
 * @property {{phase: string}} [relative_to] the observed value is the ratio to this phase's figure
 * @property {{metric: string, expression: string}} [k6] the k6 threshold that judges it
 * @property {{metric: string, expression: string}} [guard] the k6 threshold that fails with fewer samples
 *   than `min_samples`
 * @property {number} [expected_samples] samples of the planned load; absent: as many as the VUs can make
 * @property {string} [instead_of] the default's metric, for which there are too few samples
 */

/** Objectives for any server, in each phase. That the planned load is delivered is judged in addition. */
const OWED = { failure_rate: 0.01 };

const METRICS = [...Object.keys(ABSOLUTE), ...Object.keys(RELATIVE), 'delivered_share'];

/**
 * @param {string} text the THRESHOLDS variable
 * @returns {{off: boolean, documents: boolean, changes: string}} off: nothing is judged; documents: the
 *   limits of the benchmark documents apply; changes: `scope.metric=number` pairs, separated by commas
 */
export function readThresholds(text) {
  const [first = '', ...rest] = text.split(',');
  const documents = first.trim() === 'documents';
  return { off: text === 'off', documents, changes: documents ? rest.join(',') : text };
}

/**
 * The objectives of a server that no benchmark document covers: the limits for any server, the scenario's
 * limits for any server, and the documents' limits relative to the server's own first phase.
 *
 * @param {Objectives} documents the scenario's `objectives`
 * @param {Objectives} [anyServer] the scenario's `anyServer`
 * @returns {Objectives}
 */
export function owedObjectives(documents, anyServer = {}) {
  /** @type {Objectives} */
  const owed = { each: { ...OWED } };
  /** @param {string} scope @param {[string, number][]} limits */
  const add = (scope, limits) => {
    if (limits.length > 0) owed[scope] = { ...owed[scope], ...Object.fromEntries(limits) };
  };
  for (const [scope, limits] of Object.entries(documents))
    add(
      scope,
      Object.entries(limits).filter(([metric]) => metric.endsWith('_vs_first')),
    );
  for (const [scope, limits] of Object.entries(anyServer)) add(scope, Object.entries(limits));
  return owed;
}

/**
 * Plans the objectives of a run. A default with too few samples is replaced by a lower percentile with the
 * same limit.
 *
 * @param {Objectives} defaults `latency_vs_first` compares the highest percentile that has enough samples
 * @param {string} changes `scope.metric=number` pairs, separated by commas; '' = none
 * @param {import('./phases.js').PlannedPhase[]} phases
 * @param {import('./workload.js').Operation[]} operations
 * @param {{isTrial?: boolean}} [how] isTrial: one k6 run of a search that finds its load itself; no objective
 *   is refused for too few samples
 * @returns {Objective[]}
 * @throws {ConfigError} if THRESHOLDS names an unknown scope or metric, or an objective with too few samples
 */
export function planObjectives(defaults, changes, phases, operations, { isTrial = false } = {}) {
  const measured = phases.filter((phase) => phase.measured);
  const sustained = measured.filter((phase) => !phase.overload);
  /** @type {Objectives} */
  const wanted = {};
  for (const phase of sustained) {
    if (phase.offered_rps !== null) wanted[phase.name] = { delivered_share: MIN_DELIVERED };
  }
  const scopes = [
    'all',
    'each',
    ...measured.map((phase) => phase.name),
    ...new Set(operations.map((operation) => `class:${operation.class}`)),
    ...operations.map((operation) => `operation:${operation.operation}`),
  ];
  /** @param {string} scope @param {Record<string, number>} limits */
  const apply = (scope, limits) => {
    const names = scope === 'each' ? sustained.map((phase) => phase.name) : [scope];
    for (const name of names) wanted[name] = { ...wanted[name], ...limits };
  };
  for (const [scope, { latency_vs_first: limit, ...limits }] of Object.entries(defaults))
    apply(scope, limit === undefined ? limits : { ...limits, p99_vs_first: limit });
  /** @type {Map<string, string>} `scope.metric` -> the text in THRESHOLDS */
  const asked = new Map();
  const compared = measured.slice(1).map((phase) => phase.name);
  const offered = measured.filter((phase) => phase.offered_rps !== null).map((phase) => phase.name);
  const scopesOf = (/** @type {string} */ metric) => {
    if (metric === 'delivered_share') return offered.length > 0 ? ['each', ...offered] : [];
    if (RELATIVE[metric]) return compared.length > 0 ? ['each', ...compared] : [];
    return scopes;
  };
  for (const { scope, metric, limit } of parseChanges(changes, scopes)) {
    const valid = scopesOf(metric);
    if (!valid.includes(scope)) {
      throw new ConfigError(
        `THRESHOLDS has ${metric} for ${scope}, which has no such metric; valid: ${valid.join(', ') || 'no scope of this test'}`,
      );
    }
    apply(scope, { [metric]: limit });
    for (const one of scope === 'each' ? sustained.map(({ name }) => name) : [scope])
      asked.set(`${one}.${metric}`, `${scope}.${metric}=${limit}`);
  }

  const [first] = measured;
  return Object.entries(wanted).flatMap(([name, limits]) => {
    const scope = parseScope(name);
    const expected = expectedSamples(scope, phases, operations);
    const reference = first && first.name !== name ? first : undefined;
    const compared = reference
      ? Math.min(expected, expectedSamples({ phase: reference.name }, phases, operations))
      : expected;
    const judgeable = judgeableLimits(name, limits, {
      expected,
      compared,
      asked: isTrial ? new Map() : asked,
      phases,
    });
    return expand(name, judgeable, phases, reference).map((objective) => ({
      ...objective,
      ...(objective.min_samples !== undefined &&
        Number.isFinite(expected) && {
          expected_samples: Math.round(objective.relative_to ? compared : expected),
        }),
    }));
  });
}

/**
 * @param {string} text
 * @param {string[]} scopes
 */
function parseChanges(text, scopes) {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const [, scope = '', metric = '', number = ''] = /^(.+)\.(\w+)=(\d{1,12}(?:\.\d+)?)$/.exec(part) ?? [];
      if (!scopes.includes(scope) || !METRICS.includes(metric)) {
        throw new ConfigError(
          `THRESHOLDS has "${part.slice(0, 80)}"; valid: off, documents, or scope.metric=number with a scope of ` +
            `${namesOf(scopes)}, and a metric of ${METRICS.join(', ')}`,
        );
      }
      if (metric.endsWith('_ms') && Number(number) === 0)
        throw new ConfigError(`THRESHOLDS has "${part.slice(0, 80)}"; valid: more than 0 ms`);
      return { scope, metric, limit: Number(number) };
    });
}

/**
 * @param {string} name
 * @param {import('./expected-samples.js').Limit[]} limits
 * @param {import('./phases.js').PlannedPhase[]} phases
 * @param {import('./phases.js').PlannedPhase | undefined} first the reference of relative limits
 * @returns {Objective[]}
 */
function expand(name, limits, phases, first) {
  const scope = parseScope(name);
  const tags = Object.entries(scope).map(([tag, value]) => `${tag}:${value}`);
  const selector = selectorOf(tags);
  /** @param {import('./expected-samples.js').Limit} of @returns {Objective[]} */
  const objectiveOf = ({ metric, limit, ...rest }) => {
    const absolute = ABSOLUTE[metric];
    const relative = RELATIVE[metric];
    if (absolute) {
      const { of = 'mcp_requests', samples: min_samples } = absolute;
      const k6 = {
        metric: absolute.metric + selectorOf([...tags, ...(absolute.tags?.(limit) ?? [])]),
        expression: absolute.expression(limit),
      };
      // mcp_requests also counts handshakes, but only calls have a latency, so there may be fewer latencies.
      const guard = { metric: of + selector, expression: `count>=${min_samples}` };
      return [{ scope, metric, op: '<', limit, k6, guard, min_samples, ...rest }];
    }
    if (relative) {
      const { samples: min_samples, metric: compared, op } = relative;
      return first
        ? [{ scope, metric: compared, op, limit, min_samples, relative_to: { phase: first.name }, ...rest }]
        : [];
    }
    const phase = phases.find((candidate) => candidate.name === name);
    if (metric !== 'delivered_share' || phase?.offered_rps == null) return [];
    const expected = Math.floor(limit * phase.offered_rps * phase.duration_s);
    const k6 = { metric: `iterations${selector}`, expression: `count>=${expected}` };
    return [{ scope, metric, op: '>=', limit, k6 }];
  };
  return limits.flatMap(objectiveOf);
}

/** @param {string[]} tags @returns {string} the selector of a submetric */
const selectorOf = (tags) => (tags.length > 0 ? `{${tags.join(',')}}` : '');

/** @param {string} name @returns {Objective['scope']} */
function parseScope(name) {
  if (name === 'all') return {};
  const [, tag, value] = /^(class|operation):(.+)$/.exec(name) ?? [];
  return tag ? { [tag]: value } : { phase: name };
}

/**
 * @param {Objective[]} objectives
 * @returns {Record<string, string[]>} k6's thresholds
 */
export function toThresholds(objectives) {
  /** @type {Record<string, string[]>} */
  const thresholds = {};
  for (const { k6, guard } of objectives) {
    for (const { metric, expression } of [k6 ?? [], guard ?? []].flat())
      thresholds[metric] = [...new Set(thresholds[metric]).add(expression)];
  }
  return thresholds;
}

/**
 * @param {Objective[]} objectives
 * @returns {{scope: Objective['scope'], limit: number}[]} the objectives for percentiles; limit in
 *   milliseconds. Each call in the scope is counted as slower or not
 */
export function percentileLimits(objectives) {
  return objectives
    .filter(({ k6 }) => k6?.metric.startsWith('mcp_slow'))
    .map(({ scope, limit }) => ({ scope, limit }));
}

/**
 * The objectives that charts show as a line: percentiles, the share of failures, and multiples of the first
 * phase (`p99_vs_first`, `throughput_vs_first`).
 *
 * @param {Objective[]} objectives
 * @param {import('./phases.js').PlannedPhase[]} phases
 * @returns {{value: number, tags: {objective: string, phase: string} & Objective['scope']}[]} one entry per
 *   phase and objective; value: seconds, a share or a factor
 */
export function drawnObjectives(objectives, phases) {
  const measured = phases.filter((phase) => phase.measured).map(({ name }) => name);
  return objectives
    .filter(({ metric, relative_to }) => relative_to || ABSOLUTE[metric])
    .flatMap(({ metric, limit, scope, relative_to }) => {
      const isTime = metric.endsWith('_ms');
      const name = isTime ? metric.replace(/_ms$/, '') : metric;
      const objective = relative_to ? `${name}_vs_first` : name;
      const value = isTime && !relative_to ? limit / 1000 : limit;
      return (scope.phase ? [scope.phase] : measured).map((phase) => ({
        value,
        tags: { ...scope, phase, objective },
      }));
    });
}

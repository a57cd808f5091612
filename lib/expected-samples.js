/** Checks before the run that the planned load makes enough samples for each objective. */
import { ConfigError } from '../contract/config-error.js';
import { MIN_DELIVERED } from '../contract/limits.js';
import { samplesOf, stepDown } from './objective-metrics.js';

/** A suggested DURATION is a multiple of this, seconds. */
const ROUND_S = 5;

/** @typedef {{metric: string, limit: number, instead_of?: string}} Limit */

/**
 * @param {import('./objectives.js').Objective['scope']} scope
 * @param {import('./phases.js').PlannedPhase[]} phases
 * @param {import('./workload.js').Operation[]} operations
 * @returns {number} calls in the scope in all measured phases; Infinity if looping VUs make as many as they
 *   can
 */
export function expectedSamples({ phase: name, operation, class: kind }, phases, operations) {
  const isIn = (/** @type {import('./workload.js').Operation} */ one) =>
    (operation ?? one.operation) === one.operation && (kind ?? one.class) === one.class;
  let sum = 0;
  for (const phase of phases) {
    if (!phase.measured || (name ?? phase.name) !== phase.name) continue;
    const share = operations.reduce(
      (total, one, index) => (isIn(one) ? total + shareOf(phase, one, index) : total),
      0,
    );
    if (share > 0) sum += share * callsOf(phase);
  }
  return sum;
}

/**
 * @param {import('./phases.js').PlannedPhase} phase
 * @param {import('./workload.js').Operation} operation
 * @param {number} index the operation's index
 * @returns {number} calls of the operation per iteration
 */
function shareOf(phase, { operation, weight, calls }, index) {
  const percent = phase.operation
    ? phase.operation === operation
      ? 100
      : 0
    : (phase.weights?.[index] ?? weight);
  return (percent / 100) * (calls?.length ?? 1);
}

/** @param {import('./phases.js').PlannedPhase} phase */
const callsOf = ({ iterations, offered_rps: rate, duration_s }) =>
  iterations ?? (rate === null ? Number.POSITIVE_INFINITY : rate * duration_s);

/**
 * @param {string} scope
 * @param {Record<string, number>} limits by metric
 * @param {object} planned
 * @param {number} planned.expected expected samples in the scope
 * @param {number} planned.compared expected samples for a relative objective: the smaller of `expected` and
 *   the first phase's
 * @param {Map<string, string>} planned.asked `scope.metric` of THRESHOLDS
 * @param {import('./phases.js').PlannedPhase[]} planned.phases
 * @returns {Limit[]} a default with too few samples is replaced by the highest percentile that has enough
 * @throws {ConfigError} if the load makes too few samples for an objective of THRESHOLDS
 */
export function judgeableLimits(scope, limits, { expected, compared, asked, phases }) {
  return Object.entries(limits).flatMap(([metric, limit]) => {
    const planned = metric.endsWith('_vs_first') ? compared : expected;
    // A run at an arrival rate may drop some iterations and is still judged.
    const samples = isBounded(scope, phases) ? planned : MIN_DELIVERED * planned;
    if (samples >= samplesOf(metric)) return [{ metric, limit }];
    const lower = stepDown(metric, samples);
    const text = asked.get(`${scope}.${metric}`);
    if (text) throw new ConfigError(tooFewSamples(text, scope, { metric, lower, planned, samples, phases }));
    // A metric can have only one limit.
    if (lower !== metric && lower in limits) return [];
    return [{ metric: lower, limit, ...(lower !== metric && { instead_of: metric }) }];
  });
}

/**
 * @param {string} scope
 * @param {import('./phases.js').PlannedPhase[]} phases
 * @returns {boolean} whether the number of calls is fixed in advance
 */
const isBounded = (scope, phases) =>
  phases
    .filter(({ name, measured }) => measured && (name === scope || !phases.some((one) => one.name === scope)))
    .every(({ iterations }) => iterations !== null);

/**
 * @param {string} text the objective as written in THRESHOLDS
 * @param {string} scope
 * @param {{metric: string, lower: string, planned: number, samples: number, phases:
 *   import('./phases.js').PlannedPhase[]}} found
 * @returns {string} the error message, with values that would work
 */
function tooFewSamples(text, scope, { metric, lower, planned, samples, phases }) {
  const phase = phases.find(({ name, measured }) => measured && name === scope);
  const load = phase?.offered_rps
    ? ` (${number(phase.offered_rps)}/s for ${number(phase.duration_s)} s)`
    : '';
  const lengthS = phases.reduce((sum, one) => sum + (one.measured ? one.duration_s : 0), 0);
  const longerS = ROUND_S * Math.ceil((lengthS * samplesOf(metric)) / samples / ROUND_S);
  const ways = [
    ...(isBounded(scope, phases) || samples === 0 ? [] : [`DURATION=${longerS}s`]),
    ...(samples >= samplesOf(lower) ? [text.replace(metric, lower)] : []),
  ];
  return (
    `THRESHOLDS has ${text}, which needs ${samplesOf(metric)} samples, but ${scope} will have ${Math.round(planned)}${load}; ` +
    `valid: ${ways.join(', or ') || 'an objective that needs fewer samples'}`
  );
}

/** @param {number} value */
const number = (value) => Number(value.toPrecision(3));

/** Whether the planned load makes the samples that an objective takes: known before anything is sent. */
import { ConfigError } from '../contract/config-error.js';
import { MIN_DELIVERED } from '../contract/limits.js';
import { samplesOf, stepDown } from './objective-metrics.js';

/** A DURATION that is suggested is a multiple of it, seconds. */
const ROUND_S = 5;

/** @typedef {{metric: string, limit: number, instead_of?: string}} Limit */

/**
 * @param {import('./objectives.js').Objective['scope']} scope
 * @param {import('./phases.js').PlannedPhase[]} phases
 * @param {import('./workload.js').Operation[]} operations
 * @returns {number} calls of all measured phases in the scope; Infinity: as many as their users can make
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
 * @param {number} index of the operation
 * @returns {number} calls of the operation in an iteration
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
 * @param {number} planned.expected samples in the scope
 * @param {number} planned.compared the same, or those of the first phase if there are fewer
 * @param {Map<string, string>} planned.asked `scope.metric` of THRESHOLDS
 * @param {import('./phases.js').PlannedPhase[]} planned.phases
 * @returns {Limit[]} a default with too few samples as the percentile that they are enough for
 * @throws {ConfigError} if THRESHOLDS asks for what the load makes too few samples for
 */
export function judgeableLimits(scope, limits, { expected, compared, asked, phases }) {
  return Object.entries(limits).flatMap(([metric, limit]) => {
    const planned = metric.endsWith('_vs_first') ? compared : expected;
    // Of an arrival rate a run may lose some, and is judged all the same.
    const samples = isBounded(scope, phases) ? planned : MIN_DELIVERED * planned;
    if (samples >= samplesOf(metric)) return [{ metric, limit }];
    const lower = stepDown(metric, samples);
    const text = asked.get(`${scope}.${metric}`);
    if (text) throw new ConfigError(tooFewSamples(text, scope, { metric, lower, planned, samples, phases }));
    // Two limits of one metric would be one too many.
    if (lower !== metric && lower in limits) return [];
    return [{ metric: lower, limit, ...(lower !== metric && { instead_of: metric }) }];
  });
}

/** @param {string} scope @param {import('./phases.js').PlannedPhase[]} phases @returns {boolean} all calls are counted before */
const isBounded = (scope, phases) =>
  phases
    .filter(({ name, measured }) => measured && (name === scope || !phases.some((one) => one.name === scope)))
    .every(({ iterations }) => iterations !== null);

/**
 * @param {string} text as THRESHOLDS has it
 * @param {string} scope
 * @param {{metric: string, lower: string, planned: number, samples: number, phases: import('./phases.js').PlannedPhase[]}} found
 * @returns {string} what would do
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
    `THRESHOLDS has ${text}, which takes ${samplesOf(metric)} samples, and ${scope} will have ${Math.round(planned)}${load}; ` +
    `valid: ${ways.join(', or ') || 'an objective that fewer samples are enough for'}`
  );
}

/** @param {number} value */
const number = (value) => Number(value.toPrecision(3));

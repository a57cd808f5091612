/**
 * How long after an overload the answers were normal again.
 */
import { peaks } from './phases.js';
import { round } from './round.js';

/**
 * @typedef {object} Recovery
 * @property {string} overload the phase that ended
 * @property {string} baseline the phase whose latency is normal
 * @property {number} band_ms p99 at or below is normal
 * @property {number} baseline_p99_ms
 * @property {number} observed_s how long was watched after the overload
 * @property {number | null} recovery_s null: not within what was watched, or not enough to tell
 * @property {'high' | 'medium' | 'low' | 'not_enough_to_tell'} confidence
 * @property {number} points p99 values seen
 *
 * @typedef {object} RecoveryPlan what to ask Prometheus, and what to compare the answer with
 * @property {string} overload
 * @property {string} baseline
 * @property {number} band_ms
 * @property {number} baseline_p99_ms
 * @property {string[]} phases after the overload
 * @property {number} fromS Unix time of the overload's end
 * @property {number} toS
 */

/** Normal is what the objective allows, or this much over the baseline where that is more. */
const BAND = 1.3;
const STEP_S = 2;
/** p99 is read over this window, so a recovery is seen up to this much late. */
export const WINDOW_S = 6;
/** Recovered is from when p99 stays in the band for so long; a slow moment later on is not the spike's doing. */
export const HOLD_S = 10;
const MIN_POINTS = 3;
const MANY_POINTS = 10;

/**
 * @param {import('./phases.js').Phase[]} phases
 * @param {import('./summary.js').Objective[]} objectives
 * @returns {RecoveryPlan | null} null where there was no overload with a measured baseline before and a phase after
 */
export function planRecovery(phases, objectives) {
  const overload = peaks(phases).at(-1);
  const index = overload ? phases.indexOf(overload) : -1;
  const baseline = phases.find(
    (phase, i) => i < index && phase.measured && !phase.overload && phase.latency_ms,
  );
  const after = phases.slice(index + 1).filter((phase) => phase.measured && phase.start !== null);
  const last = after.at(-1);
  if (!overload?.end || !baseline?.latency_ms || !last?.end) return null;
  const limits = objectives
    .filter(
      ({ scope, metric, relative_to }) =>
        scope.phase === baseline.name && metric === 'p99_ms' && !relative_to,
    )
    .map(({ limit }) => limit);
  return {
    overload: overload.name,
    baseline: baseline.name,
    baseline_p99_ms: baseline.latency_ms.p99,
    band_ms: round(Math.max(...limits, BAND * baseline.latency_ms.p99)),
    phases: after.map((phase) => phase.name),
    fromS: Date.parse(overload.end) / 1000,
    toS: Date.parse(last.end) / 1000,
  };
}

/**
 * @param {import('./prometheus.js').Prometheus} prometheus
 * @param {string} testid
 * @param {RecoveryPlan} plan
 * @returns {Promise<Recovery>}
 * @throws {import('./prometheus.js').PrometheusError}
 */
export async function observeRecovery(prometheus, testid, plan) {
  const names = plan.phases.map((name) => name.replace(/[^\w-]/g, '.')).join('|');
  const id = JSON.stringify(testid);
  const query =
    `histogram_quantile(0.99, sum(rate(` +
    `k6_mcp_request_duration_seconds{testid=${id},phase=~"${names}"}[${WINDOW_S}s])))`;
  const [series] = await prometheus.queryRange(query, plan.fromS, plan.toS, STEP_S);
  return judgeRecovery(
    plan,
    (series?.points ?? []).map(([timeS, seconds]) => ({ afterS: timeS - plan.fromS, p99Ms: seconds * 1000 })),
  );
}

/**
 * @param {RecoveryPlan} plan
 * @param {{afterS: number, p99Ms: number}[]} points after the overload's end, in order
 * @returns {Recovery}
 */
export function judgeRecovery(plan, points) {
  const observedS = plan.toS - plan.fromS;
  const inBand = (/** @type {{p99Ms: number}} */ { p99Ms }) => p99Ms <= plan.band_ms;
  const holds = (/** @type {{afterS: number}} */ { afterS: from }) =>
    points.every((point) => point.afterS < from || point.afterS > from + HOLD_S || inBand(point));
  const recovered = points.find(holds);
  /** @type {Pick<Recovery, 'recovery_s' | 'confidence'>} */
  let outcome;
  if (points.length < MIN_POINTS || (recovered && observedS - recovered.afterS < HOLD_S)) {
    outcome = { recovery_s: null, confidence: 'not_enough_to_tell' };
  } else {
    outcome = {
      recovery_s: recovered ? round(recovered.afterS, 1) : null,
      confidence: points.length >= MANY_POINTS ? 'high' : 'medium',
    };
  }
  return {
    overload: plan.overload,
    baseline: plan.baseline,
    band_ms: plan.band_ms,
    baseline_p99_ms: plan.baseline_p99_ms,
    observed_s: round(observedS, 1),
    points: points.length,
    ...outcome,
  };
}

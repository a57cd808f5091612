/**
 * PromQL about phases: when they were, how long, and one beside the other. k6 says in its set-up when each phase begins
 * and ends, so no time has to be guessed from the samples. Every function returns an expression as text.
 */
import {
  DROPPED,
  DURATION,
  FAILURES,
  ITERATIONS,
  orZero,
  percentileOfRun,
  REQUESTS,
  saidByRun,
  shareOfRun,
  total,
} from './queries.js';

/** @returns {string} Unix time at which the phases began, a number */
export const runStart = () => `scalar(max(${saidByRun('mcp_started_seconds')}))`;

/** @param {string} [where] @returns {string} seconds into the run, by phase */
export const phaseStart = (where) => `max by (phase) (${saidByRun('mcp_phase_start_seconds', where)})`;

/** @param {string} [where] @returns {string} seconds into the run, by phase: planned while it has not ended */
export const phaseEnd = (where) => `max by (phase) (${saidByRun('mcp_phase_end_seconds', where)})`;

/** @returns {string} how long each phase has run so far */
export const phaseSeconds = () => `(clamp_max(${phaseEnd()}, time() - ${runStart()}) - ${phaseStart()} > 0)`;

/** @returns {string} those phases that were measured, with their requests: all but the warm-up */
export const requestsByPhase = () => total(REQUESTS, 'phase');

/** @returns {string} when each measured phase began, Unix time in milliseconds */
export const startedMs = () => `1000 * (${runStart()} + ${phaseStart()}) and on (phase) ${requestsByPhase()}`;

/**
 * Prometheus answers in the order of the left side, and bars are drawn in the order of the answer.
 *
 * @param {string} expr with the label phase
 * @returns {string} the same, the phases in the order in which they ran
 */
export const inOrder = (expr) => `0 * sort(${phaseStart()}) + on (phase) (${expr})`;

/** @param {number} quantile @returns {string} seconds, by phase */
export const percentileByPhase = (quantile) => percentileOfRun(quantile, DURATION, 'phase');

/** @returns {string} failed requests of all, by phase */
export const failedByPhase = () => shareOfRun(FAILURES, REQUESTS, 'phase');

/** @returns {string} iterations made, of those that were due, by phase: with all users busy, k6 drops what is due */
export function deliveredByPhase() {
  const made = `(${total(ITERATIONS, 'phase')} and on (phase) ${requestsByPhase()})`;
  // A scenario is named like its phase; dropped iterations carry no other label.
  const dropped = `label_replace(${total(DROPPED, 'scenario')}, "phase", "$1", "scenario", "(.*)")`;
  return `${made} / (${made} + ${orZero(`sum by (phase) (${dropped})`, made)})`;
}

/** @returns {string} iterations per second, by phase */
export const achievedByPhase = () => `${total(ITERATIONS, 'phase')} / ${phaseSeconds()}`;

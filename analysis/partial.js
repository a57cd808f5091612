import { duration } from '../contract/units.js';
import { round } from './round.js';

/**
 * A run that was ended before its end, by a signal, a crash or itself.
 *
 * @typedef {object} Partial
 * @property {number} ran_s
 * @property {number | null} planned_s null: the test has no planned length
 */

/** k6's exit codes of a run that came to its end: 99 where it missed a threshold. */
const COMPLETE = [0, 99];

/**
 * @param {object} run one whose load began
 * @param {import('./summary.js').Plan} run.plan
 * @param {number} run.k6Exit
 * @param {number} run.ranS
 * @param {boolean} run.legs is it one of several k6 runs, of which the plan is not the whole?
 * @returns {Partial | null} null: it came to its end
 */
export function partialOf({ plan, k6Exit, ranS, legs }) {
  if (COMPLETE.includes(k6Exit)) return null;
  const ends = plan.phases.map(({ start_s, duration_s }) => start_s + duration_s);
  const timed = !legs && !plan.sequence && ends.length > 0;
  return { ran_s: round(ranS), planned_s: timed ? round(Math.max(...ends)) : null };
}

/**
 * @param {Pick<import('./run.js').Run, 'duration_s' | 'partial'>} run
 * @returns {string} such as `39 s`, or `partial: 10.5 s of 39 s`; empty where its load never began
 */
export function lengthText({ duration_s, partial }) {
  if (duration_s === null) return '';
  return partial ? `partial: ${ofPlanned(partial)}` : duration(duration_s);
}

/** @param {Partial} partial @returns {string} `10.5 s of 39 s` */
export function ofPlanned({ ran_s, planned_s }) {
  return duration(ran_s) + (planned_s === null ? '' : ` of ${duration(planned_s)}`);
}

import { MIN_DELIVERED } from '../contract/limits.js';
import { samplesOf } from './objective-metrics.js';

/** At a low rate a test may take this many times its length. */
export const MAX_GROWTH = 2;
/** Some may be lost. */
const CALLS_OF_P99 = Math.ceil(samplesOf('p99_ms') / MIN_DELIVERED);
/** A phase that gives time to others keeps this share of its own: a shorter spike would be another test. */
const MIN_KEPT = 0.5;

/**
 * At a low rate a phase in proportion can be too short for a p99, or to show what is normal. The whole grows up to a bound; beyond it, such a
 * phase takes the time from those that have more than they need. If that is not enough for all, the first phase gets it: the others are
 * compared with it.
 *
 * @param {import('./phases.js').Phase[]} shape
 * @param {number[]} lengths seconds, in proportion
 * @param {number} factor on the arrival rates
 * @param {number} maxS of all together, seconds
 * @returns {number[]} seconds; as they are if there is not enough time for the first either
 */
export function longEnough(shape, lengths, factor, maxS) {
  const least = lengths.map((length) => MIN_KEPT * length);
  const needed = shape.map(({ rate, overload }, index) => {
    if (rate === undefined || overload) return least[index] ?? 0;
    return Math.max(least[index] ?? 0, CALLS_OF_P99 / (rate * factor));
  });
  const ofFirst = least.map((length, index) => (index === 0 ? (needed[0] ?? 0) : length));
  return lengthen(lengths, needed, maxS) ?? lengthen(lengths, ofFirst, maxS) ?? lengths;
}

/** @param {number[]} lengths @param {number[]} needed @param {number} maxS @returns {number[] | null} null: there is not enough time */
function lengthen(lengths, needed, maxS) {
  const need = (/** @type {number} */ index) => needed[index] ?? 0;
  const lacking = sum(lengths.map((length, index) => Math.max(0, need(index) - length)));
  const spare = lengths.map((length, index) => Math.max(0, length - need(index)));
  const beyond = Math.max(0, lacking - Math.max(0, maxS - sum(lengths)));
  if (beyond > sum(spare)) return null;
  const taken = beyond === 0 ? 0 : beyond / sum(spare);
  return lengths.map((length, index) => Math.max(length, need(index)) - taken * (spare[index] ?? 0));
}

/** @param {number[]} all */
const sum = (all) => all.reduce((total, length) => total + length, 0);

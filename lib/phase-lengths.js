import { MIN_DELIVERED } from '../contract/limits.js';
import { samplesOf } from './objective-metrics.js';

/** At a low rate a test may take up to this many times its normal length. */
export const MAX_GROWTH = 2;
/** Allows for dropped iterations. */
const CALLS_OF_P99 = Math.ceil(samplesOf('p99_ms') / MIN_DELIVERED);
/** A phase that is shortened to lengthen others keeps at least this share of its length. */
const MIN_KEPT = 0.5;

/**
 * Lengthens phases that are too short for a p99 at a low rate. The whole test grows up to `maxS`. If that is
 * not enough, phases with spare time are shortened. If that is still not enough, only the first phase is
 * lengthened, because the others are compared with it.
 *
 * @param {import('./phases.js').Phase[]} shape
 * @param {number[]} lengths seconds, in proportion
 * @param {number} factor multiplier of the arrival rates
 * @param {number} maxS maximum total length, seconds
 * @returns {number[]} seconds; `lengths` if there is not enough time even for the first phase
 */
export function longEnough(shape, lengths, factor, maxS) {
  const minLengths = lengths.map((length) => MIN_KEPT * length);
  const needed = shape.map(({ rate, overload }, index) => {
    if (rate === undefined || overload) return minLengths[index] ?? 0;
    return Math.max(minLengths[index] ?? 0, CALLS_OF_P99 / (rate * factor));
  });
  const ofFirst = minLengths.map((length, index) => (index === 0 ? (needed[0] ?? 0) : length));
  return lengthen(lengths, needed, maxS) ?? lengthen(lengths, ofFirst, maxS) ?? lengths;
}

/**
 * @param {number[]} lengths
 * @param {number[]} needed
 * @param {number} maxS
 * @returns {number[] | null} null = not enough time
 */
function lengthen(lengths, needed, maxS) {
  const need = (/** @type {number} */ index) => needed[index] ?? 0;
  const lacking = sum(lengths.map((length, index) => Math.max(0, need(index) - length)));
  const spare = lengths.map((length, index) => Math.max(0, length - need(index)));
  const beyond = Math.max(0, lacking - Math.max(0, maxS - sum(lengths)));
  if (beyond > sum(spare)) return null;
  const shortening = beyond === 0 ? 0 : beyond / sum(spare);
  return lengths.map((length, index) => Math.max(length, need(index)) - shortening * (spare[index] ?? 0));
}

/** @param {number[]} all */
const sum = (all) => all.reduce((total, length) => total + length, 0);

import { DELIVERED_SHARE } from './expected-samples.js';
import { samplesOf } from './objective-metrics.js';

/** A phase that gives time to others keeps this share of its own: a shorter spike would be another test. */
const MIN_KEPT = 0.5;

/**
 * At a low rate a phase in proportion can be too short for a p99, or to show what is normal. It takes the time from those that have more
 * than they need, and the whole grows up to a bound.
 *
 * @param {import('./phases.js').Phase[]} shape
 * @param {number[]} lengths seconds, in proportion
 * @param {number} factor on the arrival rates
 * @param {number} maxS of all together, seconds
 * @returns {number[]} seconds; as they are if there is not enough time for all
 */
export function longEnough(shape, lengths, factor, maxS) {
  const needed = shape.map(({ rate, overload }, index) => {
    const length = lengths[index] ?? 0;
    if (rate === undefined || overload) return MIN_KEPT * length;
    return Math.max(MIN_KEPT * length, samplesOf('p99_ms') / (DELIVERED_SHARE * rate * factor));
  });
  const isShort = lengths.map((length, index) => length < (needed[index] ?? 0));
  if (!isShort.includes(true)) return lengths;
  const sum = (/** @type {number[]} */ all) => all.reduce((total, length) => total + length, 0);
  const lacking = sum(lengths.map((length, index) => Math.max(0, (needed[index] ?? 0) - length)));
  const spare = lengths.map((length, index) => Math.max(0, length - (needed[index] ?? 0)));
  if (lacking > sum(spare) + Math.max(0, maxS - sum(lengths))) return lengths;
  const taken = Math.min(1, lacking / sum(spare));
  return lengths.map((length, index) =>
    isShort[index] ? (needed[index] ?? 0) : length - taken * (spare[index] ?? 0),
  );
}

/** Candidates for a number: small ones first, inside the bounds of all the schemas that apply. */
import { own } from './json.js';
import { Impossible } from './limits.js';
import { boundsOf, INTEGER_FORMATS } from './validate.js';

/**
 * @typedef {object} Wanted
 * @property {number} low
 * @property {number} high
 * @property {boolean} open is a bound exclusive?
 * @property {boolean} integer
 * @property {{numerator: number, decimals: number} | null} step of which it must be a multiple, as numerator / 10^decimals
 */

/**
 * @param {import('./facts.js').Facts} facts
 * @param {import('./facts.js').Place} place
 * @returns {Generator<number>} the caller tests each: a schema may want more than is looked at here
 */
export function* numbers({ nodes, integer, fraction }, { random }) {
  const wanted = wants(nodes, integer);
  const { low, high, step } = wanted;
  if (low > high) throw new Impossible(`no number is at least ${low} and at most ${high}`);
  if (step) {
    yield* grid(step.numerator, 10 ** step.decimals, wanted, random);
    return;
  }
  // Whole numbers where the bounds leave room for them: many a "number" is a count. Else the coarsest grid that has
  // a few within the bounds.
  const scales = integer ? [1] : [1, 10, 100, 1000, 1e6, 1e9, 1e12];
  const enough = scales.findIndex((scale) => Math.floor(high * scale) - Math.ceil(low * scale) >= 2);
  const chosen = Math.max(enough, fraction ? 1 : 0);
  for (const scale of [scales[chosen] ?? 1, ...scales]) yield* grid(1, scale, wanted, random);
  const between = [
    low + (high - low) / 2,
    low + Math.abs(low) * Number.EPSILON,
    high - Math.abs(high) * Number.EPSILON,
  ];
  // Without a bound they are no numbers of JSON.
  yield* between.filter(Number.isFinite);
}

/**
 * @param {import('./json.js').JsonObject[]} nodes
 * @param {boolean} integer
 * @returns {Wanted}
 */
function wants(nodes, integer) {
  /** @type {Wanted} */
  const wanted = { low: -Infinity, high: Infinity, open: false, integer, step: null };
  for (const node of nodes) {
    const { low, lowExclusive, high, highExclusive } = boundsOf(node);
    const range = own(INTEGER_FORMATS, String(node.format));
    wanted.low = Math.max(wanted.low, low, range?.[0] ?? -Infinity);
    wanted.high = Math.min(wanted.high, high, range?.[1] ?? Infinity);
    wanted.open ||= lowExclusive || highExclusive;
    if (typeof node.multipleOf === 'number' && node.multipleOf > 0) {
      wanted.step = common(wanted.step, decimal(node.multipleOf));
    }
    if (range) wanted.integer = true;
  }
  if (wanted.step && wanted.integer) wanted.step = common(wanted.step, { numerator: 1, decimals: 0 });
  return wanted;
}

/** @param {number} number @returns {{numerator: number, decimals: number}} */
function decimal(number) {
  const [digits = '', exponent = '0'] = String(number).split('e');
  const decimals = Math.max(0, (digits.split('.')[1]?.length ?? 0) - Number(exponent));
  return { numerator: Math.round(number * 10 ** decimals), decimals };
}

/**
 * @param {{numerator: number, decimals: number} | null} one
 * @param {{numerator: number, decimals: number}} other
 * @returns {{numerator: number, decimals: number}} the least number that is a multiple of both
 */
function common(one, other) {
  if (!one) return other;
  const decimals = Math.max(one.decimals, other.decimals);
  const a = one.numerator * 10 ** (decimals - one.decimals);
  const b = other.numerator * 10 ** (decimals - other.decimals);
  let [x, y] = [a, b];
  while (y > 0) [x, y] = [y, x % y];
  return { numerator: (a / x) * b, decimals };
}

/**
 * Multiples of numerator / denominator. Divided last, so that what should be 0.3 is not 0.30000000000000004.
 *
 * @param {number} numerator
 * @param {number} denominator
 * @param {Wanted} wanted
 * @param {import('./random.js').Random} random
 * @returns {Generator<number>}
 */
function* grid(numerator, denominator, { low, high }, random) {
  const from = Math.ceil((low * denominator) / numerator);
  const to = Math.floor((high * denominator) / numerator);
  if (from > to) return;
  // From 1 upwards where the bounds let it, else what is nearest to it.
  const start = Math.min(Math.max(1, from), to);
  const up = start < to || from === to;
  for (const width of [9, 9, 99, 99, 999]) {
    const end = up
      ? Math.min(to, start + width * (numerator === 1 ? denominator : 1))
      : Math.max(from, start - width);
    const index =
      Math.abs(end - start) < 2 ** 53 ? random.integer(Math.min(start, end), Math.max(start, end)) : start;
    yield (index * numerator) / denominator;
  }
  for (let n = 0; n < 40; n += 1) {
    const index = up ? start + n : start - n;
    if (index >= from && index <= to) yield (index * numerator) / denominator;
  }
  for (const index of [from, to, to - 1, 0]) {
    if (Number.isFinite(index) && index >= from && index <= to) yield (index * numerator) / denominator;
  }
}

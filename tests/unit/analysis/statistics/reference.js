import { readFileSync } from 'node:fs';

/** @type {Record<string, any[]>} what SciPy and Otava say, made by make-reference.py */
export const REFERENCE = JSON.parse(readFileSync(new URL('reference.json', import.meta.url), 'utf8'));

/**
 * @param {number | null} actual
 * @param {number | null} expected
 * @param {number} [share] they may differ by, of 1 or of the figure itself where that is larger
 * @returns {boolean}
 */
export function close(actual, expected, share = 1e-9) {
  if (actual === null || expected === null) return actual === expected;
  return Math.abs(actual - expected) <= share * Math.max(1, Math.abs(expected));
}

/** @param {() => number} random @returns {number} standard normal */
export const normal = (random) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/**
 * @param {() => number} random
 * @param {number} memory how much of each value is the one before, 0 to 1
 * @param {number} count
 * @returns {number[]} of variance 1
 */
export function remembering(random, memory, count) {
  let value = normal(random);
  return Array.from({ length: count }, () => {
    value = memory * value + Math.sqrt(1 - memory ** 2) * normal(random);
    return value;
  });
}

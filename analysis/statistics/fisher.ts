import { gammaln } from 'simple-statistics';

/** A term below this share of the sum changes nothing in it. */
const NEGLIGIBLE = 1e-17;

/**
 * Fisher's exact test, one-sided: R. A. Fisher, On the Interpretation of chi-square from Contingency Tables, JRSS 85, 1922.
 *
 * @param marked of `size`, the part that is suspected
 * @param others of `rest`, everything else
 * @returns the probability that so many of the marked ones, or more, are in the part by chance
 */
export function fisherTail(marked: number, size: number, others: number, rest: number): number {
  const all = marked + others;
  const whole = logChoose(size + rest, all);
  let sum = 0;
  for (let count = marked; count <= Math.min(size, all); count += 1) {
    const term = Math.exp(logChoose(size, count) + logChoose(rest, all - count) - whole);
    sum += term;
    if (term < NEGLIGIBLE * sum) break;
  }
  return Math.min(1, sum);
}

const logChoose = (n: number, k: number): number => gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1);

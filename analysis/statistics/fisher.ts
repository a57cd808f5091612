import { gammaln } from 'simple-statistics';

/** Terms below this share of the sum do not change it. */
const NEGLIGIBLE = 1e-17;

/**
 * Fisher's exact test, one-sided: R. A. Fisher, On the Interpretation of chi-square from Contingency Tables,
 * JRSS 85, 1922.
 *
 * @param marked number of marked items in the suspected part
 * @param size size of that part
 * @param others number of marked items in the rest
 * @param rest size of the rest
 * @returns the probability that at least `marked` of the marked items are in the part by chance
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

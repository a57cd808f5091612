/** The mean of a few measurements, with its confidence interval. */

/**
 * Two-sided 95 % quantiles of Student's t distribution by degrees of freedom; the last one is accurate enough
 * for more.
 */
const T_95 = [
  12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131,
  2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
];
const T_95_MANY = 1.96;

interface Interval {
  mean: number;
  /** null for a single measurement, which does not show any variance. */
  low: number | null;
  high: number | null;
  count: number;
}

/** @param freedom at least 1 */
export const studentT = (freedom: number) => T_95[freedom - 1] ?? T_95_MANY;

/** @param values at least one */
export const meanOf = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** @param values at least one @returns for an even number of values, the mean of the middle two */
export function medianOf(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return meanOf([sorted[Math.floor(middle)] ?? Number.NaN, sorted[Math.ceil(middle)] ?? Number.NaN]);
}

/**
 * @param values independent measurements of the same quantity
 * @returns the 95 % confidence interval of the mean; null without values
 */
export function intervalOf(values: number[]): Interval | null {
  const count = values.length;
  if (count === 0) return null;
  const mean = meanOf(values);
  if (count === 1) return { mean, low: null, high: null, count };
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (count - 1);
  const half = studentT(count - 1) * Math.sqrt(variance / count);
  return { mean, low: mean - half, high: mean + half, count };
}

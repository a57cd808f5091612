import { meanOf } from './interval.ts';

/** Upper bound of an estimated autocorrelation: higher values cannot be estimated from the series itself. */
const MAX_ESTIMATE = 0.9;

/**
 * @param values in order of time, evenly spaced
 * @returns the autocorrelation at a lag, -1 to 1, corrected for the smaller number of products at larger
 *   lags
 */
export function autocorrelation(values: number[]): (lag: number) => number {
  const mean = meanOf(values);
  const centred = values.map((value) => value - mean);
  const n = values.length;
  const square = centred.reduce((sum, value) => sum + value * value, 0);
  return (lag) => {
    if (square === 0) return 0;
    let products = 0;
    for (let index = lag; index < n; index += 1)
      products += Number(centred[index]) * Number(centred[index - lag]);
    return (products * n) / ((n - lag) * square);
  };
}

/**
 * Variance inflation of a trend of autocorrelated values: (1 + r) / (1 - r), where r is the autocorrelation
 * at lag 1 (Bartlett 1946; Hamed & Rao 1998 for the trend test). Subtracting a fitted line reduces the
 * autocorrelation by (2 + 4 r) / n, which is corrected (Kendall 1954, Marriott & Pope 1954).
 *
 * @param residuals residuals of a line through values in order of time, evenly spaced
 * @returns at least 1
 */
export function varianceInflation(residuals: number[]): number {
  const n = residuals.length;
  if (n <= 4) return 1;
  const r = Math.min(MAX_ESTIMATE, Math.max(0, (autocorrelation(residuals)(1) + 2 / n) / (1 - 4 / n)));
  return (1 + r) / (1 - r);
}

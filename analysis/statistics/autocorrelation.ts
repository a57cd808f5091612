import { meanOf } from './interval.ts';

/** Beyond this a series says next to nothing more with each value; what it is exactly can't be told from it. */
const MOST = 0.9;

/**
 * @param values in order of time, evenly spaced
 * @returns how alike values so far apart are, -1 to 1; corrected for the fewer products of longer lags
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
 * By how much the variance of a trend is larger than that of as many independent values: (1 + r) / (1 - r), for values that
 * remember the one before by r (Bartlett 1946; Hamed & Rao 1998 for the trend test). What is left when a line is taken away looks
 * less alike than it is, by (2 + 4 r) / n (Kendall 1954, Marriott & Pope 1954), which is put back.
 *
 * @param residuals of a line through values in order of time, evenly spaced
 * @returns at least 1
 */
export function varianceInflation(residuals: number[]): number {
  const n = residuals.length;
  if (n <= 4) return 1;
  const r = Math.min(MOST, Math.max(0, (autocorrelation(residuals)(1) + 2 / n) / (1 - 4 / n)));
  return (1 + r) / (1 - r);
}

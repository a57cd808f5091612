/** The 97.5 % quantile of the normal distribution, for a two-sided 95 % interval. */
const Z = 1.959964;

/**
 * The 95 % confidence interval of a share (Wilson's score, 1927). It is also valid for small samples and for shares of
 * 0 and 1.
 *
 * @param {number} right
 * @param {number} all at least 1
 * @returns {{share: number, low: number, high: number}}
 */
export function wilson(right, all) {
  const share = right / all;
  const middle = share + Z ** 2 / (2 * all);
  const half = Z * Math.sqrt((share * (1 - share)) / all + Z ** 2 / (4 * all ** 2));
  const whole = 1 + Z ** 2 / all;
  return {
    share,
    // For shares of 0 and 1 the terms cancel exactly; this avoids rounding errors.
    low: right === 0 ? 0 : (middle - half) / whole,
    high: right === all ? 1 : (middle + half) / whole,
  };
}

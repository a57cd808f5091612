/** Standard deviations to either side that hold 95 % of a normal distribution. */
const Z = 1.959964;

/**
 * Where a share is, 19 times of 20, by Wilson's score (1927): it holds for few and for all of them, too.
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
    // Of none and of all the terms cancel but for rounding.
    low: right === 0 ? 0 : (middle - half) / whole,
    high: right === all ? 1 : (middle + half) / whole,
  };
}

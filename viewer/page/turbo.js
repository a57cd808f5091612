/** The colour scale Turbo, by the polynomials that Google published with it. */

const RED = [34.61, 1172.33, -10793.56, 33300.12, -38394.49, 14825.05];
const GREEN = [23.31, 557.33, 1225.33, -3574.96, 1073.77, 707.56];
const BLUE = [27.2, 3211.1, -15327.97, 27814, -22569.18, 6838.66];

/** @param {number[]} factors @param {number} x */
function channel(factors, x) {
  const value = factors.reduceRight((sum, factor) => sum * x + factor, 0);
  return Math.max(0, Math.min(255, Math.round(value)));
}

/** @param {number} share 0 to 1 @returns {string} a CSS colour */
export function turbo(share) {
  return `rgb(${channel(RED, share)},${channel(GREEN, share)},${channel(BLUE, share)})`;
}

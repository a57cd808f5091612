/**
 * Returns a log-normally distributed random number, a common model of latencies: never negative, and sometimes far
 * above the mean.
 * @param {number} mean of the numbers themselves, not of their logarithms
 * @param {number} sigma standard deviation of their logarithms
 * @returns {number} in the same unit as the mean
 */
export function logNormal(mean, sigma) {
  const normal = Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
  return mean * Math.exp(sigma * normal - sigma ** 2 / 2);
}

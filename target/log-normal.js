/**
 * A random number, log-normally distributed: never negative, often a little and sometimes a lot above its mean, as
 * latencies are.
 * @param {number} mean of the numbers themselves, not of their logarithms
 * @param {number} sigma standard deviation of their logarithms
 * @returns {number} in the unit of the mean
 */
export function logNormal(mean, sigma) {
  const normal = Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
  return mean * Math.exp(sigma * normal - sigma ** 2 / 2);
}

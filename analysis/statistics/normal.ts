/** The standard normal distribution, to 7 digits: as good as the library's error function is. */
import { errorFunction, probit } from 'simple-statistics';

/** @returns the share at or below z */
export const normalShare = (z: number): number => 0.5 + 0.5 * errorFunction(z / Math.SQRT2);

/**
 * @param share above 0, below 1
 * @returns what that share is below: the library's probit, which is 0.2 % off, and Newton's method from there
 */
export function normalQuantile(share: number): number {
  let z = probit(share);
  for (let step = 0; step < 4; step += 1) {
    z -= ((normalShare(z) - share) * Math.sqrt(2 * Math.PI)) / Math.exp((-z * z) / 2);
  }
  return z;
}

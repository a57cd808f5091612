import { gammaln } from 'simple-statistics';

const MAX_STEPS = 500;
const PRECISION = 1e-14;
/** Replaces 0 to avoid a division by zero. */
const TINY = 1e-300;

/**
 * The regularised incomplete beta function, by its continued fraction (DLMF 8.17.22) and Lentz's method.
 *
 * @param x 0 to 1
 */
export function incompleteBeta(a: number, b: number, x: number): number {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  // The fraction converges quickly only on one side of the mean.
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(b, a, 1 - x);
  const front = Math.exp(gammaln(a + b) - gammaln(a) - gammaln(b) + a * Math.log(x) + b * Math.log1p(-x)) / a;
  let [c, d] = [1, 1 / notZero(1 - ((a + b) * x) / (a + 1))];
  let value = d;
  for (let m = 1; m <= MAX_STEPS; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    let change = 1;
    for (const term of [even, odd]) {
      d = 1 / notZero(1 + term * d);
      c = notZero(1 + term / c);
      change = c * d;
      value *= change;
    }
    if (Math.abs(change - 1) < PRECISION) break;
  }
  return front * value;
}

const notZero = (value: number) => (Math.abs(value) < TINY ? TINY : value);

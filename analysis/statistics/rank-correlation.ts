/**
 * Rank correlation of two series. Consecutive values of a series over time are similar, so the effective
 * number of values is lower, and unrelated series may seem correlated. Use `overTime` for such series, or
 * `effectiveSamples` if the interval is computed elsewhere.
 */
import { sampleCorrelation } from 'simple-statistics';
import { autocorrelation } from './autocorrelation.ts';
import { normalQuantile } from './normal.ts';
import { ranks } from './ranks.ts';
import { studentTails } from './student-t.ts';

/** Autocorrelation is summed up to this share of the series (Pyper & Peterman 1998). */
const LAGS = 1 / 5;
/**
 * Ranks whose residuals are below this share of their original size are fully explained by the controls; the
 * rest is rounding.
 */
const NOTHING_LEFT = 1e-9;

interface RankCorrelation {
  /** -1 to 1. */
  rho: number;
  /** Two-sided p-value of Student's t; null with too few samples. */
  p: number | null;
  /** Confidence interval by Fisher's z; null with too few samples. */
  low: number | null;
  high: number | null;
  /** Effective number of independent values, on which p and the interval are based. */
  samples: number;
}

/**
 * Partial Spearman correlation. All series are ranked, the ranks of the controls are removed from x and y by
 * least squares, and the residuals are correlated. Without controls it is Spearman's rho, with mean ranks for
 * ties. p: Student's t with samples - 2 - controls degrees of freedom. Interval: Fisher's z with the standard
 * error 1 / sqrt(samples - 3 - controls) (Fisher 1924).
 *
 * @param y same length as x
 * @param controls same length as x each
 * @returns null if x or y is constant, or fully explained by the controls
 */
export function partialSpearman(
  x: number[],
  y: number[],
  controls: number[][] = [],
  {
    confidence = 0.95,
    overTime = false,
  }: {
    /** Confidence of the interval. */
    confidence?: number;
    /** Whether the values are a series over time, so that `effectiveSamples` of them count. */
    overTime?: boolean;
  } = {},
): RankCorrelation | null {
  const basis = orthogonal(controls.map(centredRanks));
  const [restOfX, restOfY] = [residualOf(centredRanks(x), basis), residualOf(centredRanks(y), basis)];
  if (!restOfX || !restOfY || x.length < 3) return null;
  const rho = bounded(sampleCorrelation(restOfX, restOfY));
  const samples = overTime ? effectiveSamples(restOfX, restOfY) : x.length;
  const freedom = samples - 2 - controls.length;
  const half =
    freedom > 1
      ? normalQuantile(1 - (1 - confidence) / 2) / Math.sqrt(freedom - 1)
      : Number.POSITIVE_INFINITY;
  const known = Number.isFinite(half);
  return {
    rho,
    p: freedom > 0 ? studentTails(rho * Math.sqrt(freedom / (1 - rho * rho)), freedom) : null,
    low: known ? Math.tanh(Math.atanh(rho) - half) : null,
    high: known ? Math.tanh(Math.atanh(rho) + half) : null,
    samples,
  };
}

/**
 * Effective number of independent pairs of two series (Bartlett 1946, as in Pyper & Peterman 1998, equation
 * 1):
 *
 * 1 / N* = 1 / N + 2 / N * sum over lags j of (N - j) / N * r_x(j) * r_y(j), for lags up to a fifth of N.
 *
 * @param x in order of time, evenly spaced
 * @param y same length as x
 * @returns at most the length of the series
 */
export function effectiveSamples(x: number[], y: number[]): number {
  const n = x.length;
  const [ofX, ofY] = [autocorrelation(x), autocorrelation(y)];
  let sum = 0;
  for (let lag = 1; lag <= n * LAGS; lag += 1) sum += ((n - lag) / n) * ofX(lag) * ofY(lag);
  return Math.min(n, n / Math.max(1, 1 + 2 * sum));
}

function centredRanks(values: number[]) {
  const middle = (values.length + 1) / 2;
  return ranks(values).map((rank) => rank - middle);
}

/** @returns an orthonormal basis; shorter if the vectors are linearly dependent */
function orthogonal(vectors: number[][]): number[][] {
  const basis: number[][] = [];
  for (const vector of vectors) {
    const rest = residualOf(vector, basis);
    if (!rest) continue;
    const length = Math.sqrt(product(rest, rest));
    basis.push(rest.map((value) => value / length));
  }
  return basis;
}

/** @returns null if nothing is left of the vector */
function residualOf(vector: number[], basis: number[][]): number[] | null {
  const rest = basis.reduce((left, direction) => {
    const along = product(left, direction);
    return left.map((value, index) => value - along * Number(direction[index]));
  }, vector);
  return product(rest, rest) > NOTHING_LEFT * product(vector, vector) ? rest : null;
}

const product = (a: number[], b: number[]) =>
  a.reduce((sum, value, index) => sum + value * Number(b[index]), 0);

const bounded = (rho: number) => Math.max(-1, Math.min(1, rho));

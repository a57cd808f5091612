/**
 * Whether one figure goes up where another does. Values that follow one another in time are worth fewer than they are many:
 * each looks like the one before, and two series that have nothing to do with each other seem to go together. Give
 * `overTime` for those, or `effectiveSamples` where the interval is made elsewhere.
 */
import { sampleCorrelation } from 'simple-statistics';
import { autocorrelation } from './autocorrelation.ts';
import { normalQuantile } from './normal.ts';
import { ranks } from './ranks.ts';
import { studentTails } from './student-t.ts';

/** Autocorrelation is added up to this share of the series (Pyper & Peterman 1998). */
const LAGS = 1 / 5;
/** What is left of ranks when the controls are taken away and is less than this, of what there was, is rounding. */
const NOTHING_LEFT = 1e-9;

interface RankCorrelation {
  /** -1 to 1. */
  rho: number;
  /** Two-sided, of Student's t; null with too few samples. */
  p: number | null;
  /** Of the interval, by Fisher's z; null with too few samples. */
  low: number | null;
  high: number | null;
  /** How many independent values p and the interval take it for. */
  samples: number;
}

/**
 * Spearman's rho of what the controls leave unexplained: all are ranked, the ranks of each control are taken out of x and y by
 * least squares, and what remains is correlated. Without a control it is Spearman's rho itself, with the mean rank for equal values. p: Student's t with
 * samples - 2 - controls degrees of freedom. Interval: Fisher's z, 1 / sqrt(samples - 3 - controls) wide (Fisher 1924).
 *
 * @param y as many
 * @param controls as many each
 * @returns null where x or y never changes, or is what the controls are
 */
export function partialSpearman(
  x: number[],
  y: number[],
  controls: number[][] = [],
  {
    confidence = 0.95,
    overTime = false,
  }: {
    /** Of the interval. */
    confidence?: number;
    /** The values follow one another in time: they count as `effectiveSamples`. */
    overTime?: boolean;
  } = {},
): RankCorrelation | null {
  const basis = orthogonal(controls.map(centredRanks));
  const [restOfX, restOfY] = [without(centredRanks(x), basis), without(centredRanks(y), basis)];
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
 * How many independent pairs two series are worth (Bartlett 1946, as in Pyper & Peterman 1998, their equation 1):
 * 1 / N* = 1 / N + 2 / N * sum over lags j of (N - j) / N * r_x(j) * r_y(j), for lags up to a fifth of N.
 *
 * @param x in order of time, evenly spaced
 * @param y as many
 * @returns at most as many as there are
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

/** @returns at right angles to each other, of length 1; fewer, where one adds nothing */
function orthogonal(vectors: number[][]): number[][] {
  const basis: number[][] = [];
  for (const vector of vectors) {
    const rest = without(vector, basis);
    if (!rest) continue;
    const length = Math.sqrt(product(rest, rest));
    basis.push(rest.map((value) => value / length));
  }
  return basis;
}

/** @returns null: there is nothing left of it */
function without(vector: number[], basis: number[][]): number[] | null {
  const rest = basis.reduce((left, direction) => {
    const along = product(left, direction);
    return left.map((value, index) => value - along * Number(direction[index]));
  }, vector);
  return product(rest, rest) > NOTHING_LEFT * product(vector, vector) ? rest : null;
}

const product = (a: number[], b: number[]) =>
  a.reduce((sum, value, index) => sum + value * Number(b[index]), 0);

const bounded = (rho: number) => Math.max(-1, Math.min(1, rho));

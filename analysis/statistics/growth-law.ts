/** By which law a figure grows with a size: it stays, it grows as the size does, or otherwise. */
import { number } from '../../contract/units.js';
import { meanOf, studentT } from './interval.ts';

/** Exponents that are tried: y = start + factor * size ^ exponent. */
const EXPONENTS = Array.from({ length: 51 }, (_, index) => 0.25 + index * 0.05);

/** Growth below this share of the smallest size's figure, from the smallest size to the largest, is none. */
const CONSTANT = 0.5;
/** An exponent this close to 1 is as good as 1. */
const LINEAR = [0.8, 1.25];
/** Sizes, and how far apart the smallest and the largest have to be. */
const LEAST_SIZES = 4;
const LEAST_RANGE = 20;

interface Growth {
  law: 'constant' | 'less than linear' | 'linear' | 'worse than linear' | 'not enough to tell';
  /** A sentence's part. */
  evidence: string;
  exponent: number | null;
  /** Of the exponent: 95%. */
  interval: [low: number, high: number] | null;
  /** What a thousand more add, where the law is linear. */
  per_thousand: number | null;
}

/** @param points several of a size where it was measured repeatedly */
export function growthLaw(points: [size: number, y: number][]): Growth {
  const sizes = [...new Set(points.map(([size]) => size))].sort((a, b) => a - b);
  const smallest = sizes[0] ?? 0;
  const largest = sizes.at(-1) ?? 0;
  if (sizes.length < LEAST_SIZES || largest < LEAST_RANGE * smallest || points.length < 5) {
    return unknown(`${sizes.length} sizes, up to ${number(largest / (smallest || 1))} times the smallest`);
  }
  const [low, high] = [meanAt(points, smallest), meanAt(points, largest)];
  const span = `${number(largest / smallest)} times the size, ${number(high / low)} times the figure`;

  const fits = EXPONENTS.map((exponent) => ({ exponent, ...fit(points, exponent) }));
  const best = fits.reduce((a, b) => (b.error < a.error ? b : a));
  // Those exponents whose error is not too much larger than the smallest one (profile likelihood, F of one parameter).
  const freedom = points.length - 3;
  const bound = best.error * (1 + studentT(freedom) ** 2 / freedom);
  const within = fits.filter(({ error }) => error <= bound).map(({ exponent }) => exponent);
  const interval = [Math.min(...within), Math.max(...within)] as [number, number];
  const spread = Math.sqrt(best.error / points.length);
  const fitted = { exponent: best.exponent, interval, per_thousand: null };

  // No more than the measurements of one size differ among themselves, or next to nothing.
  if (high < low * (1 + CONSTANT)) return { ...fitted, law: 'constant', evidence: span };
  const evidence = `${span}; fitted as start + factor x size^${number(best.exponent)}, exponent ${number(interval[0])} to ${number(interval[1])}, off by ${number(spread * 100)} % typically`;
  const [least, most] = LINEAR as [number, number];
  if (interval[0] >= least && interval[1] <= most) {
    const { factor } = fit(points, 1);
    return { ...fitted, law: 'linear', evidence, per_thousand: factor * 1000 };
  }
  if (interval[0] > 1) return { ...fitted, law: 'worse than linear', evidence };
  if (interval[1] < 1) return { ...fitted, law: 'less than linear', evidence };
  return { ...unknown(evidence), exponent: best.exponent, interval };
}

function unknown(evidence: string): Growth {
  return { law: 'not enough to tell', evidence, exponent: null, interval: null, per_thousand: null };
}

function meanAt(points: [number, number][], size: number) {
  return meanOf(points.filter(([one]) => one === size).map(([, y]) => y));
}

/**
 * Least squares of the relative errors: a size of a thousand times the figure must not outweigh all others.
 *
 * @returns neither start nor factor below 0
 */
function fit(points: [number, number][], exponent: number): { start: number; factor: number; error: number } {
  let [w, wx, wxx, wy, wxy] = [0, 0, 0, 0, 0];
  for (const [size, y] of points) {
    const x = size ** exponent;
    const weight = 1 / y ** 2;
    w += weight;
    wx += weight * x;
    wxx += weight * x * x;
    wy += weight * y;
    wxy += weight * x * y;
  }
  let factor = (w * wxy - wx * wy) / (w * wxx - wx ** 2);
  let start = (wy - factor * wx) / w;
  if (start < 0) [start, factor] = [0, wxy / wxx];
  if (factor < 0) [start, factor] = [wy / w, 0];
  const error = points.reduce(
    (sum, [size, y]) => sum + ((start + factor * size ** exponent) / y - 1) ** 2,
    0,
  );
  return { start, factor, error };
}

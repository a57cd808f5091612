import { medianOf } from './interval.ts';
import { normalQuantile } from './normal.ts';
import { percentile } from './percentile.ts';
import { ties } from './ranks.ts';

/**
 * Maximum number of points: all pairs of them are 1.6 million slopes, which takes half a second. Of more
 * points, an evenly spaced subset is used.
 */
export const MOST_POINTS = 1800;

interface TheilSen {
  slope: number;
  /** Chosen so that half of the points are above the line. */
  intercept: number;
  /** Confidence interval of the slope; null if there are too few points. */
  low: number | null;
  high: number | null;
  /** Number of points used, at most `MOST_POINTS`. */
  points: number;
}

/**
 * The median of the slopes of all pairs of points (Theil 1950), which is robust against up to a quarter of
 * outliers. The interval is Sen's (1968): two of the sorted slopes, with ranks derived from Kendall's
 * variance, which accounts for ties in both directions. (SciPy's `theilslopes` returns the extreme slopes if
 * there is no such interval.)
 *
 * Assumes independent points. The points of a time series are not independent, so the interval is too narrow,
 * unless each point stands for a period that is long compared with the autocorrelation. `varianceInflation`
 * estimates by how much.
 *
 * @param confidence confidence of the interval
 * @returns null without two points with different x
 */
export function theilSen(points: [x: number, y: number][], confidence: number = 0.95): TheilSen | null {
  const used = thinned(points);
  const slopes = slopesOf(used);
  if (slopes.length === 0) return null;
  const xs = used.map(([x]) => x);
  const ys = used.map(([, y]) => y);
  const slope = percentile(slopes, 0.5);
  const half = normalQuantile(1 - (1 - confidence) / 2) * Math.sqrt(kendallVariance(xs, ys));
  const below = Math.round((slopes.length - half) / 2) - 1;
  const above = Math.round((slopes.length + half) / 2);
  return {
    slope,
    intercept: medianOf(used.map(([x, y]) => y - slope * x)),
    low: slopes[below] ?? null,
    high: slopes[above] ?? null,
    points: used.length,
  };
}

function thinned(points: [number, number][]): [number, number][] {
  if (points.length <= MOST_POINTS) return points;
  const step = (points.length - 1) / (MOST_POINTS - 1);
  return Array.from(
    { length: MOST_POINTS },
    (_, index) => points[Math.round(index * step)] as [number, number],
  );
}

/** @returns the slopes of all pairs with different x, sorted */
function slopesOf(points: [number, number][]): Float64Array {
  const slopes = new Float64Array((points.length * (points.length - 1)) / 2);
  let count = 0;
  points.forEach(([x, y], index) => {
    for (let other = 0; other < index; other += 1) {
      const [otherX, otherY] = points[other] as [number, number];
      if (x !== otherX) slopes[count++] = (y - otherY) / (x - otherX);
    }
  });
  return slopes.subarray(0, count).sort();
}

/**
 * @returns the variance of the number of rising pairs minus falling pairs if there is no trend (Sen's
 *   equation 2.6)
 */
function kendallVariance(xs: number[], ys: number[]): number {
  const termOf = (count: number) => count * (count - 1) * (2 * count + 5);
  const tied = [...ties(xs), ...ties(ys)].reduce((sum, count) => sum + termOf(count), 0);
  return Math.max(0, termOf(xs.length) - tied) / 18;
}

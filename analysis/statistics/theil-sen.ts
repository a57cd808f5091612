import { medianOf } from './interval.ts';
import { normalQuantile } from './normal.ts';
import { percentile } from './percentile.ts';
import { ties } from './ranks.ts';

/** Every pair of these is 1.6 million slopes: half a second. Of more points, so many evenly chosen ones are taken. */
export const MOST_POINTS = 1800;

interface TheilSen {
  slope: number;
  /** So that half of the points are above the line. */
  intercept: number;
  /** Of the slope's interval; null: so few points have none. */
  low: number | null;
  high: number | null;
  /** Points used: `MOST_POINTS`, evenly chosen, where more were given. */
  points: number;
}

/**
 * The slope that half of all pairs of points are steeper than (Theil 1950), which a quarter of wild points can't move far.
 * The interval is Sen's (1968): those two of the sorted slopes that lie half of Kendall's variance around the middle, ties
 * in either direction taken into account. (SciPy's `theilslopes` gives the extreme slopes where there is no such interval.)
 *
 * The points are taken to be independent of one another. Those of a series over time are not, and the interval is too narrow,
 * unless each stands for a stretch that is long beside how long the series remembers. `varianceInflation` says by how much.
 *
 * @param confidence of the interval
 * @returns null without two points of different x
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

/** @returns of each pair that is not at one x, sorted */
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

/** @returns of the number of rising pairs less the falling ones, where there is no slope (Sen's equation 2.6) */
function kendallVariance(xs: number[], ys: number[]): number {
  const of = (count: number) => count * (count - 1) * (2 * count + 5);
  const tied = [...ties(xs), ...ties(ys)].reduce((sum, count) => sum + of(count), 0);
  return Math.max(0, of(xs.length) - tied) / 18;
}

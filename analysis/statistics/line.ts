import { meanOf, studentT } from './interval.ts';

/** A least-squares line: y = start + slope * x. */
export interface Line {
  slope: number;
  start: number;
  /** Half of the slope's 95 % confidence interval. */
  error: number;
  /** Number of points. */
  count: number;
}

/** @returns null if there are fewer than three points, or if all have the same x */
export function fitLine(points: [x: number, y: number][]): Line | null {
  const count = points.length;
  const meanX = meanOf(points.map(([x]) => x));
  const meanY = meanOf(points.map(([, y]) => y));
  const spread = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  if (count < 3 || spread === 0) return null;
  const slope = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / spread;
  const start = meanY - slope * meanX;
  const rest = points.reduce((sum, [x, y]) => sum + (y - start - slope * x) ** 2, 0);
  const error = studentT(count - 2) * Math.sqrt(rest / (count - 2) / spread);
  return { slope, start, error, count };
}

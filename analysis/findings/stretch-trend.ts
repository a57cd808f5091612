/**
 * Computes the trend of a series over a stretch: a robust slope whose interval takes autocorrelation into
 * account.
 */

import { timesOf } from '../collect/grid.ts';
import { seriesOf, type Timeline } from '../collect/timeline.ts';
import { DRIFT } from '../limits.ts';
import { varianceInflation } from '../statistics/autocorrelation.ts';
import { meanOf, studentT } from '../statistics/interval.ts';
import { theilSen } from '../statistics/theil-sen.ts';
import type { DriftRule } from './drift-rules.ts';
import { blocksOf, type Stretch } from './steady-stretches.ts';

/** Slopes are per hour. */
export interface Trend {
  slope: number;
  /** 95 % confidence interval. */
  low: number;
  high: number;
  /** Slope of the first half. */
  first: number;
  second: number;
  /**
   * The series gets significantly worse, both in total and in each half, and does not level off in the
   * second.
   */
  persists: boolean;
  /** The line's value at the beginning. */
  from: number;
  /** The line's value at the end. */
  to: number;
  blocks: number;
  block_s: number;
}

export const HOUR_S = 3600;
/** Share of a block's points that must have a value. */
const MIN_COVERED = 0.5;
/** With fewer degrees of freedom, the quantile of Student's t distribution is too large to be useful. */
const MIN_FREEDOM = 3;

/** @returns null if there is too little data */
export function trendOf(
  { series, of, worse }: DriftRule,
  stretch: Stretch,
  timeline: Timeline,
): Trend | null {
  const { values, unit } = seriesOf(timeline, series) ?? {};
  if (!values) return null;
  const blocks = blocksOf(stretch, timeline);
  const times = timesOf(timeline);
  const points = blocks.flatMap(({ fromS, toS }) => {
    const inside = values.filter((_, index) => Number(times[index]) >= fromS && Number(times[index]) < toS);
    const known = inside.filter((value) => value !== null);
    if (known.length < MIN_COVERED * inside.length || known.length === 0) return [];
    const hours = ((fromS + toS) / 2 - stretch.fromS) / HOUR_S;
    return [[hours, STATISTIC[of](known)] as [number, number]];
  });
  if (points.length < DRIFT.minBlocks) return null;
  const fit = theilSen(points);
  if (!fit) return null;
  const line = (hours: number) => fit.intercept + fit.slope * hours;
  const inflation = varianceInflation(points.map(([hours, value]) => value - line(hours)));
  const middle = Math.floor(points.length / 2);
  const parts = [points, points.slice(0, middle), points.slice(points.length - middle)];
  const [whole, first, second] = parts.map((part) =>
    widened(part, inflation, points.length, unit === 'count' ? 1 : 0),
  );
  if (!whole || !first || !second) return null;
  const certain = ({ low, high }: { low: number; high: number }) => (worse > 0 ? low > 0 : high < 0);
  const [begin, end] = [blocks[0], blocks.at(-1)];
  return {
    ...whole,
    first: first.slope,
    second: second.slope,
    persists:
      [whole, first, second].every(certain) && worse * second.slope >= DRIFT.persists * worse * first.slope,
    from: line((Number(begin?.fromS) - stretch.fromS) / HOUR_S),
    to: line((Number(end?.toS) - stretch.fromS) / HOUR_S),
    blocks: points.length,
    block_s: Number(end?.toS) - Number(end?.fromS),
  };
}

/**
 * A Theil-Sen slope of autocorrelated points. Autocorrelation reduces the effective number of points, which
 * widens the interval. It is estimated from few values, which widens the interval further (Student's t).
 *
 * @param inflation variance inflation of the slope
 * @param count number of points that the inflation was estimated from
 * @param resolution resolution of a value, which limits the precision of the slope
 * @returns null if there are too few points for an interval
 */
function widened(
  points: [x: number, y: number][],
  inflation: number,
  count: number,
  resolution: number,
): { slope: number; low: number; high: number } | null {
  const fit = theilSen(points);
  if (fit?.low == null || fit.high === null) return null;
  const { slope, low, high } = fit;
  const freedom = Math.max(MIN_FREEDOM, Math.round(count / inflation) - 2);
  const factor = (Math.sqrt(inflation) * studentT(freedom)) / studentT(Infinity);
  const minWidth = resolution / (Number(points.at(-1)?.[0]) - Number(points[0]?.[0]));
  return {
    slope,
    low: slope - Math.max(minWidth, factor * (slope - low)),
    high: slope + Math.max(minWidth, factor * (high - slope)),
  };
}

/** Summarizes the values of a block. */
export const STATISTIC: Record<DriftRule['of'], (values: number[]) => number> = {
  floor: (values) => meanOf(ascending(values).slice(0, Math.ceil(values.length / 4))),
  middle: (values) => {
    const outer = Math.floor(values.length / 4);
    return meanOf(ascending(values).slice(outer, values.length - outer));
  },
};

const ascending = (values: number[]) => values.toSorted((a, b) => a - b);

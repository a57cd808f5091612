/** How a series moves over a stretch: a robust slope, honest about points that remember one another. */

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
  /** 95 %. */
  low: number;
  high: number;
  /** Slope of the first half. */
  first: number;
  second: number;
  /** It gets worse for certain, in both halves too, and in the second not much more slowly. */
  persists: boolean;
  /** The line at the beginning. */
  from: number;
  /** The line at the end. */
  to: number;
  blocks: number;
  block_s: number;
}

export const HOUR_S = 3600;
/** So much of a block's points have to be there. */
const LEAST_COVERED = 0.5;
/** With fewer degrees of freedom Student's t is more a guess than a bound. */
const LEAST_FREEDOM = 3;

/** @returns null where there is too little to tell */
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
    if (known.length < LEAST_COVERED * inside.length || known.length === 0) return [];
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
 * A Theil-Sen slope of points that remember: they are worth fewer, which makes the interval wider, and how much they remember is a
 * guess from few values, which makes it wider again (Student's t).
 *
 * @param inflation of the slope's variance
 * @param count of points that the inflation was told from
 * @param resolution what a figure is known to: between the first point and the last one, the slope is known to no more
 * @returns null: so few points have no interval
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
  const freedom = Math.max(LEAST_FREEDOM, Math.round(count / inflation) - 2);
  const factor = (Math.sqrt(inflation) * studentT(freedom)) / studentT(Infinity);
  const least = resolution / (Number(points.at(-1)?.[0]) - Number(points[0]?.[0]));
  return {
    slope,
    low: slope - Math.max(least, factor * (slope - low)),
    high: slope + Math.max(least, factor * (high - slope)),
  };
}

/** What a block's values come to. */
export const STATISTIC: Record<DriftRule['of'], (values: number[]) => number> = {
  floor: (values) => meanOf(ascending(values).slice(0, Math.ceil(values.length / 4))),
  middle: (values) => {
    const outer = Math.floor(values.length / 4);
    return meanOf(ascending(values).slice(outer, values.length - outer));
  },
};

const ascending = (values: number[]) => values.toSorted((a, b) => a - b);

/** Finds the common duration of calls or streams that something ended: its limit. */
import { STREAMS } from '../limits.ts';
import { percentile } from '../statistics/percentile.ts';

export interface CommonTime {
  /** In milliseconds: 10th percentile, median and 90th percentile. */
  ms: [number, number, number];
  /** Number of calls or streams that ended at that time. */
  count: number;
}

/**
 * @param times milliseconds
 * @param minTimes minimum number of times
 * @returns null if the times differ, or if there are too few
 */
export function commonTime(times: readonly number[], minTimes: number): CommonTime | null {
  if (times.length < minTimes) return null;
  const sorted = times.toSorted((a, b) => a - b);
  const median = percentile(sorted, 0.5);
  const spread = Math.max(STREAMS.maxSpreadMs, STREAMS.maxSpread * median);
  const near = sorted.filter((time) => Math.abs(time - median) <= spread / 2);
  if (median < STREAMS.minCutMs || near.length < STREAMS.minAlike * times.length) return null;
  return { ms: [percentile(near, 0.1), median, percentile(near, 0.9)], count: near.length };
}

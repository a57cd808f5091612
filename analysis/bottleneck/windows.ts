/** Windows of a timeline, and statistics of its series within them. */

import { LAG_S, steadyWindow } from '../collect/signals.ts';
import type { Timeline, TimeSeries } from '../collect/timeline.ts';
import { BOTTLENECK } from '../limits.ts';
import { medianOf } from '../statistics/interval.ts';

/** A range of a timeline's points, both ends included. */
export interface Window {
  first: number;
  last: number;
}

/** @param fromS Unix time @returns the points in between; an empty window (last < first) if there are none */
export function windowOf({ start_s, step_s, count }: Timeline, fromS: number, toS: number): Window {
  return {
    first: Math.max(0, Math.ceil((fromS - start_s) / step_s)),
    last: Math.min(count - 1, Math.floor((toS - start_s) / step_s)),
  };
}

/** @param phase must have taken place @returns the points whose look-back is within the phase */
export function steadyPoints(
  timeline: Timeline,
  { start, end }: { start: string | null; end: string | null },
): Window {
  const { fromS, toS } = steadyWindow(Date.parse(start ?? '') / 1000, Date.parse(end ?? '') / 1000);
  return windowOf(timeline, fromS, toS);
}

/** @param phase must have taken place */
export const phaseWindow = (
  { start, end }: { start: string | null; end: string | null },
  timeline: Timeline,
): Window => windowOf(timeline, Date.parse(start ?? '') / 1000, Date.parse(end ?? '') / 1000 + LAG_S);

export function samplesIn(series: TimeSeries | null, { first, last }: Window): number[] {
  return (series?.values.slice(first, last + 1) ?? []).filter((value) => value !== null);
}

/** @returns the median, which is robust against a single outlier */
export function levelIn(series: TimeSeries | null, window: Window): number | null {
  const samples = samplesIn(series, window);
  return samples.length < BOTTLENECK.minPoints ? null : medianOf(samples);
}

/**
 * A rate looks back over a longer time than a short window covers, so only one of its few points covers most
 * of the window.
 *
 * @returns the maximum in a short window, otherwise the median
 */
export function fullestIn(series: TimeSeries | null, window: Window): number | null {
  const samples = samplesIn(series, window);
  return samples.length === BOTTLENECK.minPoints ? Math.max(...samples) : levelIn(series, window);
}

/** @returns the 90th percentile of the points */
export function usualIn(series: TimeSeries | null, window: Window): number | null {
  const samples = samplesIn(series, window).toSorted((a, b) => a - b);
  return samples[Math.ceil(BOTTLENECK.usualMoments * samples.length) - 1] ?? null;
}

/** @returns the first point from which most points to the end of the window are beyond the limit */
export function staysFrom(
  series: TimeSeries | null,
  { first, last }: Window,
  beyond: (value: number) => boolean,
): number | null {
  const points = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index).flatMap(
    (point) => {
      const value = series?.values[point] ?? null;
      return value === null ? [] : [{ point, beyond: beyond(value) }];
    },
  );
  for (const [index, each] of points.entries()) {
    const rest = points.slice(index);
    if (rest.length < BOTTLENECK.minPoints) return null;
    if (each.beyond && rest.filter((one) => one.beyond).length >= BOTTLENECK.lasting * rest.length)
      return each.point;
  }
  return null;
}

/** @returns Unix time, seconds */
export const timeOf = ({ start_s, step_s }: Timeline, point: number): number => start_s + point * step_s;

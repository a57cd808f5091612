/** Stretches of a timeline, and what its series come to in them. */
import { medianOf } from '../interval.js';
import { steadyWindow } from '../signals.js';

/**
 * @typedef {object} Window points of a timeline
 * @property {number} first
 * @property {number} last
 */

/** Fewer points than this are no more than chance. */
export const LEAST_POINTS = 2;
/** The largest of ten moments is normal, too. */
const USUAL = 0.9;
/** What has begun goes on for this share of the points that follow. */
const STAYS = 0.7;

/**
 * @param {import('../timeline.js').Timeline} timeline
 * @param {number} fromS Unix time
 * @param {number} toS
 * @returns {Window} the points in between; empty (last < first) where there is none
 */
export function windowOf({ start_s, step_s, count }, fromS, toS) {
  return {
    first: Math.max(0, Math.ceil((fromS - start_s) / step_s)),
    last: Math.min(count - 1, Math.floor((toS - start_s) / step_s)),
  };
}

/**
 * @param {import('../timeline.js').Timeline} timeline
 * @param {{start: string | null, end: string | null}} phase one that took place
 * @returns {Window} those of its points that look back on nothing but itself
 */
export function steadyPoints(timeline, { start, end }) {
  const { fromS, toS } = steadyWindow(Date.parse(start ?? '') / 1000, Date.parse(end ?? '') / 1000);
  return windowOf(timeline, fromS, toS);
}

/** @param {import('../timeline.js').TimeSeries | null} series @param {Window} window @returns {number[]} */
export function samplesIn(series, { first, last }) {
  return (series?.values.slice(first, last + 1) ?? []).filter((value) => value !== null);
}

/**
 * @param {import('../timeline.js').TimeSeries | null} series
 * @param {Window} window
 * @returns {number | null} their median: one point that is far out says nothing
 */
export function levelIn(series, window) {
  const samples = samplesIn(series, window);
  return samples.length < LEAST_POINTS ? null : medianOf(samples);
}

/**
 * @param {import('../timeline.js').TimeSeries | null} series
 * @param {Window} window
 * @returns {number | null} what nine of ten of its points kept to
 */
export function usualIn(series, window) {
  const samples = samplesIn(series, window).toSorted((a, b) => a - b);
  return samples[Math.ceil(USUAL * samples.length) - 1] ?? null;
}

/**
 * @param {import('../timeline.js').TimeSeries | null} series
 * @param {Window} window
 * @param {(value: number) => boolean} beyond
 * @returns {number | null} the first point from which on most are beyond, to the window's end
 */
export function staysFrom(series, { first, last }, beyond) {
  const points = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index).flatMap(
    (point) => {
      const value = series?.values[point] ?? null;
      return value === null ? [] : [{ point, beyond: beyond(value) }];
    },
  );
  for (const [index, each] of points.entries()) {
    const rest = points.slice(index);
    if (rest.length < LEAST_POINTS) return null;
    if (each.beyond && rest.filter((one) => one.beyond).length >= STAYS * rest.length) return each.point;
  }
  return null;
}

/**
 * @param {import('../timeline.js').Timeline} timeline
 * @param {number} point
 * @returns {number} Unix time, seconds
 */
export const timeOf = ({ start_s, step_s }, point) => start_s + point * step_s;

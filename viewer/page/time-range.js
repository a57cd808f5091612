/**
 * The time range of a dashboard, as the address bar has it (`now-15m`, or milliseconds since 1970) and as moments, and
 * the step that a panel's queries take in it.
 *
 * @typedef {{from: string, to: string}} RangeText
 * @typedef {{fromS: number, toS: number}} Range Unix seconds
 */
import { seconds } from './durations.js';

/** What the picker offers, and what it is called. */
export const RELATIVE_RANGES = [
  { from: 'now-5m', text: 'Last 5 minutes' },
  { from: 'now-15m', text: 'Last 15 minutes' },
  { from: 'now-30m', text: 'Last 30 minutes' },
  { from: 'now-1h', text: 'Last hour' },
  { from: 'now-3h', text: 'Last 3 hours' },
  { from: 'now-6h', text: 'Last 6 hours' },
  { from: 'now-12h', text: 'Last 12 hours' },
  { from: 'now-24h', text: 'Last 24 hours' },
  { from: 'now-7d', text: 'Last 7 days' },
];

/**
 * @param {string} text `now`, `now-15m`, milliseconds since 1970, or an ISO date
 * @param {number} nowMs
 * @returns {number | null} milliseconds; null where it is no time
 */
export function moment(text, nowMs) {
  const [relative, sign, duration] = /^now(?:([+-])(\w+))?$/.exec(text) ?? [];
  if (relative) {
    if (!duration) return nowMs;
    const s = seconds(duration);
    return s === null ? null : nowMs + (sign === '-' ? -1 : 1) * s * 1000;
  }
  if (/^\d{1,15}$/.test(text)) return Number(text);
  const ms = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? null : ms;
}

/**
 * @param {RangeText} text
 * @param {number} nowMs
 * @returns {Range | null} null where it is no range: no time, or an end that is not after the start
 */
export function resolve({ from, to }, nowMs) {
  const [fromMs, toMs] = [moment(from, nowMs), moment(to, nowMs)];
  if (fromMs === null || toMs === null || toMs <= fromMs) return null;
  return { fromS: fromMs / 1000, toS: toMs / 1000 };
}

/** @param {RangeText} text @returns {boolean} does it move with the clock? */
export function isLive({ to }) {
  return to.startsWith('now');
}

/** Steps that people read easily, and up to which ideal step each is taken: Grafana's. Seconds. */
const STEPS = [
  [0.0015, 0.001],
  [0.0075, 0.005],
  [0.015, 0.01],
  [0.035, 0.02],
  [0.075, 0.05],
  [0.15, 0.1],
  [0.35, 0.2],
  [0.75, 0.5],
  [1.5, 1],
  [3.5, 2],
  [7.5, 5],
  [12.5, 10],
  [17.5, 15],
  [25, 20],
  [45, 30],
  [90, 60],
  [210, 120],
  [450, 300],
  [750, 600],
  [1050, 900],
  [1500, 1200],
  [2700, 1800],
  [5400, 3600],
  [9000, 7200],
  [16_200, 10_800],
  [32_400, 21_600],
  [86_400, 43_200],
  [604_800, 86_400],
  [Number.POSITIVE_INFINITY, 604_800],
];

/** Prometheus refuses a range query of more points a series. */
const MAX_POINTS = 11_000;

/**
 * @param {Range} range
 * @param {number} pixels the panel's width: no more points than that
 * @param {number} minS the least step
 * @returns {number} seconds
 */
export function stepOf({ fromS, toS }, pixels, minS) {
  const ideal = (toS - fromS) / Math.max(1, Math.min(pixels, MAX_POINTS - 1));
  const [, step = minS] = STEPS.find(([below = 0]) => ideal < below) ?? [];
  return Math.max(step, minS);
}

/**
 * Moved to multiples of the step, so that points stay where they are while time goes on.
 *
 * @param {Range} range
 * @param {number} stepS
 * @returns {Range}
 */
export function align({ fromS, toS }, stepS) {
  return { fromS: Math.floor(fromS / stepS) * stepS, toS: Math.floor(toS / stepS) * stepS };
}

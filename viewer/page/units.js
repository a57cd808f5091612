/**
 * Numbers with units as Grafana writes them: which unit a value is scaled to, and with how many decimals.
 *
 * @typedef {{text: string, suffix: string}} Formatted
 * @typedef {(value: number, decimals?: number) => Formatted} Format
 */
import { dateText } from './clock.js';

/** @param {number} value @returns {number} about three digits, fewer where they would say nothing */
function autoDecimals(value) {
  if (value % 1 === 0) return 0;
  const digits = Math.floor(Math.log10(Math.abs(value)));
  // The sign is left in on purpose: below zero Grafana gives one digit less.
  const leading = value / 10 ** (digits - 1);
  return Math.max(0, 1 - digits + (leading > 2.25 ? 1 : 0));
}

/** @param {number} value @param {number} [decimals] */
function fixed(value, decimals = autoDecimals(value)) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value < 0 ? '-∞' : '∞';
  // toFixed alone rounds 1.005 down, and would write a rounded zero with its sign.
  const rounded = Math.round(value * 10 ** decimals) / 10 ** decimals;
  return (rounded === 0 ? 0 : rounded).toFixed(decimals);
}

/** @param {string} suffix @returns {Format} */
const plain = (suffix) => (value, decimals) => ({ text: fixed(value, decimals), suffix });

/**
 * @param {number} factor between two steps
 * @param {string[]} suffixes
 * @returns {Format}
 */
const scaled = (factor, suffixes) => (value, decimals) => {
  const size = Math.abs(value);
  // 1e3 has the logarithm 2.9999999999999996.
  const power = size > 0 && Number.isFinite(size) ? Math.floor(Math.log(size) / Math.log(factor) + 1e-12) : 0;
  const step = Math.max(0, Math.min(suffixes.length - 1, power));
  return { text: fixed(value / factor ** step, decimals), suffix: suffixes[step] ?? '' };
};

/** @param {string} unit @returns {Format} 1.2 K req/s */
const count = (unit) =>
  scaled(
    1000,
    ['', ' K', ' M', ' B', ' T'].map((prefix) => `${prefix} ${unit}`),
  );
/** @param {string} unit @returns {Format} 1.2 MB */
const metric = (unit) =>
  scaled(
    1000,
    ['', 'k', 'M', 'G', 'T', 'P', 'E'].map((prefix) => ` ${prefix}${unit}`),
  );
/** @param {string} unit @returns {Format} 1.2 MiB */
const binary = (unit) =>
  scaled(
    1024,
    ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'].map((prefix) => ` ${prefix}${unit}`),
  );

/** From how many seconds on a duration is told in which unit. */
const TIME_STEPS = /** @type {const} */ ([
  [31_536_000, ' year'],
  [604_800, ' week'],
  [86_400, ' day'],
  [3600, ' hour'],
  [60, ' min'],
  [1, ' s'],
  [1e-3, ' ms'],
  [1e-6, ' µs'],
  [1e-9, ' ns'],
]);

/**
 * @param {number} inSeconds what one of the unit is
 * @param {string} suffix of that unit, for zero
 * @returns {Format}
 */
const duration = (inSeconds, suffix) => (value, decimals) => {
  if (value === 0 || !Number.isFinite(value)) return { text: fixed(value, decimals), suffix };
  const s = Math.abs(value * inSeconds);
  // No finer than the unit itself: half a millisecond given in milliseconds stays 0.5 ms. Seconds are told finer.
  const least = inSeconds === 1 ? 0 : inSeconds;
  const [size, text] =
    TIME_STEPS.find(([from]) => s >= from * (1 - 1e-12) || from <= least * (1 + 1e-12)) ??
    /** @type {const} */ ([1e-9, ' ns']);
  // A whole number of milliseconds is 0.05 * 1000, and that is 50.00000000000001.
  const scaledValue = Number(((value * inSeconds) / size).toPrecision(12));
  const plural = size >= 3600 && fixed(scaledValue, decimals) !== '1' ? 's' : '';
  return { text: fixed(scaledValue, decimals), suffix: text + plural };
};

/** @param {number} inSeconds @returns {Format} 1 hour, 5 minutes */
const spoken =
  (inSeconds) =>
  (value, decimals = 1) => {
    const names = ['year', 'month', 'week', 'day', 'hour', 'minute', 'second', 'millisecond'];
    const sizes = [31_536_000, 2_592_000, 604_800, 86_400, 3600, 60, 1, 0.001];
    let rest = Math.abs(value * inSeconds);
    /** @type {string[]} */
    const parts = [];
    for (const [index, size] of sizes.entries()) {
      const whole = Math.floor(rest / size + 1e-9);
      if (parts.length === 0 && whole < 1) continue;
      parts.push(`${whole} ${names[index]}${whole === 1 ? '' : 's'}`);
      rest -= whole * size;
      if (parts.length > decimals) break;
    }
    return { text: parts.length > 0 ? parts.join(', ') : '0 seconds', suffix: value < 0 ? ' ago' : '' };
  };

/** @type {Record<string, Format>} by Grafana's id */
const FORMATS = {
  none: plain(''),
  string: (value) => ({ text: String(value), suffix: '' }),
  short: scaled(1000, ['', ' K', ' Mil', ' Bil', ' Tri', ' Quadr', ' Quint', ' Sext', ' Sept']),
  percent: plain('%'),
  percentunit: (value, decimals) => ({
    text: fixed(Number((value * 100).toPrecision(12)), decimals),
    suffix: '%',
  }),
  bytes: binary('B'),
  decbytes: metric('B'),
  bits: binary('b'),
  Bps: metric('B/s'),
  binBps: binary('B/s'),
  bps: metric('b/s'),
  pps: metric('p/s'),
  hertz: metric('Hz'),
  reqps: count('req/s'),
  ops: count('ops/s'),
  cps: count('c/s'),
  rps: count('rd/s'),
  wps: count('wr/s'),
  iops: count('io/s'),
  ns: duration(1e-9, ' ns'),
  µs: duration(1e-6, ' µs'),
  ms: duration(1e-3, ' ms'),
  s: duration(1, ' s'),
  m: duration(60, ' min'),
  h: duration(3600, ' hour'),
  d: duration(86_400, ' day'),
  dtdurations: spoken(1),
  dtdurationms: spoken(0.001),
  dateTimeAsIso: (value) => ({ text: dateText(value, 'YYYY-MM-DD HH:mm:ss'), suffix: '' }),
};

/** @param {string | undefined} unit Grafana's id @returns {boolean} */
export function isKnownUnit(unit) {
  return unit === undefined || unit === '' || unit in FORMATS || /^(time|suffix|prefix):./.test(unit);
}

/**
 * @param {string | undefined} unit Grafana's id
 * @returns {Format} of an unknown unit: the number and the unit's id
 */
export function formatOf(unit) {
  if (!unit) return plain('');
  const known = FORMATS[unit];
  if (known) return known;
  const [, kind, rest = ''] = /^(time|suffix|prefix):(.+)$/.exec(unit) ?? [];
  if (kind === 'time') return (value) => ({ text: dateText(value, rest), suffix: '' });
  if (kind === 'prefix') return (value, decimals) => ({ text: rest + fixed(value, decimals), suffix: '' });
  return plain(` ${kind === 'suffix' ? rest : unit}`);
}

/**
 * @param {number | null} value
 * @param {string | undefined} unit
 * @param {number} [decimals]
 * @returns {string}
 */
export function format(value, unit, decimals) {
  if (value === null) return '';
  const { text, suffix } = formatOf(unit)(value, decimals);
  return text + suffix;
}

const MOST_DECIMALS = 4;

/**
 * The labels of an axis: as many decimals as tell the ticks apart, the same for all of one unit.
 *
 * @param {number[]} ticks
 * @param {string | undefined} unit
 * @param {number} [decimals]
 * @returns {string[]}
 */
export function tickTexts(ticks, unit, decimals) {
  const formatTick = formatOf(unit);
  if (decimals !== undefined) return ticks.map((tick) => format(tick, unit, decimals));
  /** @type {Map<string, number>} */
  const needed = new Map();
  for (const tick of ticks) {
    const { suffix, text } = formatTick(tick, MOST_DECIMALS);
    const used = /\.(\d*?)0*$/.exec(text)?.[1]?.length ?? 0;
    needed.set(suffix, Math.max(needed.get(suffix) ?? 0, used));
  }
  return ticks.map((tick) => {
    const { suffix } = formatTick(tick, MOST_DECIMALS);
    return format(tick, unit, tick === 0 ? 0 : needed.get(suffix));
  });
}

/**
 * Where a logarithmic axis begins: uPlot counts its ticks on from there.
 *
 * @param {number} least value above zero
 * @returns {number} at or below it, with one digit
 */
export function logarithmicStart(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return Number((Math.floor(least / power + 1e-9) * power).toPrecision(1));
}

/**
 * The labels of an axis of which uPlot left out some ticks for want of room.
 *
 * @param {(number | null)[]} ticks
 * @param {string | undefined} unit
 * @param {number} [decimals]
 * @returns {(string | null)[]}
 */
export function sparseTickTexts(ticks, unit, decimals) {
  const shown = ticks.filter((tick) => tick !== null);
  const texts = tickTexts(shown, unit, decimals);
  return ticks.map((tick) => (tick === null ? null : (texts.shift() ?? '')));
}

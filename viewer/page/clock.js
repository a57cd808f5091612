/** Moments as text, in the reader's own time zone or in UTC. */

/** @param {number} value @param {number} [width] */
const padded = (value, width = 2) => String(value).padStart(width, '0');

/** @type {Record<string, (date: Date) => string>} as Moment.js, and so Grafana, names the parts */
const PARTS = {
  YYYY: (date) => String(date.getUTCFullYear()),
  MM: (date) => padded(date.getUTCMonth() + 1),
  DD: (date) => padded(date.getUTCDate()),
  HH: (date) => padded(date.getUTCHours()),
  mm: (date) => padded(date.getUTCMinutes()),
  ss: (date) => padded(date.getUTCSeconds()),
  SSS: (date) => padded(date.getUTCMilliseconds(), 3),
};

let isUtc = false;

/** From here on every moment is told in UTC: for a page whose text is. */
export function tellUtc() {
  isUtc = true;
}

/** @param {number} ms since 1970 @returns {Date} whose UTC is what clocks show */
const clockDate = (ms) => new Date(isUtc ? ms : ms - new Date(ms).getTimezoneOffset() * 60_000);

/** @param {number} s Unix time @returns {Date} whose local time is what clocks show, which is where ticks belong */
export const tickDate = (s) =>
  new Date(isUtc ? s * 1000 + new Date(s * 1000).getTimezoneOffset() * 60_000 : s * 1000);

/**
 * @param {number} ms since 1970
 * @param {string} form for example HH:mm:ss
 * @returns {string}
 */
export function dateText(ms, form) {
  const date = clockDate(ms);
  if (Number.isNaN(date.getTime())) return '';
  return form.replace(/YYYY|MM|DD|HH|mm|SSS|ss/g, (part) => PARTS[part]?.(date) ?? part);
}

/** @param {number} ms @returns {string} a moment, to the second */
export const fullText = (ms) => dateText(ms, 'YYYY-MM-DD HH:mm:ss');

/**
 * The labels of a time axis: no finer than the ticks, and the date where the day changes.
 *
 * @param {number[]} ticksS Unix seconds
 * @param {number} incrementS between two of them
 * @returns {string[]}
 */
export function timeTickTexts(ticksS, incrementS) {
  if (incrementS >= 86_400) return ticksS.map((tick) => dateText(tick * 1000, 'MM-DD'));
  const form = incrementS >= 60 ? 'HH:mm' : incrementS >= 1 ? 'HH:mm:ss' : 'HH:mm:ss.SSS';
  const spansDays = (ticksS.at(-1) ?? 0) - (ticksS[0] ?? 0) > 86_400;
  return ticksS.map((tick) => dateText(tick * 1000, spansDays ? 'MM-DD HH:mm' : form));
}

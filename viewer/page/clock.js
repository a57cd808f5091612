/** Moments as text, in the viewer's own time zone. */

/** @param {number} value @param {number} [width] */
const padded = (value, width = 2) => String(value).padStart(width, '0');

/** @type {Record<string, (date: Date) => string>} as Moment.js, and so Grafana, names the parts */
const PARTS = {
  YYYY: (date) => String(date.getFullYear()),
  MM: (date) => padded(date.getMonth() + 1),
  DD: (date) => padded(date.getDate()),
  HH: (date) => padded(date.getHours()),
  mm: (date) => padded(date.getMinutes()),
  ss: (date) => padded(date.getSeconds()),
  SSS: (date) => padded(date.getMilliseconds(), 3),
};

/**
 * @param {number} ms since 1970
 * @param {string} form for example HH:mm:ss
 * @returns {string}
 */
export function dateText(ms, form) {
  const date = new Date(ms);
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

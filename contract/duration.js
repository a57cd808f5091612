/** What k6 counts in: less is no time at all. And its times end after 292 years. */
const LEAST_S = 0.001;
const MOST_S = 1e9;

const SECONDS = { ms: 0.001, s: 1, m: 60, h: 3600 };

/**
 * Reads a k6 duration ("1h30m", "2.5s", "500ms").
 *
 * @param {string} text
 * @returns {number | null} seconds, or null where the text is no duration, or one that k6 can't have (0, a thousand years)
 */
export function parseDuration(text) {
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) return null;
  let seconds = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)) {
    seconds += Number(amount) * SECONDS[/** @type {keyof typeof SECONDS} */ (unit)];
  }
  return seconds >= LEAST_S && seconds <= MOST_S ? seconds : null;
}

/**
 * @param {number} seconds
 * @returns {string} the same span as k6 wants it, in whole milliseconds
 */
export function k6Duration(seconds) {
  return `${Math.round(seconds * 1000)}ms`;
}

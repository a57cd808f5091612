const SECONDS = { ms: 0.001, s: 1, m: 60, h: 3600 };

/**
 * Reads a k6 duration ("1h30m", "2.5s", "500ms").
 *
 * @param {string} text
 * @returns {number | null} seconds, or null where the text is not a positive duration
 */
export function parseDuration(text) {
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) return null;
  let seconds = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)) {
    seconds += Number(amount) * SECONDS[/** @type {keyof typeof SECONDS} */ (unit)];
  }
  return seconds > 0 ? seconds : null;
}

/**
 * @param {number} seconds
 * @returns {string} the same span as k6 wants it, in whole milliseconds
 */
export function k6Duration(seconds) {
  return `${Math.round(seconds * 1000)}ms`;
}

/** k6 counts in milliseconds; its durations overflow after 292 years. */
const MIN_S = 0.001;
const MAX_S = 1e9;

const SECONDS = { ms: 0.001, s: 1, m: 60, h: 3600 };

/**
 * Reads a k6 duration ("1h30m", "2.5s", "500ms").
 *
 * @param {string} text
 * @returns {number | null} seconds; null if the text is not a duration or k6 does not support it (0, a
 *   thousand years)
 */
export function parseDuration(text) {
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) return null;
  let seconds = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)) {
    seconds += Number(amount) * SECONDS[/** @type {keyof typeof SECONDS} */ (unit)];
  }
  return seconds >= MIN_S && seconds <= MAX_S ? seconds : null;
}

/**
 * @param {number} seconds
 * @returns {string} the k6 duration, in whole milliseconds
 */
export function k6Duration(seconds) {
  return `${Math.round(seconds * 1000)}ms`;
}

/** A server may offer any number of them. */
const MOST = 20;
const MOST_LETTERS = 60;

/**
 * @param {string[]} names also a server's
 * @returns {string} for a message: one line, not more than a screen's
 */
export function namesOf(names) {
  const rest = names.length - MOST;
  const shown = names.slice(0, MOST).map((name) =>
    name
      .slice(0, MOST_LETTERS)
      // Neither control characters nor those that turn the direction of a text.
      .replace(/[^\x20-\x7e\u00a1-\u1fff\u2c00-\ud7ff]+/g, ' '),
  );
  return shown.join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

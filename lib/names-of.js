import { oneLine } from '../contract/one-line.js';

/** A server may offer any number of them. */
const MOST = 20;
const MOST_LETTERS = 60;

/**
 * @param {string[]} names also a server's
 * @returns {string} for a message: one line, not more than a screen's
 */
export function namesOf(names) {
  const rest = names.length - MOST;
  const shown = names.slice(0, MOST).map((name) => oneLine(name, MOST_LETTERS));
  return shown.join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

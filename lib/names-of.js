import { oneLine } from '../contract/one-line.js';

/** A server may offer any number of names. */
const MAX_NAMES = 20;
const MAX_NAME_LENGTH = 60;

/**
 * @param {string[]} names may come from a server
 * @returns {string} the names in one line of bounded length, for a message
 */
export function namesOf(names) {
  const rest = names.length - MAX_NAMES;
  const visible = names.slice(0, MAX_NAMES).map((name) => oneLine(name, MAX_NAME_LENGTH));
  return visible.join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

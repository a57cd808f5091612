import { asText } from './as-text.js';

/**
 * Neither control characters (of which a terminal obeys some), nor those that turn the direction of a text, have no width, or
 * are halves of a pair. Written out, for k6 knows no `\p{C}`.
 */
const HARMFUL =
  /(?:[^\x20-\uffff]|[\x7f-\xa0\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202f\u205f-\u206f\ud800-\udfff\ufdd0-\ufdef\ufeff\ufff0-\uffff])+/g;

/**
 * @param {unknown} text of a server, or of anybody
 * @param {number} [most] characters
 * @returns {string} one harmless line for a log, a label or a terminal
 */
export const oneLine = (text, most = Number.POSITIVE_INFINITY) =>
  asText(text)
    .slice(0, 10 * most)
    .replace(HARMFUL, ' ')
    .trim()
    .slice(0, most);

/** @param {string} unit of UTF-16; a line's end is JSON's own indentation */
const escaped = (unit) => (unit < ' ' ? unit : `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/**
 * @param {unknown} value
 * @param {number} [indent]
 * @returns {string} JSON with escapes in their place: it says the same, and a terminal may show it
 */
export const harmlessJson = (value, indent) =>
  JSON.stringify(value, null, indent).replace(HARMFUL, (found) => found.split('').map(escaped).join(''));

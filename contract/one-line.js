import { asText } from './as-text.js';

/**
 * Matches control characters (a terminal executes some), characters that change the text direction,
 * zero-width characters and lone surrogates. Written out because k6 does not support `\p{C}`.
 */
const HARMFUL =
  /(?:[^\x20-\uffff]|[\x7f-\xa0\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202f\u205f-\u206f\ud800-\udfff\ufdd0-\ufdef\ufeff\ufff0-\uffff])+/g;

/**
 * @param {unknown} text untrusted, for example from a server
 * @param {number} [most] maximum length, in characters
 * @returns {string} one harmless line for a log, a label or a terminal
 */
export const oneLine = (text, most = Number.POSITIVE_INFINITY) =>
  asText(text)
    .slice(0, 10 * most)
    .replace(HARMFUL, ' ')
    .trim()
    .slice(0, most);

/** @param {string} unit a UTF-16 code unit; control characters are the line breaks of JSON's indentation */
const escaped = (unit) => (unit < ' ' ? unit : `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/**
 * @param {unknown} value
 * @param {number} [indent]
 * @returns {string} JSON with harmful characters escaped: the same value, safe for a terminal
 */
export const harmlessJson = (value, indent) =>
  JSON.stringify(value, null, indent).replace(HARMFUL, (found) => found.split('').map(escaped).join(''));

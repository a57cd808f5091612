/**
 * A cheap proof that an answer is a success, in place of JSON.parse, which costs k6 some 40 µs for 540 bytes and 4 ms
 * for 64 KB. Whatever it can't prove is read in full (answer.js); tests/k6/plain-success.js holds the two against each
 * other on generated and hostile answers.
 *
 * Arrow functions here and in whatever else a virtual user evaluates: k6 needs 0.1 KB for each, for others 0.9.
 */
import { MAX_LENGTH } from './answer.js';

/** Longer answers are proven anew each time, not remembered. */
const MAX_REMEMBERED = 256 * 1024;

/**
 * @typedef {{before: string, after: string}} Remembered an answer's text that was a success, around its id
 */

/** No message is equal to it: neither JSON in a body, nor a line of an event stream, begins with a line's end. */
export const NOTHING_REMEMBERED = { before: '\n', after: '\n' };

/**
 * @param {any} response of k6; where the proof is not from memory, its body becomes the message in it
 * @param {number} id of the request
 * @param {Remembered} remembered the last success of the same call
 * @returns {Remembered | null} null: not proven; else what to remember
 */
export const plainSuccess = (response, id, remembered) => {
  if (response.status !== 200) return null;
  const body = response.body;
  const text = body[0] === '{' ? body : onlyEventData(body);
  if (text === null) return null;
  const digits = String(id);

  // The same text as one that was proven, but for the id, says the same. (Slices and ===, which compare in Go: k6's
  // startsWith and endsWith go through a text letter by letter.)
  const { before, after } = remembered;
  const start = before.length;
  const end = start + digits.length;
  if (
    text.length === end + after.length &&
    text.slice(start, end) === digits &&
    text.slice(end) === after &&
    text.slice(0, start) === before
  ) {
    return remembered;
  }

  const at = idPosition(text, digits);
  if (at < 0 || text.length > MAX_LENGTH) return null;
  // With an escape in it, a member's name could be any of those looked for below; bytes that are not UTF-8 show as U+FFFD.
  if (text.indexOf('\\u') >= 0 || text.indexOf('\ufffd') >= 0) return null;
  if (!saysAtMost(text, 'isError"', ':false') || !saysAtMost(text, 'resultType"', ':"complete"')) return null;
  // k6 checks with Go's speed that it is JSON, and counts the members: the three that idPosition saw, none twice.
  if (body !== text) response.body = text;
  if (response.json('@keys.#') !== 3) {
    response.body = body;
    return null;
  }
  return text.length > MAX_REMEMBERED
    ? NOTHING_REMEMBERED
    : { before: text.slice(0, at), after: text.slice(at + digits.length) };
};

/**
 * @param {any} response
 * @param {number} id
 * @param {Remembered} proof of it
 * @returns {string} the message that was proven to be a success
 */
export const messageText = (response, id, { before, after }) =>
  before === NOTHING_REMEMBERED.before ? response.body : `${before}${id}${after}`;

/**
 * @param {string} text
 * @param {string} digits
 * @returns {number} where the id stands in a text that, if it is JSON, has the members jsonrpc "2.0", this id and a
 *   result that is an object, in one of the two orders that the official SDKs write; -1: it may be anything
 */
const idPosition = (text, digits) => {
  const end = 22 + digits.length;
  if (text.slice(0, 22) === '{"jsonrpc":"2.0","id":' && text.slice(22, end + 11) === `${digits},"result":{`)
    return 22;
  const tail = `},"jsonrpc":"2.0","id":${digits}}`;
  if (text.slice(0, 11) === '{"result":{' && text.slice(-tail.length) === tail) {
    return text.length - 1 - digits.length;
  }
  return -1;
};

/**
 * @param {string} text
 * @param {string} name
 * @param {string} value
 * @returns {boolean} the name is not in the text, or once, and then with this value
 */
const saysAtMost = (text, name, value) => {
  const at = text.indexOf(name);
  if (at < 0) return true;
  const end = at + name.length;
  return text.slice(end, end + value.length) === value && text.indexOf(name, end) < 0;
};

/**
 * @param {string} body of an event stream
 * @returns {string | null} the data of its only event with any, all on one line; null: anything else
 */
const onlyEventData = (body) => {
  let at = body.slice(0, 5) === 'data:' ? 0 : body.indexOf('\ndata:') + 1 || -1;
  let end = at < 0 ? -1 : body.indexOf('\n', at);
  // Servers open a stream with an event of empty data, to give it an id.
  if (end >= 0 && end - at < 8 && body.slice(at + 5, end).trim() === '') {
    at = body.indexOf('\ndata:', end) + 1 || -1;
    end = at < 0 ? -1 : body.indexOf('\n', at);
  }
  // A byte order mark hides a first data line.
  if (end < 0 || body.indexOf('\ndata:', end) >= 0 || body.indexOf('\rdata') >= 0 || body[0] === '\ufeff')
    return null;
  const line = body.slice(body[at + 5] === ' ' ? at + 6 : at + 5, body[end - 1] === '\r' ? end - 1 : end);
  return line.indexOf('\r') < 0 ? line : null;
};

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
 * @typedef {(response: any, digits: string) => string | null} Prover
 *   takes k6's response and the digits of the request's id, and returns the message that is proven to be a success; null: not proven
 *
 * @returns {Prover} one for each call, for it remembers the last success
 */
export const makeProver = () => {
  // In variables: k6 takes longer to read a property. An answer is before + id + after; the message in it stands between
  // what an event stream has around it.
  let known = false;
  let before = '';
  let after = '';
  let lead = 0;
  let trail = 0;

  return (response, digits) => {
    if (response.status !== 200) return null;
    const body = response.body;
    // The same as one that was proven, but for the id, says the same. (Slices and ===, which compare in Go: k6's
    // startsWith and endsWith go through a text letter by letter.)
    const start = before.length;
    const end = start + digits.length;
    if (
      known &&
      body.length === end + after.length &&
      body.slice(end) === after &&
      body.slice(start, end) === digits &&
      body.slice(0, start) === before
    ) {
      return trail === 0 ? body : body.slice(lead, body.length - trail);
    }
    const place = body[0] === '{' ? { from: 0, to: body.length } : onlyEventData(body);
    if (place === null) return null;
    const text = body.slice(place.from, place.to);
    const at = idOfSuccess(response, body, text, digits);
    if (at < 0) return null;
    known = body.length <= MAX_REMEMBERED;
    if (known) {
      lead = place.from;
      trail = body.length - place.to;
      before = body.slice(0, lead + at);
      after = body.slice(lead + at + digits.length);
    }
    return text;
  };
};

/**
 * @param {any} response of k6; its body becomes the message where that is proven
 * @param {string} body
 * @param {string} text the message in it
 * @param {string} digits
 * @returns {number} where the id stands in it; -1: not proven
 */
const idOfSuccess = (response, body, text, digits) => {
  const at = idPosition(text, digits);
  if (at < 0 || text.length > MAX_LENGTH) return -1;
  // With an escape in it, a member's name could be any of those looked for below; bytes that are not UTF-8 show as U+FFFD.
  if (text.indexOf('\\u') >= 0 || text.indexOf('\ufffd') >= 0) return -1;
  if (!saysAtMost(text, 'isError"', ':false') || !saysAtMost(text, 'resultType"', ':"complete"')) return -1;
  // k6 checks with Go's speed that it is JSON, and counts the members: the three that idPosition saw, none twice.
  if (body !== text) response.body = text;
  if (response.json('@keys.#') === 3) return at;
  response.body = body;
  return -1;
};

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
 * @returns {{from: number, to: number} | null} where the data of its only event with any stands, all on one line;
 *   null: anything else
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
  const from = body[at + 5] === ' ' ? at + 6 : at + 5;
  const to = body[end - 1] === '\r' ? end - 1 : end;
  const inner = body.indexOf('\r', from);
  return inner < 0 || inner >= to ? { from, to } : null;
};

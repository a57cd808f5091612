/** What must hold of whatever a user is told. */
import assert from 'node:assert/strict';

/** Longer lines are read by nobody. Lists of valid choices are long. */
const LONGEST = 4000;

/**
 * One clear line: no line ends, no control characters or bidirectional marks, and not without end.
 *
 * @param {string} text
 */
export function isOneLine(text) {
  assert.ok(text.length > 0 && text.length <= LONGEST, `a message of ${text.length} characters`);
  assert.doesNotMatch(text, /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u, 'a message is one plain line');
}

/**
 * @template T
 * @param {() => T} run
 * @param {Function} kind of error that is meant for the user
 * @returns {{value: T} | {refused: string}} refused: in one line
 */
export function orRefused(run, kind) {
  try {
    return { value: run() };
  } catch (error) {
    if (!(error instanceof kind)) throw error;
    const { message } = /** @type {Error} */ (error);
    isOneLine(message);
    return { refused: message };
  }
}

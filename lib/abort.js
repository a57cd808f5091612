import exec from 'k6/execution';
import { oneLine } from '../contract/one-line.js';

/** Exit codes of a run that ends before it measures anything. */
export const USAGE = 2;
export const TARGET = 3;

/** Maximum length of the reason: a target's name, a list of its tools and what to do. */
const MAX_LENGTH = 2000;

/**
 * Ends the test. measured.json has the code and the reason; before the load they are in
 * k6's output. k6's own exit code is always 108.
 *
 * @param {number} code
 * @param {string} reason what is wrong and what to try next; may quote the server
 * @returns {never}
 */
export function abort(code, reason) {
  exec.test.abort(`exit ${code}: ${oneLine(reason, MAX_LENGTH)}`);
  throw new Error('unreachable: exec.test.abort does not return');
}

import exec from 'k6/execution';
import { oneLine } from '../contract/one-line.js';

/** Exit codes of a run that ends before it measures anything. */
export const USAGE = 2;
export const TARGET = 3;

/** A target's name, a list of its tools and what to do, and not a screen full. */
const MOST = 2000;

/**
 * Ends the test. The code and the reason are in measured.json, before the load in what k6 says; k6's own code is always 108.
 *
 * @param {number} code
 * @param {string} reason what is wrong and what to try next; a server's words may be in it
 * @returns {never}
 */
export function abort(code, reason) {
  exec.test.abort(`exit ${code}: ${oneLine(reason, MOST)}`);
  throw new Error('unreachable: exec.test.abort does not return');
}

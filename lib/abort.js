import exec from 'k6/execution';

/** Exit codes of a run that ends before it measures anything. */
export const USAGE = 2;
export const TARGET = 3;

/**
 * Ends the test. The runner finds the code and the reason in k6's log; k6's own code is always 108.
 *
 * @param {number} code
 * @param {string} reason one line: what is wrong and what to try next
 * @returns {never}
 */
export function abort(code, reason) {
  exec.test.abort(`exit ${code}: ${reason}`);
  throw new Error('unreachable: exec.test.abort does not return');
}

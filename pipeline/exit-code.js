/** What `make ci` ends with. docs/ci.md has the table of all exit codes; a test keeps it in step. */
import { FAIL, INVALID, PASS } from '../analysis/verdict.js';

/** As bad usage of anything here. */
export const USAGE = 2;
/** The target can't be reached, or is not MCP; here also: the server did not get ready. */
export const NO_TARGET = 3;
/** As timeout(1): the minutes were over. */
export const LIMIT = 124;
/** As a shell says it of what a signal ended. */
export const SIGNALS = /** @type {const} */ ({ SIGHUP: 129, SIGINT: 130, SIGTERM: 143 });

/** @param {number} code @returns {boolean} nothing was judged: what comes after it would end the same way */
export const isError = (code) => ![PASS, FAIL, INVALID].includes(code);

/**
 * @param {readonly number[]} codes of the runs and of what followed
 * @returns {number} the first error; else 99 where an objective was missed or something is worse: trustworthy runs show that;
 *   else 98 where a figure can't be trusted or nothing could be judged; else 0
 */
export function combined(codes) {
  const error = codes.find(isError);
  return error ?? [FAIL, INVALID].find((code) => codes.includes(code)) ?? PASS;
}

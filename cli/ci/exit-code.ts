/** Exit codes of `make ci`. A test compares them with the table in docs/ci.md. */
import { FAIL, INVALID, PASS } from '../../analysis/judge/verdict.ts';
import { TARGET, USAGE } from '../ending.ts';

/** The time limit was exceeded, as with timeout(1). */
export const LIMIT = 124;
/** Exit codes for signals, as in a shell. */
export const SIGNALS: Partial<Record<NodeJS.Signals, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

export const WORDS: Record<number, string> = {
  [PASS]: 'pass',
  [INVALID]: 'the figures are not trusted, or nothing could be judged',
  [FAIL]: 'an objective was missed, or a metric is worse than the baseline',
  [USAGE]: 'bad usage or configuration',
  [TARGET]: 'the target cannot be reached or does not speak MCP',
  [LIMIT]: 'the time limit was reached',
};

/** Whether nothing was judged: further steps would fail the same way. */
export const isError = (code: number) => ![PASS, FAIL, INVALID].includes(code);

/**
 * @param codes exit codes of the runs and of the steps after them
 * @returns the first error; else 99 if a trustworthy run missed an objective or is worse; else 98 if a result
 *   is not trustworthy or nothing could be judged; else 0
 */
export function combined(codes: readonly number[]): number {
  const error = codes.find(isError);
  return error ?? [FAIL, INVALID].find((code) => codes.includes(code)) ?? PASS;
}

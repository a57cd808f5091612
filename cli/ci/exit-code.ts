/** What `make ci` ends with. docs/ci.md has the table of all exit codes; a test keeps it in step. */
import { FAIL, INVALID, PASS } from '../../analysis/judge/verdict.ts';
import { TARGET, USAGE } from '../ending.ts';

/** As timeout(1): the minutes were over. */
export const LIMIT = 124;
/** As a shell says it of what a signal ended. */
export const SIGNALS: Partial<Record<NodeJS.Signals, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

export const WORDS: Record<number, string> = {
  [PASS]: 'pass',
  [INVALID]: 'the figures can not be trusted, or nothing could be judged',
  [FAIL]: 'an objective was missed, or something is worse than the baseline',
  [USAGE]: 'bad usage or configuration',
  [TARGET]: 'the target can not be reached, or is not MCP',
  [LIMIT]: 'the time limit was reached',
};

/** Was nothing judged? What comes after it would end the same way. */
export const isError = (code: number) => ![PASS, FAIL, INVALID].includes(code);

/**
 * @param codes of the runs and of what followed
 * @returns the first error; else 99 where an objective was missed or something is worse: trustworthy runs show that; else 98 where a figure
 *   can't be trusted or nothing could be judged; else 0
 */
export function combined(codes: readonly number[]): number {
  const error = codes.find(isError);
  return error ?? [FAIL, INVALID].find((code) => codes.includes(code)) ?? PASS;
}

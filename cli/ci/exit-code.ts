/** Exit codes of `make ci`. A test compares them with the table in docs/ci.md. */
import type { Comparison } from '../../analysis/compare/comparison.ts';
import type { Run } from '../../analysis/judge/run.ts';
import { FAIL, INVALID, PASS } from '../../analysis/judge/verdict.ts';
import { counted } from '../../contract/units.js';
import { TARGET, USAGE } from '../ending.ts';
import type { Done } from './summary.ts';

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

/** @returns number of objectives that the run missed */
export const missedIn = ({ thresholds }: Pick<Run, 'thresholds'>) =>
  thresholds.filter(({ outcome }) => outcome === 'fail').length;

/** @returns number of metrics that are worse */
export const worseIn = ({ metrics }: Pick<Comparison, 'metrics'>) =>
  metrics.filter(({ outcome }) => outcome === 'worse').length;

/** @returns the last line of `make ci`: the exit code and its reason */
export function endingOf(code: number, done: readonly Done[]): string {
  const words = (code === FAIL && failText(done)) || WORDS[code];
  return `exit code ${code}${words ? `: ${words}` : ''}`;
}

/** @returns '' if the runs and the comparison do not say what failed */
function failText(done: readonly Done[]): string {
  const failed = done.filter(({ code }) => code === FAIL);
  const runs = failed.filter(({ missed }) => missed);
  const missed = runs.reduce((sum, run) => sum + (run.missed ?? 0), 0);
  const inRuns = runs.length > 1 ? ` in ${runs.length} runs` : '';
  return [
    ...(missed > 0 ? [`${counted(missed, 'objective')} ${wasOrWere(missed)} missed${inRuns}`] : []),
    ...failed.flatMap(({ worse }) =>
      worse?.metrics
        ? [
            `${counted(worse.metrics, 'metric')} ${worse.metrics === 1 ? 'is' : 'are'} worse than ${worse.than}`,
          ]
        : [],
    ),
  ].join(', and ');
}

const wasOrWere = (count: number) => (count === 1 ? 'was' : 'were');

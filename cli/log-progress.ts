import { logLine } from '../analysis/run-log.ts';

/** One line of progress, on standard error and in the run's log. */
export function logProgress(text: string) {
  process.stderr.write(`${text}\n`);
  logLine(text);
}

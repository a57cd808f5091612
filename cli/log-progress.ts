import { logLine } from '../analysis/run-log.ts';

/** Writes a line of progress to standard error and to the run's log. */
export function logProgress(text: string) {
  process.stderr.write(`${text}\n`);
  logLine(text);
}

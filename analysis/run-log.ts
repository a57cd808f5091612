import { appendFileSync } from 'node:fs';

/** Adds a line to the run's log, if there is one (RUN_LOG). Errors are ignored. */
export function logLine(text: string) {
  const { RUN_LOG: log } = process.env;
  if (!log) return;
  try {
    appendFileSync(log, `${new Date().toISOString().replace(/\.\d+Z$/, 'Z')} ${text}\n`);
  } catch {
    // The disk may be full, or the file may have been removed.
  }
}

import { appendFileSync } from 'node:fs';

/** Adds a line to the run's log, where there is one (RUN_LOG). No run fails for its log. */
export function logLine(text: string) {
  const { RUN_LOG: log } = process.env;
  if (!log) return;
  try {
    appendFileSync(log, `${new Date().toISOString().replace(/\.\d+Z$/, 'Z')} ${text}\n`);
  } catch {
    // It is on a disk that is full, or was removed meanwhile.
  }
}

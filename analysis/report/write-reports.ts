/** Writes the reports of a run, always all of them, so that they are consistent. */
import { join } from 'node:path';
import { documentOf } from '../../page/document.ts';
import type { Timeline } from '../collect/timeline.ts';
import type { Run } from '../judge/run.ts';
import { renderCsv } from '../render/csv.ts';
import { renderJunit } from '../render/junit.ts';
import { renderMarkdown } from '../render/markdown.ts';
import { writeAtomic } from '../write-atomic.ts';
import { pageOfRun } from './run-page.ts';

/** By file name; the largest report is the last. */
const REPORTS: Record<string, (run: Run, timeline: Timeline | null) => string> = {
  'report.md': renderMarkdown,
  'junit.xml': renderJunit,
  'summary.csv': renderCsv,
  'report.html': (run, timeline) => documentOf(pageOfRun(run, timeline)),
};

/**
 * @param directory directory of the run's results
 * @param timeline null: report.html has no charts and says so
 * @returns the names of the files; the same input always results in the same bytes
 * @throws {Error} if a report cannot be created or written; previous reports are written by then
 */
export function writeReports(directory: string, run: Run, timeline: Timeline | null): string[] {
  for (const [name, render] of Object.entries(REPORTS))
    writeAtomic(join(directory, name), render(run, timeline));
  return Object.keys(REPORTS);
}

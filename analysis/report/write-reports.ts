/** The reports of one run: whoever writes one of them writes them all, so that they say the same. */
import { join } from 'node:path';
import { documentOf } from '../../page/document.ts';
import type { Timeline } from '../collect/timeline.ts';
import type { Run } from '../judge/run.ts';
import { renderCsv } from '../render/csv.ts';
import { renderJunit } from '../render/junit.ts';
import { renderMarkdown } from '../render/markdown.ts';
import { writeAtomic } from '../write-atomic.ts';
import { pageOfRun } from './run-page.ts';

/** By file; the largest is the last. */
const REPORTS: Record<string, (run: Run, timeline: Timeline | null) => string> = {
  'report.md': renderMarkdown,
  'junit.xml': renderJunit,
  'summary.csv': renderCsv,
  'report.html': (run, timeline) => documentOf(pageOfRun(run, timeline)),
};

/**
 * @param directory of the run's results
 * @param timeline null: report.html has no charts and says so
 * @returns the files' names; the same input makes the same bytes
 * @throws {Error} where one can't be made or written; those before it are written then
 */
export function writeReports(directory: string, run: Run, timeline: Timeline | null): string[] {
  for (const [name, render] of Object.entries(REPORTS))
    writeAtomic(join(directory, name), render(run, timeline));
  return Object.keys(REPORTS);
}

/** The reports of one run: whoever writes one of them writes them all, so that they say the same. */
import { join } from 'node:path';
import { documentOf } from '../../page/document.ts';
import { renderCsv } from '../render/csv.js';
import { renderJunit } from '../render/junit.js';
import { renderMarkdown } from '../render/markdown.js';
import { writeAtomic } from '../write-atomic.js';
import { pageOfRun } from './run-page.ts';

/** @type {Record<string, (run: import('../run.js').Run, timeline: import('../timeline.js').Timeline | null) => string>} by file; the largest is the last */
const REPORTS = {
  'report.md': renderMarkdown,
  'junit.xml': renderJunit,
  'summary.csv': renderCsv,
  'report.html': (run, timeline) => documentOf(pageOfRun(run, timeline)),
};

/**
 * @param {string} directory of the run's results
 * @param {import('../run.js').Run} run
 * @param {import('../timeline.js').Timeline | null} timeline null: report.html has no charts and says so
 * @returns {string[]} the files' names; the same input makes the same bytes
 * @throws {Error} where one can't be made or written; those before it are written then
 */
export function writeReports(directory, run, timeline) {
  for (const [name, render] of Object.entries(REPORTS))
    writeAtomic(join(directory, name), render(run, timeline));
  return Object.keys(REPORTS);
}

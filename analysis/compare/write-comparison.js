/** The files of one comparison: whoever writes one of them writes them all, so that they say the same. */
import { join } from 'node:path';
import { writeAtomic } from '../write-atomic.js';
import { renderJunit } from './junit.js';
import { renderMarkdown } from './markdown.js';
import { renderHtml } from './page.js';

/** @type {Record<string, (comparison: import('./comparison.js').Comparison) => string>} by file */
const FILES = {
  'comparison.json': (comparison) => `${JSON.stringify(comparison, null, 2)}\n`,
  'comparison.md': renderMarkdown,
  'comparison.html': renderHtml,
  'junit.xml': renderJunit,
};

/**
 * @param {string} directory that there is
 * @param {import('./comparison.js').Comparison} comparison
 * @returns {string[]} the files' names; the same comparison makes the same bytes
 */
export function writeComparison(directory, comparison) {
  for (const [name, render] of Object.entries(FILES)) writeAtomic(join(directory, name), render(comparison));
  return Object.keys(FILES);
}

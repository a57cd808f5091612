/** The files of one comparison: whoever writes one of them writes them all, so that they say the same. */
import { join } from 'node:path';
import { documentOf } from '../../page/document.ts';
import { writeAtomic } from '../write-atomic.js';
import { pageOfComparison } from './comparison-page.ts';
import { renderJunit } from './junit.js';
import { renderMarkdown } from './markdown.js';

/** @type {Record<string, (comparison: import('./comparison.js').Comparison) => string>} by file */
const FILES = {
  'comparison.json': (comparison) => `${JSON.stringify(comparison, null, 2)}\n`,
  'comparison.md': renderMarkdown,
  'comparison.html': (comparison) => documentOf(pageOfComparison(comparison)),
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

/** Writes the files of a comparison, always all of them, so that they are consistent. */
import { join } from 'node:path';
import { documentOf } from '../../page/document.ts';
import { writeAtomic } from '../write-atomic.ts';
import type { Comparison } from './comparison.ts';
import { pageOfComparison } from './comparison-page.ts';
import { renderJunit } from './junit.ts';
import { renderMarkdown } from './markdown.ts';

/** By file name. */
const FILES: Record<string, (comparison: Comparison) => string> = {
  'comparison.json': (comparison) => `${JSON.stringify(comparison, null, 2)}\n`,
  'comparison.md': renderMarkdown,
  'comparison.html': (comparison) => documentOf(pageOfComparison(comparison)),
  'junit.xml': renderJunit,
};

/**
 * @param directory existing directory
 * @returns the names of the files; the same comparison always results in the same bytes
 */
export function writeComparison(directory: string, comparison: Comparison): string[] {
  for (const [name, render] of Object.entries(FILES)) writeAtomic(join(directory, name), render(comparison));
  return Object.keys(FILES);
}

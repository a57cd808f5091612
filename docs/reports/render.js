#!/usr/bin/env node
/**
 * Writes the reports in this folder again from the figures beside them, after the look of reports has changed:
 * node docs/reports/render.js
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeComparison } from '../../analysis/compare/write-comparison.js';
import { writeReports } from '../../analysis/report/write-reports.js';

const HERE = fileURLToPath(new URL('.', import.meta.url));

/** Folders of the reports, each of one run or of one comparison. */
export const REPORTS = readdirSync(HERE, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => join(HERE, entry.name));

/**
 * @param {string} folder of a report
 * @param {string} directory where its files are written
 * @returns {string[]} their names
 */
export function render(folder, directory) {
  const read = (/** @type {string} */ name) => JSON.parse(readFileSync(join(folder, name), 'utf8'));
  return existsSync(join(folder, 'run.json'))
    ? writeReports(directory, read('run.json'), read('timeline.json'))
    : writeComparison(directory, read('comparison.json'));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const folder of REPORTS)
    for (const name of render(folder, folder)) process.stdout.write(`${join(folder, name)}\n`);
}

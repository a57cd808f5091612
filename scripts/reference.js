#!/usr/bin/env node
/**
 * The texts that are made from the code, tables of the documentation and what `make` prints: `make docs` writes them, a test compares them.
 *
 *   node scripts/reference.js
 *
 * A page says where a table belongs: between `<!-- NAME: written by ... -->` and `<!-- end -->`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rulesTable } from '../analysis/bottleneck/rules-table.js';
import { configurationTables } from './configuration-reference.js';
import { helpText } from './help-text.js';
import { listText } from './list-text.js';
import { metricTables } from './metric-reference.js';
import { signalTables } from './signal-reference.js';

/** @typedef {Record<string, string>} Tables name of a table -> its text */

/** @type {Record<string, () => Tables | Promise<Tables>>} page -> what is in it */
export const PAGES = {
  'docs/configuration.md': configurationTables,
  'docs/metrics.md': metricTables,
  'docs/signals.md': signalTables,
  'docs/verdicts.md': () => ({ bottlenecks: rulesTable() }),
};

/** What `make` prints without Node.js: files that are written whole. @type {Record<string, () => string | Promise<string>>} */
export const FILES = { 'scripts/list.txt': listText, 'scripts/help-all.txt': helpText };

/** @param {string} page @returns {URL} */
const file = (page) => new URL(`../${page}`, import.meta.url);

/**
 * @param {string} page
 * @returns {Promise<{text: string, renewed: string}>} as it is, and with the tables as they have to be
 * @throws where a table has no place, or a place no table
 */
export async function renew(page) {
  const text = readFileSync(file(page), 'utf8');
  const tables = (await PAGES[page]?.()) ?? {};
  const missing = new Set(Object.keys(tables));
  const renewed = text.replace(/(<!-- (\w+): [^\n]*-->\n)[\s\S]*?(<!-- end -->)/g, (_, begin, name, end) => {
    if (!missing.delete(name)) throw new Error(`${page}: there is one place too many for the table ${name}`);
    return `${begin}${tables[name]}\n${end}`;
  });
  if (missing.size > 0)
    throw new Error(`${page}: there is no place for the tables ${[...missing].join(', ')}`);
  return { text, renewed };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const page of Object.keys(PAGES))
    writeFileSync(fileURLToPath(file(page)), (await renew(page)).renewed);
  for (const [name, text] of Object.entries(FILES)) writeFileSync(fileURLToPath(file(name)), await text());
}

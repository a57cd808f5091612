#!/usr/bin/env node
/**
 * Generates texts from the code: tables of the documentation, and the output of `make help` and similar commands.
 * `make docs` writes the texts. A test checks that they are current.
 *
 *   node scripts/reference.ts
 *
 * In a page, the markers of a table are `<!-- NAME: written by ... -->` and `<!-- end -->`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rulesTable } from '../analysis/bottleneck/rules-table.ts';
import { configurationTables } from './configuration-reference.ts';
import { faultTable } from './fault-reference.ts';
import { helpText } from './help-text.ts';
import { limitTables } from './limit-reference.ts';
import { listText } from './list-text.ts';
import { makeWords } from './make-words.ts';
import { metricTables, moduleTable } from './metric-reference.ts';
import { signalTables } from './signal-reference.ts';
import { clusterTables, composeFile, helpScreen, testTables } from './test-reference.ts';

/** The text of each table, by name. */
export type Tables = Record<string, string>;

/** The tables of each page. */
export const PAGES: Record<string, () => Tables | Promise<Tables>> = {
  'docs/configuration.md': configurationTables,
  'docs/metrics.md': metricTables,
  'docs/signals.md': signalTables,
  'docs/tests.md': testTables,
  'deploy/kubernetes/README.md': clusterTables,
  'xk6-mcp/README.md': () => ({ module: moduleTable() }),
  'docs/calibration.md': () => ({ faults: faultTable() }),
  'docs/limits.md': () => ({ bottlenecks: rulesTable(), ...limitTables() }),
};

/** The files that `make` and Docker read without Node.js. */
export const FILES: Record<string, () => string | Promise<string>> = {
  'scripts/list.txt': listText,
  'scripts/help-all.txt': helpText,
  'scripts/make-words.txt': makeWords,
  'scripts/help.txt': helpScreen,
  'docker-compose.yml': composeFile,
};

const file = (page: string) => new URL(`../${page}`, import.meta.url);

/**
 * Reads a page and regenerates its tables.
 *
 * @returns `text`: the current page; `renewed`: the page with regenerated tables
 * @throws if a table has no marker in the page, or a marker has no table
 */
export async function renew(page: string): Promise<{ text: string; renewed: string }> {
  const text = readFileSync(file(page), 'utf8');
  const tables = (await PAGES[page]?.()) ?? {};
  const missing = new Set(Object.keys(tables));
  const renewed = text.replace(/(<!-- (\w+): [^\n]*-->\n)[\s\S]*?(<!-- end -->)/g, (_, begin, name, end) => {
    if (!missing.delete(name)) throw new Error(`${page}: the marker ${name} has no table or occurs twice`);
    return `${begin}${tables[name]}\n${end}`;
  });
  if (missing.size > 0) throw new Error(`${page}: no markers for the tables ${[...missing].join(', ')}`);
  return { text, renewed };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const page of Object.keys(PAGES))
    writeFileSync(fileURLToPath(file(page)), (await renew(page)).renewed);
  for (const [name, text] of Object.entries(FILES)) writeFileSync(fileURLToPath(file(name)), await text());
}

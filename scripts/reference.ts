#!/usr/bin/env node
/**
 * The texts that are made from the code, tables of the documentation and what `make` prints: `make docs` writes them, a test compares them.
 *
 *   node scripts/reference.ts
 *
 * A page says where a table belongs: between `<!-- NAME: written by ... -->` and `<!-- end -->`.
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

/** Name of a table -> its text. */
export type Tables = Record<string, string>;

/** Page -> what is in it. */
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

/** What `make` and Docker read without Node.js. */
export const FILES: Record<string, () => string | Promise<string>> = {
  'scripts/list.txt': listText,
  'scripts/help-all.txt': helpText,
  'scripts/make-words.txt': makeWords,
  'scripts/help.txt': helpScreen,
  'docker-compose.yml': composeFile,
};

const file = (page: string) => new URL(`../${page}`, import.meta.url);

/**
 * A page as it is, and with the tables as they have to be.
 *
 * @throws where a table has no place, or a place no table
 */
export async function renew(page: string): Promise<{ text: string; renewed: string }> {
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

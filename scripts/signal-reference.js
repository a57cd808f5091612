#!/usr/bin/env node
/**
 * The tables of docs/signals.md, from the rule files and the catalogue that dashboards draw signals by.
 *
 *   node scripts/signal-reference.js [--write]     prints them, or writes them into the document
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseName, SOURCES } from '../analysis/signals.js';
import { SIGNALS } from '../dashboards/signal-catalogue.js';
import { readRules } from './signal-rules.js';

const DOCUMENT = fileURLToPath(new URL('../docs/signals.md', import.meta.url));
/** What an aggregation keeps and that is no split. */
const OF_THE_SERVER = ['server', 'instance', 'id', 'le', 'testid'];

/** @typedef {import('./signal-rules.js').RecordingRule} RecordingRule */

/** @param {string} text */
const cell = (text) => text.replaceAll('|', '\\|');
/** @param {string[]} cells */
const row = (...cells) => `| ${cells.map(cell).join(' | ')} |`;
/** @param {string} file */
const kind = (file) => file.replace(/^signals-|\.yml$/g, '');
/** @param {RecordingRule} rule */
const giver = ({ source, server, file }) => source || server || kind(file);

/** @param {RecordingRule[]} rules in the order of precedence */
const givers = (rules) => [...new Set(rules.map(giver))].join(', ');

/** @param {RecordingRule} rule @returns {string[]} */
function splitBy({ labels, expr }) {
  const [, by = ''] = /by \(([^)]*)\)/.exec(expr) ?? [];
  const kept = by.split(',').map((label) => label.trim());
  return [...labels, ...kept].filter((label) => label !== '' && !OF_THE_SERVER.includes(label));
}

/** @param {RecordingRule[]} rules @returns {Map<string, RecordingRule[]>} by name */
function byName(rules) {
  /** @type {Map<string, RecordingRule[]>} */
  const groups = new Map();
  const sorted = rules.toSorted((a, b) => SOURCES.indexOf(a.source) - SOURCES.indexOf(b.source));
  for (const rule of sorted) groups.set(rule.name, [...(groups.get(rule.name) ?? []), rule]);
  return new Map([...groups].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** @param {RecordingRule[]} rules */
function signalTable(rules) {
  const rows = [...byName(rules)].flatMap(([name, those]) => {
    const parsed = parseName(name);
    if (!parsed) return [];
    const drawn = SIGNALS[`${parsed.signal}:${parsed.unit}`];
    const range = parsed.unit === 'ratio' && drawn?.max === 1 ? '0 to 1' : 'from 0';
    return row(`\`${parsed.signal}\``, parsed.unit, range, drawn?.description ?? '', givers(those));
  });
  return [
    row('signal', 'unit', 'range', 'what it is', 'who gives it, the first that has it'),
    '|---|---|---|---|---|',
    ...rows,
  ];
}

/** @param {RecordingRule[]} rules */
function detailTable(rules) {
  const rows = [...byName(rules)].flatMap(([name, those]) => {
    const [, detail = '', unit = ''] = /^detail:([^:]+):([^:]+)$/.exec(name) ?? [];
    if (!detail) return [];
    return row(`\`${detail}\``, unit, [...new Set(those.flatMap(splitBy))].join(', '), givers(those));
  });
  return [row('detail', 'unit', 'by', 'who gives it'), '|---|---|---|---|', ...rows];
}

/** @param {RecordingRule[]} rules */
function sourceTable(rules) {
  const files = [...new Set(rules.map(({ file }) => file))];
  const rows = files.map((file) => {
    const those = rules.filter((rule) => rule.file === file);
    const metrics = [...new Set(those.flatMap((rule) => rule.metrics))].sort().map((name) => `\`${name}\``);
    const [first] = those;
    const link = `[${kind(file)}](../provisioning/prometheus/rules/${file})`;
    return row(link, first?.about ?? '', metrics.join(', '));
  });
  return [row('rule file', 'for', 'metrics that it reads'), '|---|---|---|', ...rows];
}

/** @returns {Record<string, string>} name of a table -> its text */
export function tables() {
  const rules = readRules();
  return {
    signals: signalTable(rules).join('\n'),
    details: detailTable(rules).join('\n'),
    sources: sourceTable(rules).join('\n'),
    precedence: SOURCES.map((source) => (source === '' ? 'a rule without `source`' : `\`${source}\``)).join(
      ', ',
    ),
  };
}

/** @param {string} text of the document @returns {string} with the tables as they are now */
export function renewed(text) {
  return Object.entries(tables()).reduce(
    (all, [name, table]) =>
      all.replace(
        new RegExp(`(<!-- ${name}: [^\\n]*-->\\n)[^]*?(<!-- end -->)`),
        (_, begin, end) => `${begin}${table}\n${end}`,
      ),
    text,
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  if (process.argv[2] === '--write') writeFileSync(DOCUMENT, renewed(readFileSync(DOCUMENT, 'utf8')));
  else for (const table of Object.values(tables())) process.stdout.write(`${table}\n\n`);
}

/** The tables of docs/signals.md, from the rule files and the catalogue that dashboards draw signals by. */
import { parseName, SOURCES } from '../analysis/signals.js';
import { SIGNALS } from '../dashboards/signal-catalogue.js';
import { code, table } from './markdown-table.js';
import { readRules } from './signal-rules.js';

/** What an aggregation keeps and that is no split. */
const OF_THE_SERVER = ['server', 'instance', 'id', 'le', 'testid'];

/** @typedef {import('./signal-rules.js').RecordingRule} RecordingRule */

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
    return [[code(parsed.signal), parsed.unit, range, drawn?.description ?? '', givers(those)]];
  });
  return table(['signal', 'unit', 'range', 'what it is', 'who gives it, the first that has it'], rows);
}

/** @param {RecordingRule[]} rules */
function detailTable(rules) {
  const rows = [...byName(rules)].flatMap(([name, those]) => {
    const [, detail = '', unit = ''] = /^detail:([^:]+):([^:]+)$/.exec(name) ?? [];
    if (!detail) return [];
    return [[code(detail), unit, [...new Set(those.flatMap(splitBy))].join(', '), givers(those)]];
  });
  return table(['detail', 'unit', 'by', 'who gives it'], rows);
}

/** @param {RecordingRule[]} rules */
function sourceTable(rules) {
  const files = [...new Set(rules.map(({ file }) => file))];
  const rows = files.map((file) => {
    const those = rules.filter((rule) => rule.file === file);
    const metrics = [...new Set(those.flatMap((rule) => rule.metrics))].sort().map(code);
    const [first] = those;
    const link = `[${kind(file)}](../provisioning/prometheus/rules/${file})`;
    return [link, first?.about ?? '', metrics.join(', ')];
  });
  return table(['rule file', 'for', 'metrics that it reads'], rows);
}

/** @returns {import('./reference.js').Tables} */
export function signalTables() {
  const rules = readRules();
  return {
    signals: signalTable(rules),
    details: detailTable(rules),
    sources: sourceTable(rules),
    precedence: SOURCES.map((source) => (source === '' ? 'a rule without `source`' : code(source))).join(
      ', ',
    ),
  };
}

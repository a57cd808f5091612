/** The tables of docs/signals.md, generated from the rule files and the signal catalogue. */

import { type RecordingRule, readRules } from '../analysis/collect/signal-rules.ts';
import { parseName, SOURCES } from '../analysis/collect/signals.ts';
import { SIGNALS } from '../contract/signals.js';
import { code, table } from './markdown-table.ts';
import type { Tables } from './reference.ts';

const kind = (file: string) => file.replace(/^signals-|\.yml$/g, '');
const giver = ({ source, server, file }: RecordingRule) => source || server || kind(file);

/** The sources of the rules, in order of precedence. */
const givers = (rules: RecordingRule[]) => [...new Set(rules.map(giver))].join(', ');

function byName(rules: RecordingRule[]): Map<string, RecordingRule[]> {
  const groups = new Map<string, RecordingRule[]>();
  const sorted = rules.toSorted((a, b) => SOURCES.indexOf(a.source) - SOURCES.indexOf(b.source));
  for (const rule of sorted) groups.set(rule.name, [...(groups.get(rule.name) ?? []), rule]);
  return new Map([...groups].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function signalTable(rules: RecordingRule[]): string {
  const rows = [...byName(rules)].flatMap(([name, those]) => {
    const parsed = parseName(name);
    if (!parsed) return [];
    const signal = SIGNALS[`${parsed.signal}:${parsed.unit}`];
    const range = parsed.unit === 'ratio' && !signal?.above1 ? '0 to 1' : 'from 0';
    return [[code(parsed.signal), parsed.unit, range, signal?.description ?? '', givers(those)]];
  });
  return table(['signal', 'unit', 'range', 'description', 'sources, in order of precedence'], rows);
}

function sourceTable(rules: RecordingRule[]): string {
  const files = [...new Set(rules.map(({ file }) => file))];
  const rows = files.map((file) => {
    const those = rules.filter((rule) => rule.file === file);
    const metrics = [...new Set(those.flatMap((rule) => rule.metrics))].sort().map(code);
    const [first] = those;
    const link = `[${kind(file)}](../provisioning/prometheus/rules/${file})`;
    return [link, first?.about ?? '', metrics.join(', ')];
  });
  return table(['rule file', 'description', 'metrics'], rows);
}

export function signalTables(): Tables {
  const rules = readRules();
  return {
    signals: signalTable(rules),
    sources: sourceTable(rules),
    precedence: SOURCES.map((source) => (source === '' ? 'a rule without `source`' : code(source))).join(
      ', ',
    ),
  };
}

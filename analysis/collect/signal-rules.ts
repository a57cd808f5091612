/** Reads the recording rules from the rule files. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';

export const RULES = fileURLToPath(new URL('../../provisioning/prometheus/rules/', import.meta.url));

export interface RecordingRule {
  /** For example signal:cpu:ratio. */
  name: string;
  file: string;
  /** The first sentence of the file. */
  about: string;
  /** The label `source`; '' without one. */
  source: string;
  /** The label `server` of rules that monitor a specific server; '' for all others. */
  server: string;
  expr: string;
  /** Metrics that the expression reads; a pattern if a metric has several names. */
  metrics: string[];
}

/** A rule in a file. */
interface Rule {
  record?: string;
  expr: string;
  labels?: Record<string, string>;
}

/** @returns the rules of signals, by file */
export function readRules(): RecordingRule[] {
  return readdirSync(RULES)
    .filter((name) => /^signals-.*\.yml$/.test(name))
    .sort()
    .flatMap((file) => {
      const text = readFileSync(`${RULES}${file}`, 'utf8');
      const about = firstSentence(text);
      const { groups } = parse(text) as { groups: { rules: Rule[] }[] };
      return groups.flatMap(({ rules }) =>
        rules
          .filter(({ record = '' }) => record.startsWith('signal:'))
          .map(({ record = '', expr, labels = {} }) => ({
            name: record,
            file,
            about,
            source: labels.source ?? '',
            server: labels.server ?? '',
            expr: expr.trim(),
            metrics: metricsOf(expr),
          })),
      );
    });
}

/** @param text begins with comment lines */
function firstSentence(text: string): string {
  const [head = ''] = /^(#.*\n)+/.exec(text) ?? [];
  const sentence = head.replace(/^# ?/gm, '').replace(/\s+/g, ' ').trim();
  return /^.*?[.](?= [A-Z]|$)/.exec(sentence)?.[0] ?? sentence;
}

/** Helper rules between metrics and signals, and metrics that only identify the machine or server. */
const NOT_ITS_OWN = /^(watched:|up$)/;

export function metricsOf(expr: string): string[] {
  const names = new Set<string>();
  parser.parse(expr).iterate({
    enter({ type, from, to, node }) {
      if (type.name !== 'VectorSelector') return;
      const identifier = node.getChild('Identifier');
      const text = expr.slice(from, to);
      const name = identifier
        ? expr.slice(identifier.from, identifier.to)
        : (/__name__=~?"([^"]*)"/.exec(text)?.[1] ?? '').replaceAll('\\\\', '\\');
      if (name && !NOT_ITS_OWN.test(name)) names.add(name);
    },
  });
  return [...names];
}

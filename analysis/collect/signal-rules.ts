/** What the rule files record, read from the files themselves. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';

export const RULES = fileURLToPath(new URL('../../provisioning/prometheus/rules/', import.meta.url));

export interface RecordingRule {
  /** Such as signal:cpu:ratio. */
  name: string;
  file: string;
  /** The file's first sentence. */
  about: string;
  /** The label; '' where a rule has none. */
  source: string;
  /** The label of rules that watch one certain server; '' for all others. */
  server: string;
  expr: string;
  /** Metrics that the expression reads; a pattern where it takes several names for the same. */
  metrics: string[];
}

/** A rule in a file. */
interface Rule {
  record?: string;
  expr: string;
  labels?: Record<string, string>;
}

/** The rules of signals, by file. */
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

/** Of a text that begins with comment lines. */
function firstSentence(text: string): string {
  const [head = ''] = /^(#.*\n)+/.exec(text) ?? [];
  const sentence = head.replace(/^# ?/gm, '').replace(/\s+/g, ' ').trim();
  return /^.*?[.](?= [A-Z]|$)/.exec(sentence)?.[0] ?? sentence;
}

/** Helpers between metrics and signals, and what says only which machine or server is meant. */
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

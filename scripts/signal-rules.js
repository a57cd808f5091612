/** What the rule files record, read from the files themselves. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';

export const RULES = fileURLToPath(new URL('../provisioning/prometheus/rules/', import.meta.url));

/**
 * @typedef {object} RecordingRule
 * @property {string} name such as signal:cpu:ratio
 * @property {string} file
 * @property {string} about the file's first sentence
 * @property {string} source the label; '' where a rule has none
 * @property {string} server the label of rules that watch one certain server; '' for all others
 * @property {string[]} labels that a detail is split by
 * @property {string} expr
 * @property {string[]} metrics that the expression reads, a pattern where it takes several names for the same
 */

/** @returns {RecordingRule[]} of signals and details, by file */
export function readRules() {
  return readdirSync(RULES)
    .filter((name) => /^signals-.*\.yml$/.test(name))
    .sort()
    .flatMap((file) => {
      const text = readFileSync(`${RULES}${file}`, 'utf8');
      const about = firstSentence(text);
      const groups = /** @type {{labels?: Record<string, string>, rules: any[]}[]} */ (parse(text).groups);
      return groups.flatMap(({ labels: common = {}, rules }) =>
        rules
          .filter(({ record = '' }) => /^(signal|detail):/.test(record))
          .map(({ record, expr, labels = {} }) => ({
            name: record,
            file,
            about,
            source: common.source ?? '',
            server: common.server ?? '',
            labels: Object.keys(labels),
            expr: expr.trim(),
            metrics: metricsOf(expr),
          })),
      );
    });
}

/** @param {string} text that begins with comment lines */
function firstSentence(text) {
  const [head = ''] = /^(#.*\n)+/.exec(text) ?? [];
  const sentence = head.replace(/^# ?/gm, '').replace(/\s+/g, ' ').trim();
  return /^.*?[.](?= [A-Z]|$)/.exec(sentence)?.[0] ?? sentence;
}

/** Helpers between metrics and signals, and what says only which machine or server is meant. */
const NOT_ITS_OWN = /^(watched:|up$)/;

/** @param {string} expr @returns {string[]} */
export function metricsOf(expr) {
  /** @type {Set<string>} */
  const names = new Set();
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

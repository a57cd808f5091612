/**
 * The variables of a dashboard: what there is to choose, and what is chosen.
 *
 * @typedef {{text: string, value: string}} Option
 */
import { substitute } from './substitute.js';

/** Grafana's numbers for what of a variable is shown. */
export const HIDE = { label: 1, variable: 2 };

/**
 * @param {any} variable its JSON
 * @returns {string | null} the PromQL of a query variable; null where it is none, or asks for something else
 */
export function queryOf(variable) {
  if (variable.type !== 'query') return null;
  const text =
    typeof variable.query === 'string'
      ? variable.query
      : (variable.query?.query ?? variable.definition ?? '');
  return /^\s*query_result\((.*)\)\s*$/s.exec(text)?.[1] ?? null;
}

/**
 * @param {any} variable its JSON
 * @param {import('./substitute.js').Values} values of the variables before it, and the built-in ones
 * @returns {string | null} as `queryOf`, with values for variables
 */
export function filledQuery(variable, values) {
  const query = queryOf(variable);
  return query === null ? null : substitute(query, values);
}

/**
 * A sample as the text that a variable's regular expression is applied to.
 *
 * @param {Record<string, string>} labels
 * @param {number | null} value
 * @param {number} timeS
 * @returns {string} name{label="value",other="value"} 1 1700000000000
 */
export function sampleText({ __name__ = '', ...labels }, value, timeS) {
  const inBraces = Object.entries(labels).map(([label, text]) => `${label}="${text}"`);
  return `${__name__}{${inBraces.join(',')}} ${value} ${Math.round(timeS * 1000)}`;
}

/**
 * @param {any} variable its JSON: `regex` and `sort`
 * @param {import('./prometheus-answer.js').Answer} answer
 * @returns {Option[]} each once
 */
export function optionsOf({ regex, sort = 0 }, { grid, series }) {
  const texts = series.map(({ labels, values }) => sampleText(labels, values[0] ?? null, grid.startS));
  return sorted(unique(regex ? texts.flatMap((text) => matched(text, regex)) : texts.map(same)), sort);
}

/** @param {string} text @returns {Option} */
const same = (text) => ({ text, value: text });

/**
 * @param {string} text
 * @param {string} regex `/pattern/flags`: its groups `text` and `value`, or the first one, or the whole
 * @returns {Option[]} none or one; more with the flag g
 */
function matched(text, regex) {
  const [, pattern = regex, flags = ''] = /^\/(.*)\/([a-z]*)$/s.exec(regex) ?? [];
  const all = [...text.matchAll(new RegExp(pattern, flags.includes('g') ? flags : `${flags}g`))];
  return (flags.includes('g') ? all : all.slice(0, 1)).map((match) => {
    const first = match.length > 1 ? (match[1] ?? '') : match[0];
    const value = match.groups?.value ?? match.groups?.text ?? first;
    return { text: match.groups?.text ?? value, value };
  });
}

/** @param {Option[]} options */
const unique = (options) => [...new Map(options.map((option) => [option.value, option])).values()];

/**
 * @param {Option[]} options
 * @param {number} sort Grafana's number: 0 as they come, 1 and 2 by name, 3 and 4 by number, 5 and 6 regardless of case;
 *   the even ones descend
 */
function sorted(options, sort) {
  if (sort === 0) return options;
  /** @param {Option} option */
  const number = ({ text }) => Number(/\d+(\.\d+)?/.exec(text)?.[0] ?? -1);
  /** @type {(a: Option, b: Option) => number} */
  const order =
    sort <= 2
      ? (a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0)
      : sort <= 4
        ? (a, b) => number(a) - number(b)
        : (a, b) => a.text.toLowerCase().localeCompare(b.text.toLowerCase());
  const ascending = options.toSorted(order);
  return sort % 2 === 0 ? ascending.toReversed() : ascending;
}

/**
 * @param {any} variable a custom one's JSON: `query` holds its values, separated by commas, each `text : value` or a value
 * @returns {Option[]}
 */
export function customOptions({ query = '' }) {
  return String(query)
    .split(/(?<!\\),/)
    .map((part) => part.replaceAll('\\,', ',').trim())
    .filter((part) => part !== '')
    .map((part) => {
      const [, text, value] = /^(.+?)\s:\s(.+)$/.exec(part) ?? [];
      return text !== undefined && value !== undefined ? { text, value } : same(part);
    });
}

/**
 * What stays chosen when there is something else to choose from.
 *
 * @param {Option[]} options
 * @param {string | undefined} value that was chosen
 * @returns {string}
 */
export function stillChosen(options, value) {
  if (value !== undefined && (options.length === 0 || options.some((option) => option.value === value)))
    return value;
  return options[0]?.value ?? '';
}

/** What Grafana makes of a dashboard's queries before Prometheus gets them: its variables, and the steps of a time range. */

/** The data source's timeInterval: how often Prometheus scrapes. */
const SCRAPE_S = 2;
/** Below four scrapes a rate may see one sample only. */
const RATE_SCRAPES = 4;
/** Points of a series, about a pixel each in half a dashboard. */
const POINTS = 600;

/**
 * @typedef {Record<string, string>} Values by the variable's name
 * @typedef {{fromS: number, toS: number}} Range Unix seconds
 */

/** @param {Range} range @returns {{fromS: number, toS: number, stepS: number}} moved to multiples of the step, as Grafana does */
export function stepsOf({ fromS, toS }) {
  const stepS = Math.max(SCRAPE_S, Math.ceil((toS - fromS) / POINTS));
  return { fromS: Math.floor(fromS / stepS) * stepS, toS: Math.floor(toS / stepS) * stepS, stepS };
}

/** @param {Range} range @param {number} stepS @returns {Values} the variables that every query has */
export function builtIn({ fromS, toS }, stepS) {
  const rateS = Math.max(stepS + SCRAPE_S, RATE_SCRAPES * SCRAPE_S);
  const rangeS = Math.max(1, Math.round(toS - fromS));
  return {
    __interval: `${stepS}s`,
    __interval_ms: `${stepS * 1000}`,
    __rate_interval: `${rateS}s`,
    __rate_interval_ms: `${rateS * 1000}`,
    __range: `${rangeS}s`,
    __range_s: `${rangeS}`,
    __range_ms: `${rangeS * 1000}`,
    __from: `${Math.round(fromS * 1000)}`,
    __to: `${Math.round(toS * 1000)}`,
  };
}

/** @type {Record<string, (value: string) => string>} what `${name:format}` makes of a value */
const FORMATS = {
  raw: (value) => value,
  regex: (value) => value.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'),
};

/** @param {string} value as part of a PromQL string */
const inString = (value) => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll("'", "\\'");

/**
 * @param {string} text with `$name`, `${name}` or `${name:format}`
 * @param {Values} values
 * @returns {string}
 * @throws {Error} one line, where a variable has no value
 */
export function substitute(text, values) {
  // `$1` is label_replace's, not ours.
  return text.replace(/\$(?:([A-Za-z_]\w*)|\{(\w+)(?::(\w+))?\})/g, (variable, bare, braced, format) => {
    const value = values[bare ?? braced];
    if (value === undefined)
      throw new Error(`the query has ${variable}, known are $${Object.keys(values).join(' $')}`);
    const write = format === undefined ? inString : FORMATS[format];
    if (!write)
      throw new Error(`the query has ${variable}, valid formats are ${Object.keys(FORMATS).join(' and ')}`);
    return write(value);
  });
}

/**
 * @param {any} variable its JSON
 * @returns {string | null} the PromQL of a query variable; null where it is none, or asks for something else
 */
export function queryOf({ type, query }) {
  if (type !== 'query') return null;
  return /^\s*query_result\((.*)\)\s*$/s.exec(query?.query ?? query ?? '')?.[1] ?? null;
}

/**
 * The first choice that a query variable offers.
 *
 * @param {any} variable its JSON: a sample is the text that its `regex` is applied to
 * @param {{labels: Record<string, string>, value: number | null}[]} samples
 * @returns {string} '' for none
 */
export function firstOption({ regex }, samples) {
  const [, pattern = regex, flags = ''] = /^\/(.*)\/([a-z]*)$/s.exec(regex) ?? [];
  for (const { labels, value } of samples) {
    const { __name__ = '', ...others } = labels;
    const inBraces = Object.entries(others).map(([label, text]) => `${label}="${text}"`);
    const match = new RegExp(pattern, flags).exec(`${__name__}{${inBraces.join(',')}} ${value} 0`);
    if (match) return match.groups?.value ?? match[1] ?? match[0];
  }
  return '';
}

/**
 * What Grafana puts in the place of its variables: `$name` and `${name}`, with `${name:regex}` and `${name:raw}`.
 *
 * @typedef {Record<string, string>} Values by the variable's name
 */
import { promDuration } from './durations.js';

/** The data source's timeInterval: how often Prometheus scrapes. */
export const SCRAPE_S = 2;

/** Below four scrapes a rate may see one sample only. */
const RATE_SCRAPES = 4;

/** @param {number} stepS @returns {number} seconds of `$__rate_interval` */
export function rateInterval(stepS) {
  return Math.max(stepS + SCRAPE_S, RATE_SCRAPES * SCRAPE_S);
}

/**
 * The variables that every query has.
 *
 * @param {import('./time-range.js').Range} range
 * @param {number} stepS
 * @returns {Values}
 */
export function builtIn({ fromS, toS }, stepS) {
  const rateS = rateInterval(stepS);
  const rangeS = Math.max(1, Math.round(toS - fromS));
  return {
    __interval: promDuration(stepS),
    __interval_ms: String(Math.round(stepS * 1000)),
    __rate_interval: promDuration(rateS),
    __rate_interval_ms: String(Math.round(rateS * 1000)),
    __range: promDuration(rangeS),
    __range_s: String(rangeS),
    __range_ms: String(rangeS * 1000),
    __from: String(Math.round(fromS * 1000)),
    __to: String(Math.round(toS * 1000)),
  };
}

/** @param {string} value as part of a PromQL string */
const inString = (value) => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll("'", "\\'");

/** @type {Record<string, (value: string) => string>} what `${name:format}` makes of a value */
const FORMATS = {
  raw: (value) => value,
  regex: (value) => value.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'),
};

/**
 * @param {string} text
 * @param {Values} values
 * @param {(value: string) => string} [quote] what is done to a value that has no format of its own
 * @returns {string}
 * @throws {Error} one line, where a variable has no value
 */
export function substitute(text, values, quote = inString) {
  // `$1` is label_replace's, not ours.
  return text.replace(/\$(?:([A-Za-z_]\w*)|\{(\w+)(?::(\w+))?\})/g, (variable, bare, braced, format) => {
    const value = values[bare ?? braced];
    if (value === undefined) {
      throw new Error(`the query has ${variable}, known are $${Object.keys(values).join(' $')}`);
    }
    if (format === undefined) return quote(value);
    const formatted = FORMATS[format];
    if (!formatted)
      throw new Error(`the query has ${variable}, valid formats are ${Object.keys(FORMATS).join(' and ')}`);
    return formatted(value);
  });
}

/**
 * For titles and other text.
 *
 * @param {string} text
 * @param {Values} values
 * @returns {string} what has no value stays as it is
 */
export function substituteText(text, values) {
  return text.replace(
    /\$(?:(\w+)|\{(\w+)\})/g,
    (variable, bare, braced) => values[bare ?? braced] ?? variable,
  );
}

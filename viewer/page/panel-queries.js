/**
 * The queries of a panel in a time range, as Grafana would send them.
 *
 * @typedef {object} Query
 * @property {string} refId
 * @property {string} expr PromQL, all variables replaced
 * @property {boolean} instant evaluated once, at the end of the range
 * @property {boolean} asTable its labels become columns
 * @property {string} [legendFormat]
 * @property {import('./time-range.js').Range} range aligned to the step, unless instant
 * @property {number} stepS
 *
 * @typedef {object} Frame a series with its name
 * @property {string} refId
 * @property {string} name
 * @property {Record<string, string>} labels
 * @property {(number | null)[]} values
 * @property {(import('./prometheus-answer.js').Buckets | null)[]} [histograms]
 *
 * @typedef {object} PanelData what a renderer draws
 * @property {number[]} times Unix seconds, of all frames that are over time
 * @property {number} stepS
 * @property {Frame[]} frames of the queries over time, or of those evaluated once
 * @property {Frame[][]} tables of the queries whose labels become columns, one a query
 */
import { seconds } from './durations.js';
import { seriesName } from './legend.js';
import { timesOf } from './prometheus-answer.js';
import { builtIn, SCRAPE_S, substitute, substituteText } from './substitute.js';
import { align, stepOf } from './time-range.js';

/**
 * @param {any} panel its JSON
 * @param {import('./time-range.js').Range} range
 * @param {number} pixels the panel's width
 * @param {import('./substitute.js').Values} variables of the dashboard
 * @returns {Query[]}
 * @throws {Error} one line, where a query has a variable that is not known
 */
export function queriesOf(panel, range, pixels, variables) {
  const points = Math.min(pixels, panel.maxDataPoints ?? pixels);
  return (panel.targets ?? [])
    .filter((/** @type {any} */ { hide, expr }) => !hide && expr)
    .map((/** @type {any} */ { refId, expr, instant = false, legendFormat, format, interval }) => {
      const stepS = stepOf(range, points, seconds(interval ?? panel.interval ?? '') ?? SCRAPE_S);
      return {
        refId,
        expr: substitute(expr, { ...variables, ...builtIn(range, stepS) }),
        instant,
        asTable: format === 'table',
        ...(legendFormat && { legendFormat: substituteText(legendFormat, variables) }),
        range: instant ? range : align(range, stepS),
        stepS,
      };
    });
}

/**
 * @param {Query[]} queries
 * @param {import('./prometheus-answer.js').Answer[]} answers one a query
 * @returns {PanelData}
 */
export function panelData(queries, answers) {
  const overTime = queries.findIndex(({ instant }) => !instant);
  const grid = answers[Math.max(0, overTime)]?.grid ?? { startS: 0, stepS: 1, count: 0 };
  /** @type {Frame[]} */
  const frames = [];
  /** @type {Frame[][]} */
  const tables = [];
  for (const [index, { refId, legendFormat, asTable }] of queries.entries()) {
    const ofQuery = (answers[index]?.series ?? []).map(({ labels, values, histograms }) => ({
      refId,
      name: seriesName(legendFormat, labels),
      labels,
      values,
      ...(histograms && { histograms }),
    }));
    if (asTable) tables.push(ofQuery);
    else frames.push(...ofQuery);
  }
  return { times: timesOf(grid), stepS: grid.stepS, frames, tables };
}

/** @param {PanelData} data @returns {boolean} is there nothing to draw? */
export function isEmpty({ frames, tables }) {
  return [...frames, ...tables.flat()].every(
    ({ values, histograms }) =>
      values.every((value) => value === null) &&
      !histograms?.some((buckets) => buckets !== null && buckets.length > 0),
  );
}

/**
 * Executes every query of a dashboard as Grafana would for one run, and counts what comes back.
 *
 *   node tests/stack/panel-queries.js     prints a table: panel, query, series, samples
 *
 * Reads PROMETHEUS_URL, or RUN_DIR/stack.env where it is not set, and the newest run below RESULTS_DIR.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import Table from 'cli-table3';
import { Prometheus } from '../../analysis/prometheus.js';
import { dashboards } from '../../dashboards/build.js';

/** The data source's timeInterval. */
const SCRAPE_S = 2;
/** About the width in pixels of half a dashboard. */
const MAX_POINTS = 600;
/** k6's last push, and the rules' last evaluation, come this much after the run's end. */
const AFTER_S = 2 * SCRAPE_S;

/**
 * @typedef {object} PanelQuery
 * @property {number | string} panel its id; `annotation` or `variable` for a query that no panel holds
 * @property {string} title
 * @property {string} refId
 * @property {string} expr with Grafana's variables in it
 * @property {boolean} instant evaluated once, at the end of the time range
 *
 * @typedef {import('../../analysis/run.js').Run & {started: string, ended: string}} Run one that began
 *
 * @typedef {PanelQuery & {series: import('../../analysis/prometheus.js').Series[], samples: number}} Answer
 */

/**
 * @param {import('@grafana/grafana-foundation-sdk/dashboard').Dashboard} dashboard
 * @returns {PanelQuery[]} of panels, annotations and variables
 */
export function queriesOf(dashboard) {
  /** @type {any} the SDK's types leave a query's own properties open */
  const { panels = [], annotations, templating } = dashboard;
  return [
    ...panels.flatMap((/** @type {any} */ { id, title, targets = [] }) =>
      targets.map((/** @type {any} */ { refId, expr, instant = false }) => ({
        panel: id,
        title,
        refId,
        expr,
        instant,
      })),
    ),
    ...(annotations?.list ?? []).map((/** @type {any} */ { name, expr }) => ({
      panel: 'annotation',
      title: name,
      refId: '',
      expr,
      instant: false,
    })),
    ...(templating?.list ?? [])
      .filter((/** @type {any} */ { type }) => type === 'query')
      .map((/** @type {any} */ { name, definition }) => ({
        panel: 'variable',
        title: name,
        refId: '',
        expr: definition.replace(/^query_result\((.*)\)$/, '$1'),
        instant: true,
      })),
  ];
}

/**
 * What Grafana puts in the place of its variables.
 *
 * @param {string} expr
 * @param {{testid: string, rangeS: number, stepS: number}} values
 * @returns {string}
 * @throws {Error} where a variable is left over
 */
export function substitute(expr, { testid, rangeS, stepS }) {
  const rateS = Math.max(stepS + SCRAPE_S, 4 * SCRAPE_S);
  /** @type {Record<string, string>} */
  const values = {
    testid,
    __interval: `${stepS}s`,
    __range: `${rangeS}s`,
    __rate_interval: `${rateS}s`,
    __rate_interval_ms: String(rateS * 1000),
  };
  return expr.replace(/\$(\w+)/g, (variable, name) => {
    const value = values[name];
    if (value === undefined)
      throw new Error(`the query has ${variable}, known are $${Object.keys(values).join(' $')}`);
    return value;
  });
}

/**
 * @param {string} prometheusUrl
 * @param {PanelQuery[]} queries
 * @param {Run} run its time is the time range
 * @returns {Promise<Answer[]>}
 * @throws {import('../../analysis/prometheus.js').PrometheusError} where a query is refused
 */
export async function execute(prometheusUrl, queries, run) {
  const prometheus = new Prometheus(prometheusUrl);
  const wanted = { start: Date.parse(run.started) / 1000, end: Date.parse(run.ended) / 1000 + AFTER_S };
  const stepS = Math.max(SCRAPE_S, Math.ceil((wanted.end - wanted.start) / MAX_POINTS));
  // Grafana moves the range to multiples of the step.
  const start = Math.floor(wanted.start / stepS) * stepS;
  const end = Math.ceil(wanted.end / stepS) * stepS;
  const answers = [];
  for (const query of queries) {
    const expr = substitute(query.expr, { testid: run.testid, rangeS: end - start, stepS });
    const series = await prometheus.queryRange(expr, query.instant ? end : start, end, stepS);
    answers.push({ ...query, series, samples: series.reduce((sum, { points }) => sum + points.length, 0) });
  }
  return answers;
}

/**
 * @returns {{prometheusUrl: string, run: Run}} of the running stack and the newest run
 * @throws {Error} where there is no stack or no run
 */
export function lastRun() {
  const { RUN_DIR = '.run', RESULTS_DIR = 'results' } = process.env;
  const prometheusUrl =
    process.env.PROMETHEUS_URL ??
    parseEnv(readFileSync(path.join(RUN_DIR, 'stack.env'), 'utf8')).PROMETHEUS_URL;
  if (!prometheusUrl) throw new Error(`${RUN_DIR}/stack.env has no PROMETHEUS_URL`);
  const run = JSON.parse(readFileSync(path.join(RESULTS_DIR, 'latest', 'run.json'), 'utf8'));
  if (run.started === null) throw new Error(`${run.testid} ended before its first phase began`);
  return { prometheusUrl, run };
}

async function main() {
  const { prometheusUrl, run } = lastRun();
  const table = new Table({
    head: ['panel', 'query', 'series', 'samples'],
    style: { head: [], border: [], compact: true },
  });
  for (const build of dashboards) {
    for (const { title, refId, series, samples } of await execute(prometheusUrl, queriesOf(build()), run)) {
      table.push([title, refId, series.length, samples]);
    }
  }
  process.stdout.write(`${run.testid}\n${table}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await main();
  } catch (error) {
    process.stderr.write(`panel-queries: ${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 3;
  }
}

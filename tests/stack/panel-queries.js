/**
 * Executes every query of a dashboard as Grafana would for one run, and counts what comes back.
 *
 *   node tests/stack/panel-queries.js [UID]     prints a table: dashboard, panel, query, series, samples
 *
 * Reads PROMETHEUS_URL, or RUN_DIR/stack.env where it is not set, and the newest run below RESULTS_DIR.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import Table from 'cli-table3';
import { prometheusHeaders } from '../../analysis/collect/prometheus-headers.ts';
import { dashboards } from '../../dashboards/build.ts';
import { builtIn, firstOption, queryOf, stepsOf, substitute } from '../grafana.js';

/** k6's last push, and the rules' last evaluation, come this much after the run's end. */
const AFTER_S = 4;

/**
 * @typedef {object} PanelQuery
 * @property {number | string} panel its id; `annotation` or `variable` for a query that no panel holds
 * @property {string} title
 * @property {string} refId
 * @property {string} expr with Grafana's variables in it
 * @property {boolean} instant evaluated once, at the end of the time range
 *
 * @typedef {import('../../analysis/judge/run.ts').Run & {started: string, ended: string}} Run one that began
 *
 * @typedef {{labels: Record<string, string>, points: [seconds: number, value: number | null][]}} Series null: a histogram
 * @typedef {PanelQuery & {series: Series[], samples: number}} Answer
 * @typedef {import('../grafana.js').Values} Values
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
    ...(templating?.list ?? []).flatMap((/** @type {any} */ variable) => {
      const expr = queryOf(variable);
      return expr === null ? [] : { panel: 'variable', title: variable.name, refId: '', expr, instant: true };
    }),
  ];
}

/** Prometheus, asked as Grafana asks it. */
class Source {
  #url;
  #range;

  /** @param {string} url @param {import('../grafana.js').Range} range */
  constructor(url, range) {
    this.#url = url;
    this.#range = range;
  }

  /**
   * @param {string} expr
   * @param {Values} values of the dashboard's variables
   * @param {boolean} instant
   * @returns {Promise<Series[]>}
   */
  async ask(expr, values, instant) {
    const { fromS, toS, stepS } = stepsOf(this.#range);
    const query = substitute(expr, { ...values, ...builtIn({ fromS, toS }, stepS) });
    /** @type {Record<string, string>} */
    const times = instant ? { time: `${toS}` } : { start: `${fromS}`, end: `${toS}`, step: `${stepS}` };
    const { resultType, result } = await this.#get(instant ? 'query' : 'query_range', { query, ...times });
    if (resultType === 'scalar') return [{ labels: {}, points: [pointOf(result)] }];
    return result.map((/** @type {any} */ { metric, value, histogram, values: all, histograms }) => ({
      labels: metric,
      points: instant
        ? [value ? pointOf(value) : [histogram[0], null]]
        : [...(all ?? []).map(pointOf), ...(histograms ?? []).map(([atS = 0]) => [atS, null])],
    }));
  }

  /** @param {string} what @param {Record<string, string>} parameters */
  async #get(what, parameters) {
    const response = await fetch(`${this.#url}/api/v1/${what}`, {
      method: 'POST',
      headers: headersOf(),
      body: new URLSearchParams(parameters),
    });
    /** @type {any} */
    const { data, error } = await response.json();
    if (!response.ok) throw new Error(`Prometheus refuses ${parameters.query}: ${error}`);
    return data;
  }
}

/** @param {Series[]} series @returns {Series[]} without what can't be drawn: a ratio to nothing, an endless percentile */
const drawn = (series) =>
  series.map(({ labels, points }) => ({
    labels,
    points: points.filter(([, value]) => value === null || Number.isFinite(value)),
  }));

/** @param {[seconds: number, text: string]} sample @returns {[seconds: number, value: number]} */
const pointOf = ([atS, text]) => [atS, Number(text)];

/**
 * @param {string} prometheusUrl
 * @param {import('@grafana/grafana-foundation-sdk/dashboard').Dashboard} dashboard
 * @param {Run} run its time is the time range
 * @param {Values} [chosen] variables that somebody chose; of the others it is the first
 * @returns {Promise<Answer[]>}
 * @throws {Error} where a query is refused
 */
export async function execute(prometheusUrl, dashboard, run, chosen = {}) {
  const source = new Source(prometheusUrl, rangeOf(run));
  /** @type {Values} */
  const values = { testid: run.testid, ...chosen };
  /** @type {any[]} */
  const variables = dashboard.templating?.list ?? [];
  for (const variable of variables) {
    const query = queryOf(variable);
    if (query === null || values[variable.name] !== undefined) continue;
    const found = await source.ask(query, values, true);
    const samples = found.map(({ labels, points }) => ({ labels, value: points[0]?.[1] ?? null }));
    values[variable.name] = firstOption(variable, samples);
  }
  const answers = [];
  for (const query of queriesOf(dashboard)) {
    const series = drawn(await source.ask(query.expr, values, query.instant));
    answers.push({ ...query, series, samples: series.reduce((sum, { points }) => sum + points.length, 0) });
  }
  return answers;
}

/** @param {Run} run */
const rangeOf = ({ started, ended }) => ({
  fromS: Date.parse(started) / 1000,
  toS: Date.parse(ended) / 1000 + AFTER_S,
});

/**
 * @param {string} prometheusUrl
 * @param {string} expr `$testid` may be in it
 * @param {Run} run
 * @returns {Promise<boolean>} is there a sample of it in the run's time?
 */
export async function hasData(prometheusUrl, expr, run) {
  const series = await new Source(prometheusUrl, rangeOf(run)).ask(expr, { testid: run.testid }, false);
  return drawn(series).some(({ points }) => points.length > 0);
}

/** @returns {string} the URL of the running stack's Prometheus @throws {Error} where there is none */
export function prometheusUrl() {
  const { RUN_DIR = '.run' } = process.env;
  const url =
    process.env.PROMETHEUS_URL ??
    parseEnv(readFileSync(path.join(RUN_DIR, 'stack.env'), 'utf8')).PROMETHEUS_URL;
  if (!url) throw new Error(`${RUN_DIR}/stack.env has no PROMETHEUS_URL`);
  return url;
}

/** @returns {Record<string, string>} what a request to it says about who asks */
export function headersOf() {
  const { RUN_DIR = '.run', PROMETHEUS_URL } = process.env;
  if (PROMETHEUS_URL !== undefined) return prometheusHeaders();
  const secrets = parseEnv(readFileSync(path.join(RUN_DIR, 'secrets.env'), 'utf8'));
  return prometheusHeaders({ PROMETHEUS_USERNAME: 'lab', ...secrets });
}

/** @returns {Run[]} of the reference target, that began, the newest first */
export function runs() {
  const { RESULTS_DIR = 'results' } = process.env;
  if (!existsSync(RESULTS_DIR)) return [];
  return readdirSync(RESULTS_DIR, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => path.join(RESULTS_DIR, entry.name, 'run.json'))
    .filter((file) => existsSync(file))
    .map((file) => JSON.parse(readFileSync(file, 'utf8')))
    .filter(({ started, target }) => started !== null && target?.server?.name === 'mcp-load-lab-target')
    .sort((a, b) => Date.parse(b.started) - Date.parse(a.started));
}

async function main() {
  const [uid] = process.argv.slice(2);
  const [run] = runs();
  if (!run) throw new Error(`${process.env.RESULTS_DIR ?? 'results'} has no run of the reference target`);
  const wanted = dashboards.map((build) => build()).filter((one) => uid === undefined || one.uid === uid);
  if (wanted.length === 0) {
    throw new Error(`the dashboard is ${uid}; valid: ${dashboards.map((build) => build().uid).join(', ')}`);
  }
  const table = new Table({
    head: ['dashboard', 'panel', 'query', 'series', 'samples'],
    style: { head: [], border: [], compact: true },
  });
  for (const dashboard of wanted) {
    for (const { title, refId, series, samples } of await execute(prometheusUrl(), dashboard, run)) {
      table.push([dashboard.uid, title, refId, series.length, samples]);
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

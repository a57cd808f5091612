/**
 * The rules that every dashboard keeps. Each function returns what breaks them, one line each.
 */
import * as units from '@grafana/grafana-foundation-sdk/units';
import { parser } from '@prometheus-io/lezer-promql';
import { SIGNALS } from '../../contract/signals.js';
import { builtIn, substitute } from '../grafana.js';
import { queriesOf } from '../stack/panel-queries.js';

/** Of those that Grafana has: `graph`, `singlestat` and `table-old` are gone. */
const PANEL_TYPES = ['bargauge', 'gauge', 'heatmap', 'stat', 'table', 'timeseries'];
/** What of a series may be overridden. */
const OVERRIDES = [
  'color',
  'unit',
  'decimals',
  'thresholds',
  'custom.axisPlacement',
  'custom.cellOptions',
  'custom.drawStyle',
  'custom.fillOpacity',
  'custom.lineStyle',
];
const MAPPINGS = ['value', 'range', 'special'];
const TRANSFORMATIONS = ['merge', 'organize'];

const COLUMNS = 24;
/** Of a screen of 1280 pixels. */
const COLUMN_PX = 1280 / COLUMNS;
/** Below this a legend or a number is cut off there. */
const MIN_COLUMNS = { stat: 4, gauge: 4, default: 6 };
const CHARACTER_PX = 8;
/** Next to a title: the panel's edges and the mark of its description. */
const TITLE_MARGIN_PX = 64;
const TABLE_COLUMN_PX = 70;

/** What a run, the recording rules and the end of a run write. */
const NAMES = /^(k6_|signal:|ALERTS$|mcp_finding$|mcp_verdict$|mcp_recovery_seconds$)/;
/** Of k6's process and of Prometheus. */
const MORE_NAMES = {
  'mcp-generator': /^(process_|go_|prometheus_)/,
};

/** Functions through which a counter may be read: k6's never reset, others do. */
const RESETTING = ['rate', 'increase', 'irate'];
const COUNTER_FUNCTIONS = [...RESETTING, 'last_over_time'];
/** k6's cumulative sinks: a percentile or a share of the whole run so far, which looks like one of the moment. */
const CUMULATIVE = /^k6_(?!vus_max$).*_(p\d+|avg|med|min|max|rate)$/;
/** k6's times are native histograms, but for moments, which are gauges. */
const HISTOGRAM = /^k6_(?!mcp_(started|failure|phase_start|phase_end)_seconds$).*_seconds$/;
/** Those of Prometheus 2.42. */
const HISTOGRAM_FUNCTIONS = ['histogram_quantile', 'histogram_sum', 'histogram_count', 'histogram_fraction'];
/** What makes of several percentiles one that is none. */
const AVERAGING = [
  'avg',
  'sum',
  'stddev',
  'quantile',
  'avg_over_time',
  'sum_over_time',
  'quantile_over_time',
];

/** @param {string} expr */
const withValues = (expr) =>
  substitute(expr, {
    ...builtIn({ fromS: 1_700_000_000, toS: 1_700_000_900 }, 2),
    ...Object.fromEntries(['testid', 'server', 'base', 'operation', 'baseline'].map((name) => [name, name])),
    shift: '3600',
  });

/**
 * Reads what a query is made of.
 *
 * @param {string} expr without Grafana's variables
 * @returns {{error: string | null, selectors: {metric: string, text: string, functions: string[]}[],
 *   calls: {name: string, inside: string[]}[]}} functions and inside: what is wrapped around it, from the outside in
 */
function parse(expr) {
  /** @type {string[]} */
  const around = [];
  /** @type {ReturnType<typeof parse>['selectors']} */
  const selectors = [];
  /** @type {ReturnType<typeof parse>['calls']} */
  const calls = [];
  /** @type {string | null} */
  let error = null;
  /** @param {{from: number, to: number}} node */
  const text = (node) => expr.slice(node.from, node.to);
  parser.parse(expr).iterate({
    enter({ node, type }) {
      if (type.isError) error = `syntax error at ${node.from}: ${expr.slice(node.from, node.from + 20)}`;
      if (type.name === 'VectorSelector') {
        const name = node.getChild('Identifier');
        selectors.push({ metric: name ? text(name) : '', text: text(node), functions: [...around] });
      }
      const called = type.name === 'FunctionCall' || type.name === 'AggregateExpr' ? node.firstChild : null;
      if (called) {
        calls.push({ name: text(called), inside: [...around] });
        around.push(text(called));
      }
    },
    leave({ type }) {
      if (type.name === 'FunctionCall' || type.name === 'AggregateExpr') around.pop();
    },
  });
  return { error, selectors, calls };
}

/** @param {string} metric */
const isCounter = (metric) => /_(total|count|sum|bucket)$/.test(metric);

/**
 * @param {{metric: string, text: string, functions: string[]}} selector
 * @param {{uid: string, panel: number | string, type: string}} where
 */
function selectorProblems({ metric, text, functions }, { uid, panel, type }) {
  /** @type {string[]} */
  const found = [];
  const more = /** @type {Record<string, RegExp>} */ (MORE_NAMES)[uid];
  const within = (/** @type {string[]} */ names) => names.some((name) => functions.includes(name));
  if (!NAMES.test(metric) && !more?.test(metric)) found.push(`${metric} is no series that ${uid} may name`);
  if (CUMULATIVE.test(metric)) found.push(`${metric} is cumulative`);
  const ofK6 = metric.startsWith('k6_');
  if (
    isCounter(metric) &&
    !metric.includes(':') &&
    !within(['timestamp', ...(ofK6 ? COUNTER_FUNCTIONS : RESETTING)])
  ) {
    found.push(`${metric} is a counter outside of ${(ofK6 ? COUNTER_FUNCTIONS : RESETTING).join(', ')}`);
  }
  if (HISTOGRAM.test(metric)) {
    if (type !== 'heatmap' && !within(HISTOGRAM_FUNCTIONS)) {
      found.push(`${metric} is a histogram outside of ${HISTOGRAM_FUNCTIONS.join(', ')}`);
    }
    if (!within(COUNTER_FUNCTIONS))
      found.push(`${metric} is a histogram outside of ${COUNTER_FUNCTIONS.join(', ')}`);
  }
  const isOfRun = /testid="(testid|base)"/.test(text);
  if ((ofK6 || /^(signal:generator_|mcp_)/.test(metric)) && panel !== 'variable' && !isOfRun) {
    found.push(`${metric} of any run: expected testid="$testid"`);
  }
  if (/^signal:(?!generator_)/.test(metric) && !text.includes('server=~"server|"')) {
    found.push(`${metric} of any server: expected server=~"$server|"`);
  }
  if (/^(process_|go_)/.test(metric) && !text.includes('job="k6"'))
    found.push(`${metric} is not k6's: expected job="k6"`);
  return found;
}

const WINDOWS = /\b(rate|increase|irate)\([^[\]]*\[([^\]]*)\]/g;

/**
 * @param {string} expr with Grafana's variables
 * @param {{uid: string, panel: number | string, type: string}} where the query is
 * @returns {string[]}
 */
export function queryProblems(expr, where) {
  const { error, selectors, calls } = parse(withValues(expr));
  const found = error ? [error] : [];
  for (const selector of selectors) found.push(...selectorProblems(selector, where));
  for (const { name, inside } of calls) {
    const around = inside.filter((one) => AVERAGING.includes(one));
    if (name === 'histogram_quantile' && around.length > 0)
      found.push(`a percentile inside ${around.join(', ')}`);
  }
  for (const { 1: name, 2: window = '', index } of expr.matchAll(WINDOWS)) {
    // Between the steps of a subquery that are as fixed as the window nothing is lost, whatever the panel's are.
    const fixed = /^\d+s$/.test(window) && /\[[^\]]*:\d+s\]/.test(expr.slice(index));
    if (!fixed && window !== '$__rate_interval' && window !== '$__range') {
      found.push(`${name} over ${window}: expected $__rate_interval, or $__range for all of it`);
    }
  }
  return found;
}

/** @param {string} unit */
function isUnit(unit) {
  return /** @type {string[]} */ (Object.values(units)).includes(unit) || /^time:\S+$/.test(unit);
}

/** @param {any} panel @returns {{id: string, value: any}[]} */
const overridesOf = ({ fieldConfig }) =>
  (fieldConfig?.overrides ?? []).flatMap((/** @type {any} */ { properties }) => properties);

/**
 * @param {string} what
 * @param {any[] | undefined} all
 * @param {(one: any) => string} nameOf
 * @param {string[]} valid that Grafana has, and that the dashboards need
 */
const unknown = (what, all, nameOf, valid) =>
  (all ?? [])
    .map(nameOf)
    .filter((name) => !valid.includes(name))
    .map((name) => `${what} ${name}; valid: ${valid.join(', ')}`);

/** @param {any} panel @returns {string[]} */
export function panelProblems(panel) {
  const { id, type, title = '', description = '', fieldConfig, gridPos, targets = [] } = panel;
  /** @type {string[]} */
  const found = [];
  if (!PANEL_TYPES.includes(type)) found.push(`the type is ${type}; valid: ${PANEL_TYPES.join(', ')}`);
  if (!Number.isInteger(id) || id < 1) found.push(`the id is ${id}; expected a number from 1 up`);
  if (!title) found.push('no title');
  if (!/\.$/.test(description)) found.push('no description that ends with a full stop');
  const { defaults = {} } = fieldConfig ?? {};
  if (!defaults.noValue) found.push('no text for no data');
  const overrides = overridesOf(panel);
  const used = [
    defaults.unit,
    ...overrides.filter(({ id: name }) => name === 'unit').map(({ value }) => value),
  ];
  for (const unit of used) if (!isUnit(unit)) found.push(`the unit is ${unit}`);
  found.push(
    ...unknown('overrides', overrides, ({ id: name }) => name, OVERRIDES),
    ...unknown('maps by', defaults.mappings, ({ type: name }) => name, MAPPINGS),
    ...unknown('transforms by', panel.transformations, ({ id: name }) => name, TRANSFORMATIONS),
  );
  const least = /** @type {Record<string, number>} */ (MIN_COLUMNS)[type] ?? MIN_COLUMNS.default;
  if (gridPos.w < least) found.push(`${gridPos.w} columns wide; at 1280 pixels it needs ${least}`);
  if (title.length * CHARACTER_PX > gridPos.w * COLUMN_PX - TITLE_MARGIN_PX)
    found.push('the title is cut off at 1280 pixels');
  if (type === 'table' && targets.length * TABLE_COLUMN_PX > gridPos.w * COLUMN_PX)
    found.push('too many columns for 1280 pixels');
  if (targets.length === 0) found.push('no query');
  for (const { datasource } of [panel, ...targets]) {
    if (datasource?.type !== 'prometheus' || datasource.uid !== '$datasource')
      found.push('not of the chosen data source');
  }
  const refIds = targets.map((/** @type {any} */ { refId }) => refId);
  if (new Set(refIds).size < refIds.length) found.push(`the queries are ${refIds}; expected each once`);
  for (const { legendFormat, refId } of targets) {
    if (type !== 'table' && !legendFormat) found.push(`the query ${refId} has no name`);
  }
  found.push(...thresholdProblems(panel));
  return found;
}

/**
 * A line where there is something to be held against: the run's objective, or the signal's own limit.
 *
 * @param {any} panel
 * @returns {string[]}
 */
function thresholdProblems({ type, targets = [], fieldConfig }) {
  const limits = (fieldConfig?.defaults?.thresholds?.steps ?? []).filter(
    (/** @type {any} */ { value }) => value !== null,
  );
  /** @type {string[]} */
  const found = [];
  const exprs = targets.map((/** @type {any} */ { expr }) => expr);
  const drawn = exprs.filter((/** @type {string} */ expr) => expr.includes('k6_mcp_objective'));
  for (const quantile of ['0.95', '0.99']) {
    // Of all operations together: no objective of the run speaks of one.
    const asked = `histogram_quantile(${quantile}, sum(last_over_time(k6_mcp_request_duration_seconds{testid="$testid"}`;
    const name = `objective="p${quantile.slice(2)}"`;
    if (type !== 'timeseries' || !exprs.some((/** @type {string} */ expr) => expr.startsWith(asked)))
      continue;
    if (!drawn.some((/** @type {string} */ expr) => expr.includes(name)))
      found.push(`p${quantile.slice(2)} without its objective`);
  }
  if (
    exprs.some(
      (/** @type {string} */ expr) =>
        expr.startsWith('(sum') &&
        // Of all kinds: a share of one kind is a cause, and has no objective.
        expr.includes('k6_mcp_failures_total{testid="$testid"}') &&
        expr.includes('k6_mcp_requests_total'),
    )
  ) {
    if (limits.length === 0 && drawn.length === 0 && type !== 'table')
      found.push('a share of failures without a threshold');
  }
  for (const [signal, { steps = [] }] of Object.entries(SIGNALS)) {
    const alone = exprs.length === 1 && exprs[0].startsWith(`signal:${signal}{`) && exprs[0].endsWith('}');
    if (alone && steps.length > 0 && limits.length === 0)
      found.push(`signal:${signal} without its thresholds`);
  }
  return found;
}

/** @param {any[]} panels rows among them @returns {string[]} */
export function gridProblems(panels) {
  /** @type {string[]} */
  const found = [];
  const taken = new Map();
  for (const { title, gridPos } of panels) {
    if (gridPos.x + gridPos.w > COLUMNS) found.push(`"${title}" is wider than the dashboard`);
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        const other = taken.get(`${x},${y}`);
        if (other !== undefined && !found.includes(`"${title}" lies on "${other}"`))
          found.push(`"${title}" lies on "${other}"`);
        taken.set(`${x},${y}`, title);
      }
    }
  }
  const height = Math.max(...panels.map(({ gridPos }) => gridPos.y + gridPos.h));
  if (found.length === 0 && taken.size !== height * COLUMNS) found.push('there is a hole in the grid');
  return found;
}

/**
 * @param {any} dashboard
 * @returns {string[]} what is wrong with it, apart from its panels and queries
 */
export function frameProblems(dashboard) {
  const {
    uid,
    id,
    description,
    graphTooltip,
    editable,
    tags = [],
    links = [],
    panels,
    templating,
  } = dashboard;
  /** @type {string[]} */
  const found = [];
  if (!/^mcp-[a-z-]{1,36}$/.test(uid)) found.push(`the uid is ${uid}; expected mcp-...`);
  if (id !== undefined) found.push("has the id of one Grafana's");
  if (!description?.endsWith('.')) found.push('no description that ends with a full stop');
  if (graphTooltip !== 1) found.push('no crosshair that panels share');
  if (editable !== false) found.push('can be edited');
  if (!tags.includes('mcp-load-lab')) found.push(`the tags are ${tags}; expected mcp-load-lab`);
  const leads = links.some(
    (/** @type {any} */ link) =>
      link.type === 'dashboards' && link.tags.includes('mcp-load-lab') && link.keepTime && link.includeVars,
  );
  if (!leads) found.push('no links to the others that keep time and variables');
  const variables = Object.fromEntries(
    (templating?.list ?? []).map((/** @type {any} */ one) => [one.name, one]),
  );
  const { datasource, testid, server } = variables;
  if (datasource?.type !== 'datasource' || datasource.query !== 'prometheus')
    found.push('no variable datasource');
  if (testid?.multi !== false || testid?.refresh !== 2 || !testid?.definition.includes('$__range')) {
    found.push('no variable testid: one run of the time range');
  }
  if (server?.hide !== 2) found.push('no hidden variable server');
  const ids = panels.map((/** @type {any} */ panel) => panel.id);
  if (new Set(ids).size < ids.length) found.push(`the ids are ${ids}; expected each once`);
  const titles = panels.map((/** @type {any} */ panel) => panel.title);
  for (const title of titles.filter(
    (/** @type {string} */ one, /** @type {number} */ index) => titles.indexOf(one) !== index,
  )) {
    found.push(`two panels are called "${title}"`);
  }
  return found;
}

/** @param {any} dashboard @returns {string[]} everything that is wrong */
export function lint(dashboard) {
  const panels = dashboard.panels.filter((/** @type {any} */ { type }) => type !== 'row');
  const types = Object.fromEntries(panels.map((/** @type {any} */ { id, type }) => [id, type]));
  return [
    ...frameProblems(dashboard),
    ...gridProblems(dashboard.panels),
    ...panels.flatMap((/** @type {any} */ panel) =>
      panelProblems(panel).map((problem) => `"${panel.title}": ${problem}`),
    ),
    ...queriesOf(dashboard).flatMap(({ panel, title, refId, expr }) =>
      queryProblems(expr, { uid: dashboard.uid, panel, type: types[panel] ?? '' }).map(
        (problem) => `"${title}" ${refId}: ${problem}`,
      ),
    ),
  ];
}

/**
 * What a dashboard's JSON has and the viewer does not know: anything that is not in these lists, so that a new
 * feature is found before a reader misses it.
 *
 * @typedef {true | unknown[] | ((value: any) => boolean)} Known any value, one of some, or what a function knows
 */
import { isKnownColor } from './colors.js';
import { rowsOf } from './dashboard-layout.js';
import { seconds } from './durations.js';
import { MATCHERS } from './field-config.js';
import { MAPPINGS } from './mappings.js';
import { isKnownCalc } from './reduce.js';
import { TRANSFORMATIONS } from './transformations.js';
import { isKnownUnit } from './units.js';
import { queryOf } from './variables.js';

/** @param {unknown} value */
const isDuration = (value) => typeof value === 'string' && (value === '' || seconds(value) !== null);

/** @type {Record<string, Known>} by path; `[]` any element, `*` any name, `**` all below */
const DASHBOARD = {
  uid: true,
  title: true,
  description: true,
  'tags.[]': true,
  // Of the editor in Grafana; nothing can be edited here.
  editable: true,
  fiscalYearStartMonth: true,
  schemaVersion: true,
  version: true,
  id: true,
  style: true,
  weekStart: true,
  liveNow: true,
  'timepicker.**': true,
  graphTooltip: [0, 1, 2],
  timezone: ['browser', ''],
  refresh: isDuration,
  'time.from': true,
  'time.to': true,
  'links.[].type': ['dashboards'],
  'links.[].tags.[]': true,
  'links.[].title': true,
  'links.[].icon': true,
  'links.[].tooltip': true,
  'links.[].placement': true,
  'links.[].url': [''],
  'links.[].asDropdown': [false],
  'links.[].targetBlank': [false],
  'links.[].keepTime': true,
  'links.[].includeVars': true,
};

/** @type {Record<string, Known>} */
const VARIABLE = {
  type: ['datasource', 'query', 'custom', 'constant'],
  name: true,
  label: true,
  description: true,
  hide: [0, 1, 2],
  multi: [false],
  includeAll: [false],
  regex: true,
  sort: [0, 1, 2, 3, 4, 5, 6],
  refresh: [1, 2],
  query: true,
  'query.**': true,
  definition: true,
  'datasource.**': true,
  'current.**': true,
  'options.[].**': true,
  skipUrlSync: [false],
  // Of other types of variables; the SDK writes them to all.
  allowCustomValue: true,
  auto: true,
  auto_min: true,
  auto_count: true,
};

/** @type {Record<string, Known>} */
const ANNOTATION = {
  name: true,
  enable: true,
  hide: true,
  placement: true,
  builtIn: [0, false],
  type: true,
  'datasource.**': true,
  'target.**': true,
  expr: true,
  step: isDuration,
  iconColor: isKnownColor,
  titleFormat: true,
  textFormat: true,
  tagKeys: true,
  useValueForTime: true,
};

/** @type {Record<string, Known>} a step's value may be none: the lowest */
const THRESHOLDS = {
  mode: ['absolute', 'percentage'],
  'steps.[].color': isKnownColor,
  'steps.[].value': true,
};

/** @type {Record<string, Known>} what the defaults and overrides of all types may set */
const FIELD = {
  unit: isKnownUnit,
  decimals: true,
  min: true,
  max: true,
  displayName: true,
  noValue: true,
  'color.mode': ['fixed', 'palette-classic', 'thresholds'],
  'color.fixedColor': isKnownColor,
  ...below('thresholds', THRESHOLDS),
  'mappings.[].type': (type) => type in MAPPINGS,
  'mappings.[].options.**': true,
};

/** @type {Record<string, Known>} */
const REDUCE = {
  'reduceOptions.calcs.[]': isKnownCalc,
  'reduceOptions.values': [false],
  'reduceOptions.fields': [''],
};

/** What Grafana decides by the size of a panel, the viewer does, too: @type {Record<string, Known>} */
const SIZES = {
  orientation: ['auto', 'horizontal'],
  justifyMode: ['auto'],
  sizing: ['auto'],
  wideLayout: [true],
};

/** @type {Record<string, {options: Record<string, Known>, custom: Record<string, Known>}>} by the panel's type */
const PANELS = {
  timeseries: {
    options: {
      'legend.calcs.[]': isKnownCalc,
      'legend.displayMode': ['table', 'list', 'hidden'],
      'legend.placement': ['bottom'],
      'legend.showLegend': true,
      'tooltip.mode': ['multi', 'none'],
      'tooltip.sort': ['desc', 'asc', 'none'],
    },
    custom: {
      axisPlacement: ['auto', 'left', 'right'],
      axisWidth: true,
      drawStyle: ['line', 'bars', 'points'],
      fillOpacity: true,
      lineWidth: true,
      lineInterpolation: ['linear', 'smooth', 'stepBefore', 'stepAfter'],
      'lineStyle.fill': ['solid', 'dash', 'dot'],
      'lineStyle.dash.[]': true,
      pointSize: true,
      'scaleDistribution.type': ['linear', 'log'],
      'scaleDistribution.log': [10],
      showPoints: ['auto', 'never', 'always'],
      spanNulls: [true, false],
      'stacking.mode': ['none', 'normal'],
      'stacking.group': true,
      'thresholdsStyle.mode': ['off', 'line', 'dashed', 'area', 'line+area', 'dashed+area'],
    },
  },
  stat: {
    options: {
      ...REDUCE,
      ...SIZES,
      colorMode: ['none', 'value', 'background', 'background_solid'],
      graphMode: ['none', 'area'],
      textMode: ['auto', 'value', 'value_and_name', 'name'],
      showPercentChange: [false],
      percentChangeColorMode: true,
    },
    custom: {},
  },
  gauge: {
    options: {
      ...REDUCE,
      ...SIZES,
      showThresholdMarkers: true,
      showThresholdLabels: [false],
      minVizWidth: true,
      minVizHeight: true,
    },
    custom: {},
  },
  bargauge: {
    options: {
      ...REDUCE,
      ...SIZES,
      displayMode: ['basic'],
      valueMode: ['color'],
      namePlacement: ['auto', 'left'],
      showUnfilled: [true],
      'legend.showLegend': [false],
      'legend.**': true,
      minVizWidth: true,
      minVizHeight: true,
      maxVizHeight: true,
    },
    custom: {},
  },
  table: {
    options: {
      cellHeight: ['sm'],
      frameIndex: [0],
      showHeader: [true],
      showTypeIcons: [false],
      'footer.show': [false],
      'footer.**': true,
      'sortBy.[].displayName': true,
      'sortBy.[].desc': true,
    },
    custom: {
      align: ['auto'],
      inspect: [false],
      filterable: [false],
      'cellOptions.type': ['auto', 'color-text', 'color-background'],
      'cellOptions.wrapText': [true],
    },
  },
  heatmap: {
    options: {
      calculate: [false],
      cellGap: true,
      'cellValues.unit': isKnownUnit,
      'color.mode': ['scheme'],
      'color.scheme': ['Turbo'],
      'color.scale': ['exponential', 'linear'],
      'color.exponent': true,
      'color.reverse': [false],
      'color.steps': true,
      'color.fill': true,
      'exemplars.**': true,
      'filterValues.le': true,
      'legend.show': [true],
      selectionMode: true,
      showValue: ['never'],
      'tooltip.mode': ['single'],
      'tooltip.yHistogram': [false],
      'yAxis.unit': isKnownUnit,
      'yAxis.scaleDistribution.type': ['linear', 'log'],
      // The base of the ticks alone; the scale is the same.
      'yAxis.scaleDistribution.log': [2, 10],
    },
    custom: {},
  },
};

/** @type {Record<string, Known>} */
const PANEL = {
  id: true,
  type: true,
  title: true,
  description: true,
  'datasource.**': true,
  'gridPos.**': true,
  pluginVersion: true,
  transparent: [false],
  // What it would repeat by is `repeat`.
  repeatDirection: true,
  interval: isDuration,
  maxDataPoints: true,
  'transformations.[].id': (id) => id in TRANSFORMATIONS,
  'transformations.[].disabled': true,
  'transformations.[].options.excludeByName.*': true,
  'transformations.[].options.indexByName.*': true,
  'transformations.[].options.renameByName.*': true,
};

/** @type {Record<string, Known>} */
const TARGET = {
  refId: true,
  expr: true,
  legendFormat: true,
  'datasource.**': true,
  instant: true,
  range: true,
  hide: true,
  interval: isDuration,
  format: ['time_series', 'table', 'heatmap'],
  exemplar: [false],
  editorMode: true,
};

/**
 * @param {any} dashboard its JSON
 * @returns {string[]} a line for each: where it is, and its value
 */
export function unsupported(dashboard) {
  const { panels: _, templating, annotations, ...rest } = dashboard;
  return [
    ...unknown(rest, DASHBOARD, 'dashboard'),
    ...(templating?.list ?? []).flatMap((/** @type {any} */ variable) => {
      const where = `variable ${variable.name}`;
      const isOther = variable.type === 'query' && queryOf(variable) === null;
      return [
        ...unknown(variable, VARIABLE, where),
        ...(isOther
          ? [`${where}: the query is ${JSON.stringify(variable.query)}; query_result(...) is known`]
          : []),
      ];
    }),
    ...(annotations?.list ?? []).flatMap((/** @type {any} */ annotation) =>
      unknown(annotation, ANNOTATION, `annotation ${annotation.name}`),
    ),
    ...rowsOf(dashboard).flatMap(({ row, panels }) => [
      ...(row?.repeat ? [`row ${row.id}: repeat is ${JSON.stringify(row.repeat)}`] : []),
      ...panels.flatMap(ofPanel),
    ]),
  ];
}

/** @param {any} panel its JSON @returns {string[]} */
function ofPanel(panel) {
  const where = `panel ${panel.id} "${panel.title}"`;
  const known = PANELS[panel.type];
  if (!known) return [`${where}: type is "${panel.type}"; ${Object.keys(PANELS).join(', ')} are known`];
  const { options = {}, fieldConfig: { defaults = {}, overrides = [] } = {}, targets = [], ...rest } = panel;
  const field = { ...FIELD, ...below('custom', known.custom) };
  return [
    ...unknown(rest, PANEL, where),
    ...unknown(options, known.options, `${where}: options`),
    ...unknown(defaults, field, `${where}: defaults`),
    ...overrides.flatMap((/** @type {any} */ { matcher, properties }) => [
      ...(matcher.id in MATCHERS ? [] : [`${where}: override for ${matcher.id}`]),
      ...properties.flatMap((/** @type {any} */ { id, value }) =>
        unknown(nested(id, value), field, `${where}: override for ${matcher.options}`),
      ),
    ]),
    ...targets.flatMap((/** @type {any} */ target) => [
      ...unknown(target, TARGET, `${where}: query ${target.refId}`),
      ...(target.instant && target.range
        ? [`${where}: query ${target.refId} is both instant and over time`]
        : []),
    ]),
  ];
}

/** @param {string} prefix @param {Record<string, Known>} known */
function below(prefix, known) {
  return Object.fromEntries(Object.entries(known).map(([path, values]) => [`${prefix}.${path}`, values]));
}

/** @param {string} id of an override, for example `custom.lineStyle` @param {unknown} value */
function nested(id, value) {
  return id.split('.').reduceRight((/** @type {unknown} */ inner, part) => ({ [part]: inner }), value);
}

/**
 * @param {unknown} json
 * @param {Record<string, Known>} known
 * @param {string} where
 * @returns {string[]}
 */
function unknown(json, known, where) {
  return leaves(json, []).flatMap(({ path, value }) => {
    const entry = Object.entries(known).find(([pattern]) => matches(pattern.split('.'), path));
    const named = `${where}: ${path.join('.')} is ${JSON.stringify(value)}`;
    if (!entry) return [named];
    const [, values] = entry;
    if (values === true || value === null) return [];
    if (typeof values === 'function') return values(value) ? [] : [named];
    return values.includes(value)
      ? []
      : [`${named}; ${values.map((one) => JSON.stringify(one)).join(', ')} are known`];
  });
}

/** @param {unknown} json @param {string[]} path @returns {{path: string[], value: unknown}[]} */
function leaves(json, path) {
  if (Array.isArray(json)) return json.flatMap((element) => leaves(element, [...path, '[]']));
  if (typeof json === 'object' && json !== null) {
    return Object.entries(json).flatMap(([name, value]) => leaves(value, [...path, name]));
  }
  return [{ path, value: json }];
}

/** @param {string[]} pattern @param {string[]} path */
function matches(pattern, path) {
  const isOpen = pattern.at(-1) === '**';
  const parts = isOpen ? pattern.slice(0, -1) : pattern;
  if (isOpen ? path.length < parts.length : path.length !== parts.length) return false;
  return parts.every((part, index) => part === '*' || part === path[index]);
}

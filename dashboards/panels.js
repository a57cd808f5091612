/**
 * The kinds of panel that dashboards are made of. What they share is decided here once: the data source, legends,
 * tooltips, how a gap in the data is drawn.
 */

import { PanelBuilder as BarGaugeBuilder } from '@grafana/grafana-foundation-sdk/bargauge';
import {
  AxisPlacement,
  BarGaugeDisplayMode,
  BarGaugeValueMode,
  BigValueColorMode,
  BigValueGraphMode,
  GraphDrawStyle,
  GraphThresholdsStyleConfigBuilder,
  GraphThresholdsStyleMode,
  LegendDisplayMode,
  LegendPlacement,
  ReduceDataOptionsBuilder,
  ScaleDistribution,
  ScaleDistributionConfigBuilder,
  SortOrder,
  StackingConfigBuilder,
  StackingMode,
  TableSortByFieldStateBuilder,
  TooltipDisplayMode,
  VisibilityMode,
  VizLegendOptionsBuilder,
  VizOrientation,
  VizTooltipOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import {
  FieldColorBuilder,
  FieldColorModeId,
  MappingType,
  RowBuilder,
  ThresholdsConfigBuilder,
  ThresholdsMode,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { PanelBuilder as GaugeBuilder } from '@grafana/grafana-foundation-sdk/gauge';
import {
  CellValuesBuilder,
  FilterValueRangeBuilder,
  PanelBuilder as HeatmapBuilder,
  HeatmapColorMode,
  HeatmapColorOptionsBuilder,
  HeatmapColorScale,
  HeatmapTooltipBuilder,
  YAxisConfigBuilder,
} from '@grafana/grafana-foundation-sdk/heatmap';
import { DataqueryBuilder, PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as TableBuilder } from '@grafana/grafana-foundation-sdk/table';
import { PanelBuilder as TimeSeriesBuilder } from '@grafana/grafana-foundation-sdk/timeseries';
import {
  DROPPED,
  ITERATIONS,
  objective,
  offeredRate,
  ofServer,
  orZero,
  percentile,
  perSecond,
  share,
} from './queries.js';
import { SIGNALS } from './signal-catalogue.js';

/** The variable `datasource` of every dashboard. */
export const DATASOURCE = { type: 'prometheus', uid: '$datasource' };

/** What a panel of a run says where none is chosen. */
export const NO_RUN = 'No run in this time range';

/**
 * @typedef {object} PanelOptions
 * @property {number} id stable: links and screenshots name it
 * @property {string} title
 * @property {string} description what it shows, and how to read it
 * @property {string} unit Grafana's id of the unit
 * @property {number} width of 24 columns
 * @property {number} height of 30 pixels each
 * @property {string} noValue what the panel says when there is no data
 *
 * @typedef {{color: string, value: number | null}} Step from `value` on; null for the lowest step
 *
 * @typedef {object} Line
 * @property {string} expr PromQL
 * @property {string} legend its name, with {{label}} for a label's value
 * @property {string} [color] Grafana's name of a colour; left out, the palette decides
 * @property {'dashed' | 'bars'} [style]
 * @property {'right'} [axis] left out, the left one
 * @property {string} [unit] left out, the panel's
 */

/** What a legend says of each line. */
const LEGEND_CALCS = ['mean', 'max', 'lastNotNull'];

/** A signal where nothing else is said: four beside each other. */
const SIGNAL_SIZE = { width: 6, height: 7 };

/**
 * Applies what every panel has.
 *
 * @template {BarGaugeBuilder | GaugeBuilder | HeatmapBuilder | StatBuilder | TableBuilder | TimeSeriesBuilder} Builder
 * @param {Builder} builder
 * @param {PanelOptions} options
 * @returns {Builder}
 */
function common(builder, { id, title, description, unit, width, height, noValue }) {
  builder
    .id(id)
    .title(title)
    .description(description)
    .datasource(DATASOURCE)
    .unit(unit)
    .span(width)
    .height(height)
    .noValue(noValue);
  return builder;
}

/** @param {string} expr @param {string} refId */
function query(expr, refId) {
  return new DataqueryBuilder().datasource(DATASOURCE).expr(expr).refId(refId);
}

/** @param {number} index of a panel's queries */
const refIdOf = (index) => String.fromCharCode('A'.charCodeAt(0) + index);

/** @param {Step[]} steps */
function thresholds(steps) {
  return new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps(steps);
}

/** @param {FieldColorModeId} mode @param {string} [color] */
function colour(mode, color) {
  const builder = new FieldColorBuilder().mode(mode);
  return color ? builder.fixedColor(color) : builder;
}

const lastValue = () => new ReduceDataOptionsBuilder().calcs(['lastNotNull']);

/**
 * A row's heading. The panels added after it belong to it.
 *
 * @param {{id: number, title: string}} options
 */
export function row({ id, title }) {
  return new RowBuilder(title).id(id);
}

/**
 * One number. With `over: 'time'` it is the newest one, above its own history; otherwise `expr` is evaluated once,
 * at the end of the time range.
 *
 * @typedef {{from: number, to: number | null, text: string}} Saying what is written instead of a number in this range; null:
 *   without an end
 *
 * @param {PanelOptions & {expr: string, over?: 'time', decimals?: number, steps: Step[], sayings?: Saying[]}} options
 */
export function stat(options) {
  const target = query(options.expr, 'A').legendFormat(options.title);
  const builder = common(new StatBuilder(), options)
    .withTarget(options.over === 'time' ? target.range() : target.instant())
    .reduceOptions(lastValue())
    .graphMode(options.over === 'time' ? BigValueGraphMode.Area : BigValueGraphMode.None)
    .colorMode(BigValueColorMode.Background)
    .colorScheme(colour(FieldColorModeId.Thresholds))
    .thresholds(thresholds(options.steps));
  if (options.decimals !== undefined) builder.decimals(options.decimals);
  if (options.sayings) {
    builder.mappings(
      options.sayings.map(({ from, to, text }, index) => ({
        type: MappingType.RangeToText,
        options: { from, to, result: { text, index } },
      })),
    );
  }
  return builder;
}

/**
 * One number between two ends, evaluated once, at the end of the time range.
 *
 * @param {PanelOptions & {expr: string, min?: number, max: number, steps: Step[]}} options
 */
export function gauge(options) {
  return common(new GaugeBuilder(), options)
    .withTarget(query(options.expr, 'A').legendFormat(options.title).instant())
    .reduceOptions(lastValue())
    .min(options.min ?? 0)
    .max(options.max)
    .showThresholdMarkers(true)
    .colorScheme(colour(FieldColorModeId.Thresholds))
    .thresholds(thresholds(options.steps));
}

/**
 * A bar for each series, evaluated once, at the end of the time range.
 *
 * @param {PanelOptions & ({expr: string, legend: string} | {bars: {expr: string, legend: string}[]}) & {max?: number, steps?: Step[]}} options
 */
export function barGauge(options) {
  const builder = common(new BarGaugeBuilder(), options)
    .orientation(VizOrientation.Horizontal)
    .displayMode(BarGaugeDisplayMode.Basic)
    .valueMode(BarGaugeValueMode.Color)
    .showUnfilled(true)
    .reduceOptions(lastValue())
    .min(0)
    .colorScheme(colour(options.steps ? FieldColorModeId.Thresholds : FieldColorModeId.PaletteClassic));
  if (options.max !== undefined) builder.max(options.max);
  if (options.steps) builder.thresholds(thresholds(options.steps));
  const bars = 'bars' in options ? options.bars : [options];
  bars.forEach(({ expr, legend }, index) => {
    builder.withTarget(query(expr, refIdOf(index)).legendFormat(legend).instant());
  });
  return builder;
}

/**
 * Lines over time from zero up. Thresholds are drawn as dashed lines.
 *
 * @param {PanelOptions & {lines: Line[], max?: number, stacked?: boolean, steps?: Step[], logarithmic?: boolean}} options
 */
export function timeSeries(options) {
  const builder = common(new TimeSeriesBuilder(), options)
    .lineWidth(2)
    .fillOpacity(options.stacked ? 60 : 8)
    .drawStyle(options.stacked ? GraphDrawStyle.Bars : GraphDrawStyle.Line)
    .showPoints(VisibilityMode.Auto)
    .axisPlacement(AxisPlacement.Auto)
    .colorScheme(colour(FieldColorModeId.PaletteClassic))
    .legend(
      new VizLegendOptionsBuilder()
        .showLegend(true)
        .displayMode(LegendDisplayMode.Table)
        .placement(LegendPlacement.Bottom)
        .calcs(LEGEND_CALCS),
    )
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi).sort(SortOrder.Descending));
  // A logarithmic axis has no zero.
  if (options.logarithmic) {
    builder.scaleDistribution(new ScaleDistributionConfigBuilder().type(ScaleDistribution.Log).log(10));
  } else builder.min(0);
  if (options.max !== undefined) builder.max(options.max);
  if (options.stacked) builder.stacking(new StackingConfigBuilder().mode(StackingMode.Normal).group('A'));
  if (options.steps) {
    builder
      .thresholds(thresholds(options.steps))
      .thresholdsStyle(new GraphThresholdsStyleConfigBuilder().mode(GraphThresholdsStyleMode.Dashed));
  }
  options.lines.forEach((line, index) => {
    const refId = refIdOf(index);
    builder.withTarget(query(line.expr, refId).legendFormat(line.legend).range());
    const properties = propertiesOf(line);
    if (properties.length > 0) builder.overrideByQuery(refId, properties);
  });
  return builder;
}

/** @param {Line} line @returns {{id: string, value: unknown}[]} what Grafana overrides for it */
function propertiesOf({ color, style, axis, unit }) {
  const properties = [];
  if (color) properties.push({ id: 'color', value: { mode: 'fixed', fixedColor: color } });
  if (style === 'dashed') {
    properties.push({ id: 'custom.lineStyle', value: { fill: 'dash', dash: [10, 10] } });
    properties.push({ id: 'custom.fillOpacity', value: 0 });
  }
  if (style === 'bars') properties.push({ id: 'custom.drawStyle', value: 'bars' });
  if (axis) properties.push({ id: 'custom.axisPlacement', value: axis });
  if (unit) properties.push({ id: 'unit', value: unit });
  return properties;
}

/**
 * A signal over time, drawn as signal-catalogue.js says.
 *
 * @param {{id: number, signal: string} & Partial<PanelOptions & {max: number, steps: Step[]}>} options signal: the
 *   name that its recording rule gives it after `signal:`, for example `pool_used:ratio`
 * @throws {Error} where the catalogue has no such signal
 */
export function signal({ id, signal: name, ...overrides }) {
  const drawn = SIGNALS[name];
  if (!drawn) {
    throw new Error(
      `the signal is ${name}; dashboards/signal-catalogue.js has ${Object.keys(SIGNALS).join(', ')}`,
    );
  }
  const options = { id, ...SIGNAL_SIZE, noValue: 'Nothing exports this signal', ...drawn, ...overrides };
  // Where several things tell the same of a server, each is a line of its own.
  const legend = `${options.title} {{source}}`;
  return timeSeries({ ...options, lines: [{ expr: ofServer(`signal:${name}`), legend }] });
}

/** The colours of percentiles, which mean the same on every dashboard. */
const QUANTILE_COLOURS = { 0.5: 'green', 0.9: 'yellow', 0.95: 'orange', 0.99: 'red' };

/** @param {number} quantile @returns {string} p99, p99.9 */
const nameOf = (quantile) => `p${Number((quantile * 100).toFixed(2))}`;

/**
 * Percentiles of one of k6's histograms over time, and the objectives for them.
 *
 * @param {{id: number, metric: string, by?: string, quantiles?: number[], where?: string, objective?: boolean,
 *   logarithmic?: boolean} & Partial<PanelOptions>} options metric: native histogram, as `ofRun` takes it; objective:
 *   draws those of the run for p95 and p99
 */
export function percentiles({
  id,
  metric,
  by = '',
  quantiles = [0.5, 0.95, 0.99],
  where = '',
  objective: drawn = false,
  ...options
}) {
  const named = by
    .split(',')
    .filter((label) => label !== '')
    .map((label) => `{{${label.trim()}}} `)
    .join('');
  const judged = drawn ? quantiles.filter((quantile) => quantile === 0.95 || quantile === 0.99) : [];
  /** @param {number} quantile */
  const colourOf = (quantile) => /** @type {Record<number, string>} */ (QUANTILE_COLOURS)[quantile];
  return timeSeries({
    title: 'Latency percentiles',
    description:
      'From sending a request to its last byte, of answered requests, without the warm-up. Computed from native ' +
      `histograms over the last seconds; within about 5% of the true value.${judged.length > 0 ? ' Dashed: what the running phase is judged by.' : ''}`,
    unit: 's',
    width: 12,
    height: 9,
    noValue: NO_RUN,
    ...options,
    id,
    lines: [
      ...quantiles.map((quantile) => {
        const color = by === '' ? colourOf(quantile) : undefined;
        return {
          expr: percentile(quantile, metric, by, where),
          legend: `${named}${nameOf(quantile)}`,
          ...(color && { color }),
        };
      }),
      ...judged.map((quantile) => ({
        expr: objective(nameOf(quantile)),
        legend: `${nameOf(quantile)} objective`,
        color: colourOf(quantile) ?? 'text',
        style: /** @type {const} */ ('dashed'),
      })),
    ],
  });
}

/** @param {string} by @returns {string} a legend that says all of its labels */
const legendOf = (by) =>
  by
    .split(',')
    .map((label) => `{{${label.trim()}}}`)
    .join(' ');

/**
 * What a run asked for and what it got.
 *
 * @param {{id: number, description: string} & Partial<PanelOptions>} options
 */
export function offeredAndAchieved(options) {
  const achieved = perSecond(ITERATIONS);
  return timeSeries({
    title: 'Offered and achieved rate',
    unit: 'reqps',
    width: 12,
    height: 9,
    noValue: NO_RUN,
    ...options,
    lines: [
      { expr: offeredRate(), legend: 'offered', color: 'text', style: 'dashed' },
      { expr: achieved, legend: 'achieved', color: 'green' },
      {
        expr: orZero(perSecond(DROPPED), achieved),
        legend: 'dropped',
        color: 'red',
        style: 'bars',
      },
    ],
  });
}

/**
 * A counter of k6's by a label, per second.
 *
 * @param {{metric: string, by: string, where?: string, stacked?: boolean} & Omit<PanelOptions, 'unit' | 'width' | 'height' | 'noValue'>
 *   & Partial<PanelOptions>} options metric: as `ofRun` takes it
 */
export function rates({ metric, by, where = '', ...options }) {
  return timeSeries({
    unit: 'reqps',
    width: 12,
    height: 9,
    noValue: NO_RUN,
    ...options,
    lines: [{ expr: perSecond(metric, by, where), legend: legendOf(by) }],
  });
}

/**
 * The share that one counter of k6's is of another, over time.
 *
 * @param {{part: string, whole: string, by?: string, where?: string, max?: number, steps?: Step[]}
 *   & Omit<PanelOptions, 'unit' | 'width' | 'height' | 'noValue'> & Partial<PanelOptions>} options part, whole: as
 *   `ofRun` takes them
 */
export function ratio({ part, whole, by = '', where = '', ...options }) {
  return timeSeries({
    unit: 'percentunit',
    width: 12,
    height: 9,
    noValue: NO_RUN,
    ...options,
    lines: [{ expr: share(part, whole, by, where), legend: by ? legendOf(by) : options.title }],
  });
}

/**
 * A row for each value of a label, a column for each query. Queries are evaluated once, at the end of the time range.
 *
 * @typedef {object} Column
 * @property {string} name heading
 * @property {string} expr PromQL that keeps the label
 * @property {string} unit
 * @property {Step[]} [steps] colours of the cell's text
 *
 * @param {Omit<PanelOptions, 'unit'> & {label: string | string[], heading: string | string[], columns: Column[], sortBy: string,
 *   descending?: boolean}} options a heading for each label; sortBy: a heading
 */
export function table(options) {
  const builder = common(new TableBuilder(), { ...options, unit: 'short' });
  const labels = [options.label].flat();
  const headings = [options.heading].flat();
  /** @type {Record<string, string>} */
  const names = Object.fromEntries(labels.map((label, index) => [label, headings[index] ?? label]));
  options.columns.forEach(({ name, expr, unit, steps }, index) => {
    const refId = refIdOf(index);
    names[`Value #${refId}`] = name;
    builder.withTarget(query(expr, refId).instant().format(PromQueryFormat.Table));
    /** @type {{id: string, value: unknown}[]} */
    const properties = [{ id: 'unit', value: unit }];
    if (steps) {
      properties.push({ id: 'thresholds', value: { mode: 'absolute', steps } });
      properties.push({ id: 'custom.cellOptions', value: { type: 'color-text' } });
    }
    builder.overrideByName(name, properties);
  });
  return builder
    .transformations([
      { id: 'merge', options: {} },
      {
        id: 'organize',
        options: {
          excludeByName: { Time: true },
          indexByName: Object.fromEntries(Object.keys(names).map((name, index) => [name, index])),
          renameByName: names,
        },
      },
    ])
    .sortBy([
      new TableSortByFieldStateBuilder().displayName(options.sortBy).desc(options.descending ?? false),
    ]);
}

/**
 * How values are distributed over time: each column of the picture is a histogram.
 *
 * @param {PanelOptions & {expr: string, logarithmic?: boolean}} options expr: one native histogram (see `distribution`);
 *   unit: of the values, on the vertical axis
 */
export function heatmap(options) {
  const axis = new YAxisConfigBuilder().unit(options.unit);
  if (options.logarithmic) {
    axis.scaleDistribution(new ScaleDistributionConfigBuilder().type(ScaleDistribution.Log).log(2));
  }
  return common(new HeatmapBuilder(), options)
    .withTarget(query(options.expr, 'A').legendFormat(options.title).range().format(PromQueryFormat.Heatmap))
    .calculate(false)
    .color(
      new HeatmapColorOptionsBuilder()
        .mode(HeatmapColorMode.Scheme)
        .scheme('Turbo')
        .scale(HeatmapColorScale.Exponential)
        .exponent(0.5)
        .steps(64)
        .fill('dark-orange')
        .reverse(false),
    )
    .cellValues(new CellValuesBuilder().unit('reqps'))
    .cellGap(0)
    .yAxis(axis)
    .showValue(VisibilityMode.Never)
    .showLegend()
    .tooltip(new HeatmapTooltipBuilder().mode(TooltipDisplayMode.Single).yHistogram(false))
    .filterValues(new FilterValueRangeBuilder().le(1e-9));
}

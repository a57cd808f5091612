/**
 * The kinds of panel that dashboards are made of. What they share is decided here once: the data source, legends,
 * tooltips, how a gap in the data is drawn.
 */
import {
  AxisPlacement,
  BigValueColorMode,
  BigValueGraphMode,
  GraphDrawStyle,
  GraphThresholdsStyleConfigBuilder,
  GraphThresholdsStyleMode,
  LegendDisplayMode,
  LegendPlacement,
  ReduceDataOptionsBuilder,
  SortOrder,
  StackingConfigBuilder,
  StackingMode,
  TableSortByFieldStateBuilder,
  TooltipDisplayMode,
  VisibilityMode,
  VizLegendOptionsBuilder,
  VizTooltipOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import {
  FieldColorBuilder,
  FieldColorModeId,
  RowBuilder,
  ThresholdsConfigBuilder,
  ThresholdsMode,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder, PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as TableBuilder } from '@grafana/grafana-foundation-sdk/table';
import { PanelBuilder as TimeSeriesBuilder } from '@grafana/grafana-foundation-sdk/timeseries';

/** The variable `datasource` of every dashboard. */
export const DATASOURCE = { type: 'prometheus', uid: '$datasource' };

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
 */

/** What a legend says of each line. */
const LEGEND_CALCS = ['mean', 'max', 'lastNotNull'];

/**
 * Applies what every panel has.
 *
 * @template {StatBuilder | TableBuilder | TimeSeriesBuilder} Builder
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

/** @param {Step[]} steps */
function thresholds(steps) {
  return new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps(steps);
}

/** @param {FieldColorModeId} mode @param {string} [color] */
function colour(mode, color) {
  const builder = new FieldColorBuilder().mode(mode);
  return color ? builder.fixedColor(color) : builder;
}

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
 * @param {PanelOptions & {expr: string, over?: 'time', decimals?: number, steps: Step[]}} options
 */
export function stat(options) {
  const target = query(options.expr, 'A').legendFormat(options.title);
  const builder = common(new StatBuilder(), options)
    .withTarget(options.over === 'time' ? target.range() : target.instant())
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']))
    .graphMode(options.over === 'time' ? BigValueGraphMode.Area : BigValueGraphMode.None)
    .colorMode(BigValueColorMode.Background)
    .colorScheme(colour(FieldColorModeId.Thresholds))
    .thresholds(thresholds(options.steps));
  return options.decimals === undefined ? builder : builder.decimals(options.decimals);
}

/**
 * Lines over time from zero up. Thresholds are drawn as dashed lines.
 *
 * @param {PanelOptions & {lines: Line[], max?: number, stacked?: boolean, steps?: Step[]}} options
 */
export function timeSeries(options) {
  const builder = common(new TimeSeriesBuilder(), options)
    .min(0)
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
  if (options.max !== undefined) builder.max(options.max);
  if (options.stacked) builder.stacking(new StackingConfigBuilder().mode(StackingMode.Normal).group('A'));
  if (options.steps) {
    builder
      .thresholds(thresholds(options.steps))
      .thresholdsStyle(new GraphThresholdsStyleConfigBuilder().mode(GraphThresholdsStyleMode.Dashed));
  }
  options.lines.forEach(({ expr, legend, color, style }, index) => {
    const refId = String.fromCharCode('A'.charCodeAt(0) + index);
    builder.withTarget(query(expr, refId).legendFormat(legend).range());
    const properties = [];
    if (color) properties.push({ id: 'color', value: { mode: 'fixed', fixedColor: color } });
    if (style === 'dashed') {
      properties.push({ id: 'custom.lineStyle', value: { fill: 'dash', dash: [10, 10] } });
      properties.push({ id: 'custom.fillOpacity', value: 0 });
    }
    if (style === 'bars') properties.push({ id: 'custom.drawStyle', value: 'bars' });
    if (properties.length > 0) builder.overrideByQuery(refId, properties);
  });
  return builder;
}

/**
 * What a server does, from a recording rule: one line, named like the panel.
 *
 * @param {Omit<PanelOptions, 'noValue'> & {signal: string, max?: number, steps?: Step[]}} options
 */
export function signal(options) {
  return timeSeries({
    ...options,
    noValue: 'Nothing exports this signal',
    // Whose it is stands beside it: while another server is tested, the reference target's signals go on.
    lines: [{ expr: options.signal, legend: `${options.title} {{server}}` }],
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
 * @param {Omit<PanelOptions, 'unit'> & {label: string, heading: string, columns: Column[], sortBy: string}} options
 */
export function table(options) {
  const builder = common(new TableBuilder(), { ...options, unit: 'short' });
  /** @type {Record<string, string>} */
  const names = { [options.label]: options.heading };
  options.columns.forEach(({ name, expr, unit, steps }, index) => {
    const refId = String.fromCharCode('A'.charCodeAt(0) + index);
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
    .sortBy([new TableSortByFieldStateBuilder().displayName(options.sortBy).desc(false)]);
}

/** The panel types, with the settings that all panels share: data source, legends, tooltips, thresholds. */
import { PanelBuilder as BarGaugeBuilder } from '@grafana/grafana-foundation-sdk/bargauge';
import {
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
import { ofServer } from './queries.ts';
import { drawnSignal, type Step } from './signals.ts';

/** The variable `datasource` of every dashboard. */
export const DATASOURCE = { type: 'prometheus', uid: '$datasource' };
const NO_RUN = 'No run in this time range';
export const NOT_EXPORTED = 'The server does not export this signal';
/** All charts in a column have the same left margin, so that their time axes align. */
const AXIS_WIDTH = 70;

interface PanelOptions {
  title: string;
  /** What the panel shows and how to interpret it. */
  description: string;
  /** Grafana's unit id. */
  unit: string;
  /** In columns; a dashboard has 24. */
  width: number;
  /** In units of 30 pixels. */
  height: number;
  /** Text that is shown if there is no data. */
  noValue?: string;
}

export interface Line {
  expr: string;
  /** {{label}} is replaced by the label's value. */
  legend: string;
  color?: string;
  dashed?: boolean;
}

type Panel = BarGaugeBuilder | HeatmapBuilder | StatBuilder | TableBuilder | TimeSeriesBuilder;

function common<Builder extends Panel>(builder: Builder, options: PanelOptions): Builder {
  builder
    .title(options.title)
    .description(options.description)
    .datasource(DATASOURCE)
    .unit(options.unit)
    .span(options.width)
    .height(options.height)
    .noValue(options.noValue ?? NO_RUN);
  return builder;
}

const query = (expr: string, index = 0) =>
  new DataqueryBuilder()
    .datasource(DATASOURCE)
    .expr(expr)
    .refId(String.fromCharCode('A'.charCodeAt(0) + index));
const thresholds = (steps: Step[]) =>
  new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps(steps);
const colour = (mode: FieldColorModeId) => new FieldColorBuilder().mode(mode);
const lastValue = () => new ReduceDataOptionsBuilder().calcs(['lastNotNull']);

/** Heading of a row of panels. */
export const row = (title: string) => new RowBuilder(title);

/**
 * A single number, evaluated at the end of the time range. `texts` replace the values 0, 1, 2 ...; the last text also
 * replaces all larger values.
 */
export function stat(
  options: PanelOptions & { expr: string; steps: Step[]; decimals?: number; texts?: string[] },
) {
  const builder = common(new StatBuilder(), options)
    .withTarget(query(options.expr).legendFormat(options.title).instant())
    .reduceOptions(lastValue())
    .graphMode(BigValueGraphMode.None)
    .colorMode(BigValueColorMode.Background)
    .colorScheme(colour(FieldColorModeId.Thresholds))
    .thresholds(thresholds(options.steps));
  if (options.decimals !== undefined) builder.decimals(options.decimals);
  const { texts } = options;
  if (!texts) return builder;
  return builder.mappings(
    texts.map((text, index) => ({
      type: MappingType.RangeToText,
      options: { from: index, to: index < texts.length - 1 ? index : null, result: { text, index } },
    })),
  );
}

/** One bar per series, evaluated at the end of the time range. */
export function barGauge(
  options: PanelOptions & { expr: string; legend: string; max?: number; steps?: Step[] },
) {
  const builder = common(new BarGaugeBuilder(), options)
    .withTarget(query(options.expr).legendFormat(options.legend).instant())
    .orientation(VizOrientation.Horizontal)
    .displayMode(BarGaugeDisplayMode.Basic)
    .valueMode(BarGaugeValueMode.Color)
    .showUnfilled(true)
    .reduceOptions(lastValue())
    .min(0)
    .colorScheme(colour(options.steps ? FieldColorModeId.Thresholds : FieldColorModeId.PaletteClassic));
  if (options.max !== undefined) builder.max(options.max);
  if (options.steps) builder.thresholds(thresholds(options.steps));
  return builder;
}

/** Lines over time, starting at zero. Thresholds are drawn as dashed lines. */
export function timeSeries(
  options: PanelOptions & {
    lines: Line[];
    max?: number;
    stacked?: boolean;
    steps?: Step[];
    logarithmic?: boolean;
    /** Shows only names in the legend, on one line. */
    namesOnly?: boolean;
  },
) {
  const builder = common(new TimeSeriesBuilder(), options)
    .lineWidth(2)
    .fillOpacity(options.stacked ? 60 : 8)
    .drawStyle(options.stacked ? GraphDrawStyle.Bars : GraphDrawStyle.Line)
    .showPoints(VisibilityMode.Auto)
    .axisWidth(AXIS_WIDTH)
    .colorScheme(colour(FieldColorModeId.PaletteClassic))
    .legend(
      new VizLegendOptionsBuilder()
        .showLegend(true)
        .displayMode(options.namesOnly ? LegendDisplayMode.List : LegendDisplayMode.Table)
        .placement(LegendPlacement.Bottom)
        .calcs(options.namesOnly ? [] : ['mean', 'max']),
    )
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi).sort(SortOrder.Descending));
  // A logarithmic axis can't start at zero.
  if (options.logarithmic)
    builder.scaleDistribution(new ScaleDistributionConfigBuilder().type(ScaleDistribution.Log).log(10));
  else builder.min(0);
  if (options.max !== undefined) builder.max(options.max);
  if (options.stacked) builder.stacking(new StackingConfigBuilder().mode(StackingMode.Normal).group('A'));
  if (options.steps) {
    builder
      .thresholds(thresholds(options.steps))
      .thresholdsStyle(new GraphThresholdsStyleConfigBuilder().mode(GraphThresholdsStyleMode.Dashed));
  }
  options.lines.forEach(({ expr, legend, color, dashed }, index) => {
    const target = query(expr, index).legendFormat(legend).range();
    builder.withTarget(target);
    const properties = [
      ...(color ? [{ id: 'color', value: { mode: 'fixed', fixedColor: color } }] : []),
      ...(dashed
        ? [
            { id: 'custom.lineStyle', value: { fill: 'dash', dash: [10, 10] } },
            { id: 'custom.fillOpacity', value: 0 },
          ]
        : []),
    ];
    if (properties.length > 0) builder.overrideByQuery(target.build().refId ?? '', properties);
  });
  return builder;
}

/**
 * A signal over time, drawn as defined in signals.ts.
 *
 * @param name the part of the recording rule's name after `signal:`, such as `cpu:ratio`
 * @throws if there is no such signal
 */
export function signal(name: string, size: { width: number; height: number } = { width: 6, height: 7 }) {
  const drawn = drawnSignal(name);
  // If several sources export a signal, each gets its own line.
  const lines = [{ expr: ofServer(`signal:${name}`), legend: `${drawn.title} {{source}}` }];
  return timeSeries({ ...size, noValue: NOT_EXPORTED, ...drawn, lines });
}

export interface Column {
  /** The column's heading. */
  name: string;
  /** Must keep the labels of the table. */
  expr: string;
  unit: string;
  /** Text colours. */
  steps?: Step[];
}

/** A table with a row per combination of labels and a column per query, evaluated at the end of the time range. */
export function table(
  options: Omit<PanelOptions, 'unit'> & {
    /** Headings by label. Text in the last column wraps. */
    labels: Record<string, string>;
    columns: Column[];
    /** Heading of the column to sort by; ascending unless `descending`. */
    sortBy: string;
    descending?: boolean;
  },
) {
  const builder = common(new TableBuilder(), { ...options, unit: 'short' });
  const names = { ...options.labels };
  options.columns.forEach(({ name, expr, unit, steps }, index) => {
    const target = query(expr, index).instant().format(PromQueryFormat.Table);
    names[options.columns.length === 1 ? 'Value' : `Value #${target.build().refId}`] = name;
    builder.withTarget(target);
    builder.overrideByName(name, [
      { id: 'unit', value: unit },
      ...(steps
        ? [
            { id: 'thresholds', value: { mode: 'absolute', steps } },
            { id: 'custom.cellOptions', value: { type: 'color-text' } },
          ]
        : []),
    ]);
  });
  const text = Object.values(options.labels).at(-1) ?? '';
  builder.overrideByName(text, [{ id: 'custom.cellOptions', value: { type: 'auto', wrapText: true } }]);
  const organize = {
    excludeByName: { Time: true },
    indexByName: Object.fromEntries(Object.keys(names).map((name, index) => [name, index])),
    renameByName: names,
  };
  return builder
    .transformations([
      { id: 'merge', options: {} },
      { id: 'organize', options: organize },
    ])
    .sortBy([
      new TableSortByFieldStateBuilder().displayName(options.sortBy).desc(options.descending ?? false),
    ]);
}

/** The distribution of a native histogram over time, in the unit of its values. */
export function heatmap(options: PanelOptions & { expr: string }) {
  const logarithmic = new ScaleDistributionConfigBuilder().type(ScaleDistribution.Log).log(2);
  return common(new HeatmapBuilder(), options)
    .withTarget(query(options.expr).legendFormat(options.title).range().format(PromQueryFormat.Heatmap))
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
    .yAxis(new YAxisConfigBuilder().unit(options.unit).scaleDistribution(logarithmic))
    .showValue(VisibilityMode.Never)
    .showLegend()
    .tooltip(new HeatmapTooltipBuilder().mode(TooltipDisplayMode.Single).yHistogram(false))
    .filterValues(new FilterValueRangeBuilder().le(1e-9));
}

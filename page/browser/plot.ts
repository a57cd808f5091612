/** Draws one chart with uPlot: lines, limits, phases as background, and marks of findings. */
import uPlot from 'uplot';
import { clock, inUnit } from '../../contract/units.js';
import type { Chart, Colour, Line, Mark, Plots, Span } from '../model.ts';

const KEY = 'run';
/** Width of the value axes in pixels, so that the same time is at the same position in all charts. */
const LEFT = 72;
const RIGHT = 56;
const DASH = [6, 4];
/**
 * Space above the maximum of an axis: a line at the maximum would be hidden below the names of the phases.
 */
const HEADROOM = 1.12;
/** Height of the phases' names, pixels. */
const NAMES = 18;
/** Possible intervals of the time axis, seconds. */
const TIMES = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600];

export interface Place {
  width: number;
  height: number;
  /** @returns a colour of page.css, by name */
  colour: (name: Colour | Span['kind'] | 'grid' | 'panel') => string;
  font: string;
  /**
   * In a stack of charts, only the first one shows the names of the marks, and only the last one shows the
   * times.
   */
  isFirst: boolean;
  isLast: boolean;
  /** Called when a time range was selected; seconds. */
  zoom: (fromS: number, toS: number) => void;
  whole: () => void;
}

/** @returns the points of a chart for uPlot: seconds since the run's start, and the values of each line */
export function dataOf({ lines }: Chart, { fromS, stepS, series }: Plots): uPlot.AlignedData {
  const all = lines.map((line) => series[line.series] ?? []);
  const count = Math.max(0, ...all.map(({ length }) => length));
  return [Array.from({ length: count }, (_, index) => fromS + index * stepS), ...all];
}

/** @returns the plot in the element; updated by uPlot's setData and setSize */
export function plotOf(element: HTMLElement, chart: Chart, plots: Plots, place: Place): uPlot {
  const { isFirst, isLast, colour } = place;
  const text = { stroke: colour('quiet'), font: place.font };
  const grid = { stroke: colour('grid'), width: 1 };
  const axis = (side: number, scale: string, unit: string, size: number): uPlot.Axis => ({
    ...text,
    side,
    scale,
    size,
    grid: { ...grid, show: side === 3 },
    ticks: { show: false },
    values: (_, values) => values.map((value) => (value === null ? '' : inUnit(unit, value))),
  });
  const right = chart.rightUnit ?? 'ratio';
  const options: uPlot.Options = {
    width: place.width,
    height: place.height,
    padding: [isFirst ? NAMES : 6, null, null, null],
    scales: {
      x: { time: false },
      left: chart.isLogarithmic
        ? { distr: 3 }
        : {
            range: (_, __, max) => [0, chart.max ? chart.max * HEADROOM : (max || 1) * 1.1],
          },
      right: { range: (_, __, max) => [0, Math.max(0.01, (max || 0) * 1.1)] },
    },
    axes: [
      {
        ...text,
        grid,
        ticks: { show: false },
        incrs: TIMES,
        size: isLast ? 26 : 8,
        values: (_, splits) => splits.map((second) => (isLast ? clock(second) : '')),
      },
      axis(3, 'left', chart.unit, LEFT),
      { ...axis(1, 'right', right, RIGHT), ...(!chart.rightUnit && { values: () => [] }) },
    ],
    series: [
      { label: 'time', value: (_, second) => moment(second, plots.startedS) },
      ...chart.lines.map((line) => seriesOf(line, chart, colour)),
      // uPlot shows an axis only if a series belongs to it.
      { label: '', scale: 'right', show: !chart.rightUnit, points: { show: false }, class: 'unseen' },
    ],
    legend: {
      markers: {
        fill: (_, index) => {
          const { isDashed, colour: name = 'text' } = chart.lines[index - 1] ?? {};
          return isDashed ? 'transparent' : colour(name);
        },
        dash: (_, index) => (chart.lines[index - 1]?.isDashed ? 'dashed' : 'solid'),
      },
    },
    cursor: {
      y: false,
      sync: {
        key: KEY,
        scales: ['x', null],
        setSeries: false,
        filters: { pub: (type) => type === 'mousemove' || type === 'mouseleave' },
      },
      drag: { x: true, y: false, setScale: false },
      bind: {
        dblclick: () => () => {
          place.whole();
          return null;
        },
      },
      points: { size: 6 },
    },
    hooks: {
      drawClear: [(plot) => shade(plot, plots.phases, place)],
      draw: [
        (plot) => drawLimits(plot, chart.limits ?? [], colour('orange')),
        (plot) => mark(plot, marksOf(chart, plots), place),
      ],
      setSelect: [
        (plot) => {
          const { left, width } = plot.select;
          if (width > 0) place.zoom(plot.posToVal(left, 'x'), plot.posToVal(left + width, 'x'));
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        },
      ],
    },
  };
  return new uPlot(options, [...dataOf(chart, plots), []] as uPlot.AlignedData, element);
}

function seriesOf(line: Line, chart: Chart, colour: Place['colour']): uPlot.Series {
  const stroke = colour(line.colour);
  const unit = line.isRight ? (chart.rightUnit ?? chart.unit) : chart.unit;
  return {
    label: line.name,
    scale: line.isRight ? 'right' : 'left',
    stroke,
    width: line.isDashed ? 1.5 : 2,
    ...(line.isDashed && { dash: DASH }),
    ...(line.isRight && !line.isDashed && { fill: `color-mix(in srgb, ${stroke} 18%, transparent)` }),
    // While the pointer is outside of the chart, the legend shows only names.
    value: (_, value, __, index) => (index === null ? '' : value === null ? '-' : inUnit(unit, value)),
    points: { show: true, size: 6, fill: stroke, filter: (plot, index) => alone(plot.data[index] ?? []) },
  };
}

/** Points without a neighbour, such as a single failure, because no line connects them. */
const alone = (values: ArrayLike<number | null | undefined>) =>
  Array.from({ length: values.length }, (_, index) => index).filter(
    (index) => values[index] != null && values[index - 1] == null && values[index + 1] == null,
  );

/** @returns the time since the start of the run, and the time of day */
function moment(second: number | null, startedS: number): string {
  if (second === null) return '';
  return `${clock(second)} (${new Date((startedS + second) * 1000).toISOString().slice(11, 19)} UTC)`;
}

function shade(plot: uPlot, phases: readonly Span[], { colour, font, isFirst }: Place) {
  const { ctx, bbox } = plot;
  for (const { name, kind, fromS, toS } of phases) {
    const left = Math.max(bbox.left, plot.valToPos(fromS, 'x', true));
    const right = Math.min(bbox.left + bbox.width, plot.valToPos(toS, 'x', true));
    if (right <= left) continue;
    ctx.fillStyle = colour(kind);
    ctx.fillRect(left, bbox.top, right - left, bbox.height);
    ctx.fillStyle = colour('grid');
    ctx.fillRect(left, bbox.top, 1, bbox.height);
    ctx.font = scaled(font);
    if (!isFirst || ctx.measureText(name).width > right - left - 4) continue;
    ctx.fillStyle = colour('quiet');
    ctx.textAlign = 'left';
    ctx.textBaseline = 'bottom';
    ctx.fillText(name, left + 2, bbox.top - 2);
  }
}

function drawLimits(plot: uPlot, limits: readonly number[], stroke: string) {
  const { ctx, bbox } = plot;
  for (const limit of limits) {
    const y = plot.valToPos(limit, 'left', true);
    if (y < bbox.top || y > bbox.top + bbox.height) continue;
    ctx.save();
    ctx.strokeStyle = stroke;
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash(DASH.map((length) => length * devicePixelRatio));
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.restore();
  }
}

const marksOf = ({ finding: own }: Chart, { marks }: Plots) =>
  own === undefined ? marks : marks.filter(({ finding }) => finding === own);

/**
 * Draws a line at the time at which a series reached a threshold, with the numbers of all findings about it.
 */
function mark(plot: uPlot, marks: readonly Mark[], { colour, font, isFirst }: Place) {
  const { ctx, bbox } = plot;
  const height = 16 * devicePixelRatio;
  let [end, top] = [0, bbox.top];
  for (const [atS, numbers] of [...Map.groupBy(marks, ({ atS }) => atS)].sort(([a], [b]) => a - b)) {
    const x = Math.round(plot.valToPos(atS, 'x', true));
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.fillStyle = colour('text');
    ctx.fillRect(x, bbox.top, devicePixelRatio, bbox.height);
    if (!isFirst) continue;
    const text = [...new Set(numbers.map(({ finding }) => finding))].join(',');
    ctx.font = scaled(font);
    const width = ctx.measureText(text).width + 8 * devicePixelRatio;
    top = x < end ? top + height : bbox.top;
    end = x + width;
    ctx.fillRect(x, top, width, height);
    ctx.fillStyle = colour('panel');
    ctx.textAlign = 'center';
    ctx.textBaseline = 'middle';
    ctx.fillText(text, x + width / 2, top + height / 2);
  }
}

/** uPlot's canvas uses the device's pixels. */
const scaled = (font: string) =>
  font.replace(/[\d.]+px/, (size) => `${Number.parseFloat(size) * devicePixelRatio}px`);

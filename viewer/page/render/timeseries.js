/** Lines, areas and bars over time, with a legend. */
import { cssColor, withOpacity } from '../colors.js';
import { colorOf, fieldConfig } from '../field-config.js';
import { absolute, limits } from '../thresholds.js';
import { format, logarithmicStart, sparseTickTexts } from '../units.js';
import { bars } from './bars.js';
import { chartOptions, clipToPlot, UPlot, valueAxis } from './chart.js';
import { Legend } from './legend-table.js';
import { stacked } from './stacking.js';

/**
 * @typedef {object} Line a series, and how it is drawn
 * @property {string} name
 * @property {(number | null)[]} values
 * @property {string} color CSS
 * @property {string} scale
 * @property {'left' | 'right'} side
 * @property {import('../field-config.js').FieldConfig} config
 */

/** Of an axis in bytes: 1, 2, 4 KiB, not 1, 2, 5 KB. */
const BINARY_INCREMENTS = Array.from({ length: 60 }, (_, power) => 2 ** power);

/** @type {import('../scene.js').Mount} */
export function mountTimeSeries(body, hooks) {
  /** @type {import('uplot') | null} */
  let plot = null;
  /** @type {import('../scene.js').Scene | null} */
  let current = null;
  /** What the chart was built for. */
  let built = '';
  /** @type {Line[]} */
  let lines = [];
  const legend = new Legend(hooks.redraw);
  const chart = document.createElement('div');
  chart.className = 'chart';
  body.replaceChildren(chart, legend.element);

  const scene = () => /** @type {import('../scene.js').Scene} */ (current);

  /** @param {import('../scene.js').Scene} next */
  function draw(next) {
    const { panel, data, theme } = next;
    const all = linesOf(panel, data.frames, theme);
    const legendHeight = legend.draw(panel.options?.legend, all, next);
    current = { ...next, height: Math.max(60, next.height - legendHeight) };
    lines = all.filter(({ name }) => legend.isShown(name));
    const values = stacked(lines);
    const structure = JSON.stringify([theme, panel.fieldConfig, lines.map(({ values: _, ...line }) => line)]);
    const drawn = /** @type {import('uplot').AlignedData} */ ([data.times, ...values.tops]);
    if (plot && structure === built) {
      if (plot.width !== current.width || plot.height !== current.height) plot.setSize(current);
      bottoms = values.bottoms;
      plot.setData(drawn);
      return;
    }
    plot?.destroy();
    built = structure;
    bottoms = values.bottoms;
    plot = new UPlot(options(next), drawn, chart);
  }

  /** @type {((number | null)[] | null)[]} where bars that stand on others begin */
  let bottoms = [];

  /** @param {import('../scene.js').Scene} next */
  function options({ panel, theme }) {
    const scales = [...new Map(lines.map((line) => [line.scale, line])).values()];
    return chartOptions({
      scene,
      hooks,
      series: lines.map((line, index) => seriesOptions(line, () => bottoms[index] ?? null)),
      scales: Object.fromEntries(scales.map(({ scale, config }) => [scale, scaleOptions(config)])),
      axes: scales.map(({ scale, side, config }, index) =>
        valueAxis(theme, {
          scale,
          side: side === 'right' ? 1 : 3,
          ...(index > 0 && { grid: { show: false } }),
          ...(config.custom.axisWidth && { size: config.custom.axisWidth }),
          ...(config.unit === 'bytes' && !isLogarithmic(config) && { incrs: BINARY_INCREMENTS }),
          values: (_plot, ticks) => sparseTickTexts(ticks, config.unit, config.decimals),
        }),
      ),
      bands: bandsOf(lines),
      under: (drawn) =>
        drawThresholds(drawn, fieldConfig(panel, { name: '', refId: '' }), lines[0]?.scale, theme),
      tooltip: (_drawn, index) => tooltipAt(panel, lines, index),
    });
  }

  return {
    draw,
    destroy() {
      plot?.destroy();
      plot = null;
    },
  };
}

/**
 * @param {any} panel
 * @param {import('../panel-queries.js').Frame[]} frames
 * @param {import('../colors.js').ThemeName} theme
 * @returns {Line[]}
 */
function linesOf(panel, frames, theme) {
  /** @type {string | null} the first one's, which is on the left */
  let first = null;
  return frames.map(({ name, refId, values }, index) => {
    const config = fieldConfig(panel, { name, refId });
    const { unit = '', min, max } = config;
    const placement = config.custom.axisPlacement ?? 'auto';
    const scale = JSON.stringify([
      unit,
      min,
      max,
      placement === 'right',
      config.custom.scaleDistribution ?? null,
    ]);
    first ??= scale;
    const side = placement === 'right' || (placement === 'auto' && scale !== first) ? 'right' : 'left';
    return {
      name: config.displayName ?? name,
      values,
      color: colorOf(config, index, null, theme),
      scale,
      side,
      config,
    };
  });
}

/** @param {import('../field-config.js').FieldConfig} config */
const isLogarithmic = ({ custom }) => custom.scaleDistribution?.type === 'log';

/**
 * @param {Line} line
 * @param {() => (number | null)[] | null} bottom
 * @returns {import('uplot').Series}
 */
function seriesOptions({ name, color, scale, values: _, config: { custom } }, bottom) {
  const isBar = custom.drawStyle === 'bars';
  const opacity = (custom.fillOpacity ?? 0) / 100;
  return {
    label: name,
    scale,
    stroke: color,
    width: isBar ? 0 : (custom.lineWidth ?? 1) * 0.75,
    fill: opacity > 0 ? withOpacity(color, isBar ? Math.max(opacity, 0.6) : opacity) : undefined,
    spanGaps: custom.spanNulls === true,
    ...(custom.lineStyle?.fill === 'dash' && {
      dash: (custom.lineStyle.dash ?? [10, 10]).map((/** @type {number} */ part) => part * 0.6),
    }),
    ...(custom.lineStyle?.fill === 'dot' && { dash: [1, 4], cap: 'round' }),
    points: pointsOf(custom, color, isBar),
    paths: isBar ? bars(bottom) : pathsOf(custom.lineInterpolation),
  };
}

/** @param {string | undefined} interpolation */
function pathsOf(interpolation) {
  const { linear, stepped, spline } = UPlot.paths;
  if (interpolation === 'stepAfter') return stepped?.({ align: 1 });
  if (interpolation === 'stepBefore') return stepped?.({ align: -1 });
  return interpolation === 'smooth' ? spline?.() : linear?.();
}

/**
 * @param {Record<string, any>} custom
 * @param {string} color of the line
 * @param {boolean} isBar
 * @returns {import('uplot').Series.Points}
 */
function pointsOf({ showPoints = 'auto', pointSize = 5, drawStyle }, color, isBar) {
  if (isBar || (showPoints === 'never' && drawStyle !== 'points')) return { show: false };
  // Without a fill of its own a point is a white one.
  const dot = { size: pointSize, fill: color };
  if (showPoints === 'always' || drawStyle === 'points') return { ...dot, show: true };
  return {
    ...dot,
    // A sample with none beside it makes no line.
    show: true,
    filter: (plot, series, show, gaps) => {
      void show;
      void gaps;
      const values = /** @type {(number | null)[]} */ (plot.data[series] ?? []);
      /** @type {number[]} */
      const alone = [];
      for (const [index, value] of values.entries()) {
        if (value !== null && (values[index - 1] ?? null) === null && (values[index + 1] ?? null) === null)
          alone.push(index);
      }
      return alone;
    },
  };
}

/**
 * @param {import('../field-config.js').FieldConfig} config
 * @returns {import('uplot').Scale}
 */
function scaleOptions(config) {
  const { min: hardMin, max: hardMax } = config;
  if (isLogarithmic(config)) {
    return {
      distr: 3,
      log: 10,
      range: (_plot, min, max) => {
        if (!(max > 0)) return [0.001, 1];
        const least = min > 0 ? min : max / 1000;
        return [
          hardMin && hardMin > 0 ? hardMin : logarithmicStart(least),
          hardMax ?? Math.max(max * 1.2, least * 10),
        ];
      },
    };
  }
  return {
    range: (_plot, min, max) => {
      if (min === null || min === undefined) return [hardMin ?? 0, hardMax ?? 1];
      if (min === 0 && max === 0) return [hardMin ?? 0, hardMax ?? 1];
      const [low, high] = UPlot.rangeNum(min, max, {
        min: { pad: 0.1, soft: 0, mode: 3, hard: hardMin ?? Number.NEGATIVE_INFINITY },
        max: { pad: 0.1, soft: 0, mode: 3, hard: hardMax ?? Number.POSITIVE_INFINITY },
      });
      // As in Grafana, a given end holds also where the data end before it.
      return [hardMin ?? low, hardMax ?? high];
    },
  };
}

/** @param {Line[]} lines @returns {import('uplot').Band[]} between stacked lines, from each to the one below it */
function bandsOf(lines) {
  /** @type {Map<string, number>} */
  const below = new Map();
  /** @type {import('uplot').Band[]} */
  const bands = [];
  for (const [index, { scale, config }] of lines.entries()) {
    const { stacking, drawStyle } = config.custom;
    if (stacking?.mode !== 'normal' || drawStyle === 'bars') continue;
    const group = `${scale} ${stacking.group}`;
    const lower = below.get(group);
    if (lower !== undefined) bands.push({ series: [index + 1, lower + 1] });
    below.set(group, index);
  }
  return bands;
}

/**
 * @param {import('uplot')} plot
 * @param {import('../field-config.js').FieldConfig} config
 * @param {string | undefined} scale
 * @param {import('../colors.js').ThemeName} theme
 */
function drawThresholds(plot, config, scale, theme) {
  const mode = config.custom.thresholdsStyle?.mode ?? 'off';
  if (mode === 'off' || !scale || !config.thresholds) return;
  const { ctx, bbox } = plot;
  const ratio = UPlot.pxRatio;
  clipToPlot(plot);
  if (mode.includes('area')) {
    const { steps } = config.thresholds;
    for (const [index, step] of steps.entries()) {
      const from =
        step.value === null
          ? bbox.top + bbox.height
          : plot.valToPos(absolute(config.thresholds, step.value, config), scale, true);
      const above = steps[index + 1]?.value;
      const to =
        above === undefined || above === null
          ? bbox.top
          : plot.valToPos(absolute(config.thresholds, above, config), scale, true);
      ctx.fillStyle = withOpacity(cssColor(step.color, theme), 0.1);
      ctx.fillRect(bbox.left, to, bbox.width, from - to);
    }
  }
  if (mode !== 'area') {
    ctx.setLineDash(mode.startsWith('dashed') ? [8 * ratio, 6 * ratio] : []);
    ctx.lineWidth = 1.5 * ratio;
    for (const { from, color } of limits(config.thresholds, config)) {
      const y = Math.round(plot.valToPos(from, scale, true));
      ctx.strokeStyle = withOpacity(cssColor(color, theme), 0.75);
      ctx.beginPath();
      ctx.moveTo(bbox.left, y);
      ctx.lineTo(bbox.left + bbox.width, y);
      ctx.stroke();
    }
  }
  ctx.restore();
}

/**
 * @param {any} panel
 * @param {Line[]} lines
 * @param {number} index of the moment
 */
function tooltipAt(panel, lines, index) {
  const { mode = 'single', sort = 'none' } = panel.options?.tooltip ?? {};
  if (mode === 'none') return null;
  const known = lines.flatMap(({ name, color, values, config }) => {
    const value = values[index] ?? null;
    return value === null ? [] : [{ name, color, value, text: format(value, config.unit, config.decimals) }];
  });
  if (sort !== 'none') known.sort((a, b) => (sort === 'desc' ? b.value - a.value : a.value - b.value));
  return { rows: known.map(({ name, color, text }) => ({ name, color, value: text })) };
}

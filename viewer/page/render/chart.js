/** What all charts over time share: the time axis, the crosshair, zooming, and the marks of annotations. */
import { fullText, tickDate, timeTickTexts } from '../clock.js';
import { CANVAS, cssColor, textColor, withOpacity } from '../colors.js';
import { hideTooltip, showTooltip } from '../tooltip.js';

/** @typedef {import('uplot')} Plot */

/** The chart library, loaded by the page before its modules. */
export const UPlot = /** @type {typeof import('uplot')} */ (/** @type {any} */ (globalThis).uPlot);

export const FONT = '11px Inter, system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';

/** Pixels that a pointer has to move to mean a range. */
const MIN_SELECTION = 8;
/** Pixels between the pointer and a mark that it is on. */
const NEAR = 6;
const LABEL_GAP = 8;
const LABEL_HEIGHT = 12;
/** One of many alike: window-4. */
const NUMBERED = /^\S+-(\d+)$/;

const crosshair = UPlot.sync('dashboard');

/**
 * @param {object} chart
 * @param {() => import('../scene.js').Scene} chart.scene the newest
 * @param {import('../scene.js').Hooks} chart.hooks
 * @param {(plot: Plot, index: number) => {rows: import('../tooltip.js').TooltipRow[], heading?: string} | null} chart.tooltip
 *   for the sample nearest to the pointer
 * @param {import('uplot').Series[]} chart.series without the times
 * @param {import('uplot').Scales} chart.scales without the times
 * @param {import('uplot').Axis[]} chart.axes without the times
 * @param {import('uplot').Band[]} [chart.bands]
 * @param {(plot: Plot) => void} [chart.under] draws between the grid and the series
 * @param {(plot: Plot) => void} [chart.over] draws above the series
 * @returns {import('uplot').Options}
 */
export function chartOptions({ scene, hooks, tooltip, series, scales, axes, bands, under, over }) {
  const { theme, width, height } = scene();
  const { grid, axis: stroke } = CANVAS[theme];
  let isHovered = false;
  /** @param {Plot} plot */
  const point = (plot) => {
    const { left = -1, top = -1, idx } = plot.cursor;
    if (!isHovered) return;
    const content = left >= 0 && idx !== null && idx !== undefined ? tooltip(plot, idx) : null;
    const marks = marksAt(plot, scene(), left);
    if (left < 0 || (!content && marks.length === 0)) return hideTooltip();
    const { left: x, top: y } = plot.over.getBoundingClientRect();
    const heading = content?.heading ?? fullText(plot.posToVal(left, 'x') * 1000);
    showTooltip({ x: x + left, y: y + top }, { heading, rows: content?.rows ?? [], marks });
  };
  return {
    width,
    height,
    bands,
    tzDate: tickDate,
    padding: [8, PADDING_RIGHT, 0, 0],
    legend: { show: false },
    cursor: {
      drag: { x: true, y: false, setScale: false },
      points: { size: 7, width: 0 },
      sync: {
        key: crosshair.key,
        scales: ['x', null],
        // A range is dragged in one chart alone.
        filters: { pub: (type) => type === 'mousemove' || type === 'mouseleave' },
      },
    },
    scales: {
      x: { time: true, range: () => [scene().range.fromS, scene().range.toS] },
      ...scales,
    },
    series: [{}, ...series],
    axes: [
      {
        stroke,
        font: FONT,
        size: 24,
        gap: 4,
        space: 70,
        grid: { stroke: grid, width: 1 },
        ticks: { show: false },
        values: (plot, ticks, _axis, _space, increment) =>
          withinChart(plot, ticks, timeTickTexts(ticks, increment)),
      },
      ...axes,
    ],
    hooks: {
      drawAxes: under ? [under] : [],
      draw: [
        (plot) => {
          over?.(plot);
          drawMarks(plot, scene());
        },
      ],
      setCursor: [point],
      ready: [
        (plot) => {
          plot.over.addEventListener('mouseenter', () => {
            isHovered = true;
          });
          plot.over.addEventListener('mouseleave', () => {
            isHovered = false;
            hideTooltip();
          });
        },
      ],
      setSelect: [
        (plot) => {
          const { left, width: selected } = plot.select;
          if (selected >= MIN_SELECTION) {
            hooks.zoom({ fromS: plot.posToVal(left, 'x'), toS: plot.posToVal(left + selected, 'x') });
          }
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        },
      ],
    },
  };
}

/** Right of the last value, which the label of a time may use, too. */
const PADDING_RIGHT = 8;

/** @param {Plot} plot @param {string} text @returns {number} its width on an axis, in pixels of the page */
function widthOf({ ctx }, text) {
  ctx.save();
  ctx.font = FONT;
  const { width } = ctx.measureText(text);
  ctx.restore();
  return width;
}

/**
 * A time under the very edge of the chart would run into the lowest value beside it, or out of the panel.
 *
 * @param {Plot} plot
 * @param {number[]} ticks
 * @param {string[]} texts
 * @returns {(string | null)[]}
 */
function withinChart(plot, ticks, texts) {
  const width = plot.bbox.width / UPlot.pxRatio;
  const { min = 0, max = 1 } = plot.scales.x ?? {};
  return ticks.map((tick, index) => {
    const text = texts[index] ?? '';
    const half = widthOf(plot, text) / 2;
    const x = ((tick - (min ?? 0)) / ((max ?? 1) - (min ?? 0))) * width;
    return width > 0 && (x < half || x > width - half + PADDING_RIGHT) ? null : text;
  });
}

/**
 * @param {import('../colors.js').ThemeName} theme
 * @param {import('uplot').Axis} axis
 * @returns {import('uplot').Axis} of values
 */
export function valueAxis(theme, axis) {
  const { grid, axis: stroke } = CANVAS[theme];
  return {
    stroke,
    font: FONT,
    gap: 6,
    // As many as are read with ease, whatever the height.
    space: (_plot, _axis, _min, _max, pixels) => Math.max(26, pixels / 9),
    grid: { stroke: grid, width: 1 },
    ticks: { show: false },
    size: (plot, values) => 14 + Math.max(0, ...(values ?? []).map((text) => widthOf(plot, text ?? ''))),
    ...axis,
  };
}

/** @param {Plot} plot @param {import('../scene.js').Scene} scene @param {number} left */
function marksAt(plot, { marks, theme }, left) {
  return marks
    .filter(
      ({ fromS, toS }) => left >= plot.valToPos(fromS, 'x') - NEAR && left <= plot.valToPos(toS, 'x') + NEAR,
    )
    .map(({ title, text, color, fromS, toS }) => ({
      title,
      text: [
        text,
        toS > fromS ? `${fullText(fromS * 1000)} to ${fullText(toS * 1000)}` : fullText(fromS * 1000),
      ]
        .filter((part) => part !== '')
        .join(', '),
      color: cssColor(color, theme),
    }));
}

/**
 * What is drawn from here on to `ctx.restore()` stays within the plot.
 *
 * @param {Plot} plot
 */
export function clipToPlot({ ctx, bbox }) {
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
}

/** @param {Plot} plot @param {import('../scene.js').Scene} scene */
function drawMarks(plot, { marks, theme }) {
  const { ctx, bbox } = plot;
  const ratio = UPlot.pxRatio;
  clipToPlot(plot);
  ctx.font = FONT.replace('11px', `${10 * ratio}px`);
  ctx.textBaseline = 'top';
  ctx.textAlign = 'left';
  ctx.lineWidth = ratio;
  const placed = marks
    .map((mark) => ({
      ...mark,
      left: Math.round(plot.valToPos(mark.fromS, 'x', true)),
      right: Math.round(plot.valToPos(mark.toS, 'x', true)),
    }))
    .filter(({ left, right }) => right >= bbox.left && left <= bbox.left + bbox.width)
    .sort((a, b) => a.left - b.left);
  for (const { color: name, left, right } of placed) {
    const color = cssColor(name, theme);
    if (right > left) {
      ctx.fillStyle = withOpacity(color, 0.1);
      ctx.fillRect(left, bbox.top, right - left, bbox.height);
    }
    ctx.strokeStyle = withOpacity(color, 0.8);
    ctx.setLineDash([4 * ratio, 3 * ratio]);
    for (const x of right > left ? [left, right] : [left]) {
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
    }
  }
  for (const line of [0, 1]) {
    labelMarks(
      plot,
      placed.filter((mark) => (mark.line ?? 0) === line),
      theme,
      bbox.top + line * LABEL_HEIGHT * ratio,
    );
  }
  ctx.restore();
}

/**
 * A label that would run into another one or into the next mark is its number, or in the tooltip alone.
 *
 * @param {Plot} plot
 * @param {{title: string, color: string, left: number}[]} marks from left to right
 * @param {import('../colors.js').ThemeName} theme
 * @param {number} top
 */
function labelMarks({ ctx, bbox }, marks, theme, top) {
  const ratio = UPlot.pxRatio;
  let labelled = bbox.left;
  for (const { title, color: name, left } of marks) {
    const next = Math.min(
      bbox.left + bbox.width,
      ...marks.filter((one) => one.left > left).map((one) => one.left),
    );
    const text = [title, NUMBERED.exec(title)?.[1]].find(
      (one) => one !== undefined && ctx.measureText(one).width + LABEL_GAP * ratio <= next - left,
    );
    if (left < labelled || text === undefined) continue;
    const labelWidth = ctx.measureText(text).width;
    const x = left + 3 * ratio;
    labelled = x + labelWidth + LABEL_GAP * ratio;
    ctx.fillStyle = withOpacity(CANVAS[theme].panel, 0.75);
    ctx.fillRect(x - ratio, top, labelWidth + 3 * ratio, LABEL_HEIGHT * ratio);
    ctx.fillStyle = textColor(cssColor(name, theme), theme);
    ctx.fillText(text, x, top + ratio);
  }
}

/** How values are distributed over time: a column a moment, a cell a bucket. */
import { fullText } from '../clock.js';
import { element, setText } from '../element.js';
import { columnsOf, extentOf } from '../histogram-cells.js';
import { turbo } from '../turbo.js';
import { format, logarithmicStart, sparseTickTexts } from '../units.js';
import { chartOptions, clipToPlot, UPlot, valueAxis } from './chart.js';

const COLORS = Array.from({ length: 64 }, (_, index) => turbo(index / 63));
const LEGEND_HEIGHT = 24;

/** @type {import('../scene.js').Mount} */
export function mountHeatmap(body, hooks) {
  const chart = element('div', { class: 'chart' });
  const least = element('span');
  const most = element('span');
  const scaleBar = element('canvas', { width: COLORS.length, height: 1 });
  const context = scaleBar.getContext('2d');
  for (const [index, color] of COLORS.entries()) {
    if (!context) break;
    context.fillStyle = color;
    context.fillRect(index, 0, 1, 1);
  }
  body.replaceChildren(chart, element('div', { class: 'heatmap-legend' }, least, scaleBar, most));

  /** @type {import('uplot') | null} */
  let plot = null;
  /** @type {import('../scene.js').Scene | null} */
  let current = null;
  let built = '';
  /** @type {import('../prometheus-answer.js').Buckets[]} */
  let columns = [];
  /** @type {ReturnType<typeof extentOf>} */
  let extent = null;

  const scene = () => /** @type {import('../scene.js').Scene} */ (current);
  const options = () => scene().panel.options ?? {};
  const hiddenUpTo = () => options().filterValues?.le ?? 0;
  const valueUnit = () => options().yAxis?.unit;
  const cellUnit = () => options().cellValues?.unit;

  /** @param {number} count @returns {number} 0 to 1 */
  const shareOf = (count) =>
    (count / (extent?.most ?? 1)) **
    (options().color?.scale === 'exponential' ? (options().color.exponent ?? 0.5) : 1);

  /** @param {import('uplot')} drawn */
  function paint(drawn) {
    const { ctx, bbox } = drawn;
    const { times, stepS } = scene().data;
    const floor = bbox.top + bbox.height;
    clipToPlot(drawn);
    for (const [index, column] of columns.entries()) {
      const time = times[index] ?? 0;
      if (column.length === 0) continue;
      // A sample is about the time before it.
      const left = Math.round(drawn.valToPos(time - stepS, 'x', true));
      const right = Math.round(drawn.valToPos(time, 'x', true));
      for (const [from, to, count] of column) {
        if (count <= hiddenUpTo()) continue;
        const top = Math.round(drawn.valToPos(to, 'y', true));
        const bottom = from > 0 ? Math.round(drawn.valToPos(from, 'y', true)) : floor;
        ctx.fillStyle = COLORS[Math.min(COLORS.length - 1, Math.floor(shareOf(count) * COLORS.length))] ?? '';
        ctx.fillRect(left, top, Math.max(1, right - left), Math.max(1, bottom - top));
      }
    }
    ctx.restore();
  }

  /** @param {import('uplot')} drawn @param {number} nearest */
  function cellAt(drawn, nearest) {
    const { times, stepS } = scene().data;
    const at = drawn.posToVal(drawn.cursor.left ?? 0, 'x');
    const value = drawn.posToVal(drawn.cursor.top ?? 0, 'y');
    const index = (times[nearest] ?? 0) < at ? nearest + 1 : nearest;
    const column = columns[index] ?? [];
    const [left = 0, right = 0, count = 0] = column.find(([from, to]) => value > from && value <= to) ?? [];
    if (count <= hiddenUpTo()) return null;
    const unit = valueUnit();
    return {
      heading: `${fullText(((times[index] ?? 0) - stepS) * 1000)} + ${stepS} s`,
      rows: [
        {
          color: COLORS[Math.min(COLORS.length - 1, Math.floor(shareOf(count) * COLORS.length))] ?? '',
          name: `${format(left, unit)} to ${format(right, unit)}`,
          value: format(count, cellUnit()),
        },
      ],
    };
  }

  return {
    draw(next) {
      current = { ...next, height: Math.max(60, next.height - LEGEND_HEIGHT) };
      columns = columnsOf(next.data.frames, next.data.times.length);
      extent = extentOf(columns, hiddenUpTo());
      setText(least, format(0, cellUnit()));
      setText(most, format(extent?.most ?? 0, cellUnit()));
      const data = /** @type {import('uplot').AlignedData} */ ([
        next.data.times,
        next.data.times.map(() => null),
      ]);
      const structure = JSON.stringify([next.theme, options()]);
      if (plot && structure === built) {
        if (plot.width !== current.width || plot.height !== current.height) plot.setSize(current);
        plot.setData(data);
        return;
      }
      plot?.destroy();
      built = structure;
      const isLogarithmic = options().yAxis?.scaleDistribution?.type === 'log';
      plot = new UPlot(
        chartOptions({
          scene,
          hooks,
          series: [{ scale: 'y', show: true, stroke: 'transparent', points: { show: false } }],
          scales: {
            y: {
              ...(isLogarithmic && { distr: 3, log: 10 }),
              range: () =>
                isLogarithmic
                  ? [logarithmicStart(extent?.low ?? 0.001), extent?.high ?? 1]
                  : [0, extent?.high ?? 1],
            },
          },
          axes: [
            valueAxis(next.theme, {
              scale: 'y',
              values: (_plot, ticks) => sparseTickTexts(ticks, valueUnit()),
            }),
          ],
          over: paint,
          tooltip: cellAt,
        }),
        data,
        chart,
      );
    },
    destroy() {
      plot?.destroy();
      plot = null;
    },
  };
}

/** Bars that may stand on others, which uPlot's own do not. */
import { UPlot } from './chart.js';

/** Of the distance between two samples. */
const WIDTH = 0.8;

/**
 * @param {() => (number | null)[] | null} bottom values that the bars begin at; null for zero
 * @returns {import('uplot').Series.PathBuilder}
 */
export function bars(bottom) {
  return (plot, seriesIndex, from, to) => {
    const times = plot.data[0];
    const values = /** @type {(number | null)[]} */ (plot.data[seriesIndex] ?? []);
    const scale = plot.series[seriesIndex]?.scale ?? 'y';
    const bottoms = bottom();
    const apart =
      times.length > 1
        ? plot.valToPos(times[1] ?? 0, 'x', true) - plot.valToPos(times[0] ?? 0, 'x', true)
        : 10;
    const width = Math.max(UPlot.pxRatio, Math.min(apart * WIDTH, 40 * UPlot.pxRatio));
    const path = new Path2D();
    const floor = plot.bbox.top + plot.bbox.height;
    for (let index = from; index <= to; index++) {
      const value = values[index];
      if (value === null || value === undefined) continue;
      const x = plot.valToPos(times[index] ?? 0, 'x', true);
      const top = plot.valToPos(value, scale, true);
      const base = Math.min(floor, plot.valToPos(bottoms?.[index] ?? 0, scale, true));
      path.rect(x - width / 2, Math.min(top, base), width, Math.abs(base - top));
    }
    return { stroke: path, fill: path, flags: 1 };
  };
}

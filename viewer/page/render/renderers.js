/** Which panel type is drawn by what. */
import { mountBarGauge } from './bargauge.js';
import { mountGauge } from './gauge.js';
import { mountHeatmap } from './heatmap.js';
import { mountStat } from './stat.js';
import { mountTable } from './table.js';
import { mountTimeSeries } from './timeseries.js';

/** @type {Record<string, import('../scene.js').Mount>} by Grafana's id */
export const RENDERERS = {
  timeseries: mountTimeSeries,
  stat: mountStat,
  gauge: mountGauge,
  bargauge: mountBarGauge,
  table: mountTable,
  heatmap: mountHeatmap,
};

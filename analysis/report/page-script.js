/** The script of a report's page, all of it in one text: the viewer's own renderers, and the chart library. */
import { readFileSync } from 'node:fs';

/** Made of viewer/page/report.js and all that it imports, by `make report-build`. */
const RENDERERS = new URL('page-script.bundle.js', import.meta.url);
/** The renderers expect it to be there before them, as on the viewer's page. */
const CHART_LIBRARY = new URL('../../node_modules/uplot/dist/uPlot.iife.min.js', import.meta.url);

/** @returns {string} the same for the same sources */
export function pageScript() {
  return [CHART_LIBRARY, RENDERERS].map((file) => readFileSync(file, 'utf8')).join('\n');
}

/**
 * What the page of a report gets to draw.
 *
 * @typedef {object} ReportData
 * @property {number} startS Unix time of the first point
 * @property {number} stepS
 * @property {number} count of points
 * @property {Record<string, (number | null)[]>} series by name, one value a point
 * @property {import('./annotations.js').Mark[]} phases marked in every chart
 * @property {ChartData[]} charts
 *
 * @typedef {object} ChartData
 * @property {string} id of the element that it is drawn in
 * @property {any} panel a panel's JSON, of the type timeseries
 * @property {{series: string, name: string}[]} lines
 * @property {import('./annotations.js').Mark[]} marks of this chart alone
 */

export {};

/** Where the charts of a report are drawn: their titles, what they show, and room for each. */
import { duration } from '../units.js';
import { html } from './html.js';

/**
 * @param {import('./chart-list.js').ChartList | null} list null: there is no timeline
 * @param {import('../run.js').Run} run
 * @param {number} windowS what a point of a chart looks back over
 */
export function chartsSection(list, run, windowS) {
  if (list === null) {
    return html`<section id="charts">
<h2>Over time</h2>
<p class="quiet">There are no charts: this run has no timeline.json, which is made from what Prometheus kept when the run was judged.</p>
</section>`;
  }
  const phases = run.phases.filter(({ start, end }) => start !== null && end !== null);
  return html`<section id="charts">
<h2>Over time</h2>
<div class="charts-head">
<p class="quiet small">All charts have the same time axis (UTC), with the phases shaded; times that a finding names are marked with its number. A point looks back over ${duration(windowS)}. <span class="on-screen">Point at one to read it at a moment, and see that moment in all. Drag for a closer look, double-click for the whole run.</span></p>
<label class="on-screen" data-scripted hidden>Show <select id="zoom"><option value="">the whole run</option>${phases.map(
    ({ name }, index) => html`<option value="${index}">${name}</option>`,
  )}</select></label>
</div>
<p data-unscripted>The charts are drawn by a script of this page, which did not run.</p>
${list.groups.map(
  ({ title, charts }) => html`<h3>${title}</h3>
<div class="charts">
${charts.map(chartCard)}</div>
`,
)}${
  list.quiet.length > 0 &&
  html`<p class="quiet small">Zero throughout, and so not drawn: ${list.quiet.map(
    ({ id, title }, index) => html`${index > 0 && ', '}<span class="anchor" id="${id}">${title}</span>`,
  )}.</p>
`
}</section>`;
}

/** @param {import('./chart-list.js').Chart} chart */
function chartCard({ id, anchors, topic, title, description }) {
  return html`<figure class="card chart-card" id="${id}">${anchors.map((anchor) => html`<span class="anchor" id="${anchor}"></span>`)}
${
  topic !== '' &&
  html`<span class="topic">${topic}</span>
`
}<h4>${title}</h4>
<p>${description}</p>
<div class="plot"></div>
</figure>
`;
}

/**
 * @param {import('./chart-list.js').ChartList | null} list
 * @returns {Set<string>} ids that a series of the timeline leads to
 */
export function placesOf(list) {
  if (list === null) return new Set();
  const charts = list.groups.flatMap((group) => group.charts.flatMap(({ id, anchors }) => [id, ...anchors]));
  return new Set([...charts, ...list.quiet.map(({ id }) => id)]);
}

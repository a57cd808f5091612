/** report.html: everything that is known of one run, from its document and its timeline alone. */
import { chartsOf, phaseMarks } from './chart-list.js';
import { chartsSection, placesOf } from './charts-section.js';
import { environmentSection } from './environment-section.js';
import { findingsSection } from './findings-section.js';
import { html } from './html.js';
import { htmlPage } from './page.js';
import { pageScript } from './page-script.ts';
import {
  failuresSection,
  operationsSection,
  ownSection,
  phasesSection,
  signalsSection,
  thresholdsSection,
} from './table-sections.js';
import { verdictSection } from './verdict-section.js';

/** @typedef {import('../run.js').Run} Run */
/** @typedef {import('../timeline.js').Timeline} Timeline */

/**
 * @param {Run} run
 * @param {Timeline | null} timeline null: a report without charts
 * @returns {string} one HTML file that needs nothing else; the same for the same input
 * @throws {Error} where its script can't be made
 */
export function renderReport(run, timeline) {
  const list = timeline && chartsOf(run, timeline);
  /** @type {[id: string, name: string, part: import('./html.js').Part][]} */
  const sections = [
    ['verdict', 'Verdict', verdictSection(run)],
    ['findings', 'Findings', run.phases.length > 0 && findingsSection(run, placesOf(list))],
    ['phases', 'Phases', phasesSection(run)],
    ['charts', 'Charts', run.phases.length > 0 && chartsSection(list, run, timeline?.window_s ?? 0)],
    ['signals', 'Signals', signalsSection(run)],
    ['operations', 'Operations', operationsSection(run)],
    ['failures', 'Failures', failuresSection(run)],
    ['thresholds', 'Thresholds', run.phases.length > 0 && thresholdsSection(run)],
    ['tables', 'Tables', ownSection(run)],
    ['environment', 'Environment', environmentSection(run)],
  ];
  const shown = sections.filter(([, , part]) => part);
  const body = html`<header class="bar"><div class="bar-line">
<nav aria-label="Sections">${shown.map(([id, name]) => html`<a href="#${id}">${name}</a>`)}</nav>
<button type="button" class="button" id="theme" data-scripted hidden>Light or dark</button>
</div></header>
<main>
${shown.map(([, , part]) => html`${part}\n`)}</main>
<footer class="foot"><p>mcp-load-lab · ${run.testid}</p></footer>`;
  return htmlPage({
    title: `${run.verdict.outcome}: ${run.title ?? run.test ?? run.testid}`,
    body,
    script: pageScript(),
    data: list && timeline && pageData(run, timeline, list),
  });
}

/**
 * @param {Run} run
 * @param {Timeline} timeline
 * @param {import('./chart-list.js').ChartList} list
 * @returns {import('../../viewer/page/report-data.js').ReportData}
 */
function pageData(run, { start_s, step_s, count }, { groups, series }) {
  return {
    startS: start_s,
    stepS: step_s,
    count,
    phases: phaseMarks(run),
    charts: groups.flatMap(({ charts }) =>
      charts.map(({ id, panel, lines, marks }) => ({ id, panel, lines, marks })),
    ),
    series,
  };
}

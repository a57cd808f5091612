/** What was found, each with what it was read from. */
import { momentText, numbered, seriesName } from '../render/observations.js';
import { inUnit } from '../units.js';
import { chartId } from './chart-list.js';
import { html } from './html.js';
import { tableOf } from './table.js';

/** @typedef {import('../run.js').Run} Run */
/** @typedef {import('../findings.js').Finding} Finding */

/** Findings and lines of evidence beyond these are in run.json. */
const MAX_FINDINGS = 200;
const MAX_LINES = 40;

/** @type {Record<Finding['confidence'], string>} */
const CONFIDENCE = {
  high: 'high confidence',
  medium: 'medium confidence',
  low: 'low confidence',
  not_enough_to_tell: 'not enough to tell',
};

/**
 * @param {Run} run
 * @param {ReadonlySet<string>} places ids of the page that a series may be linked to
 */
export function findingsSection(run, places) {
  const found = numbered(run.findings);
  const notes = run.findings.filter(({ kind }) => kind === 'note');
  const left = Math.max(0, found.length - MAX_FINDINGS) + Math.max(0, notes.length - MAX_FINDINGS);
  return html`<section id="findings">
<h2>Findings</h2>
${
  found.length > 0
    ? html`<ol class="findings">
${found.slice(0, MAX_FINDINGS).map(({ number, finding }) => findingCard(number, finding, run, places))}</ol>
`
    : html`<p class="quiet">Nothing was found that limits, leaks, or did not recover.</p>
`
}${
  notes.length > 0 &&
  html`<div class="card notes"><h3>Notes</h3>
<ul>
${notes
  .slice(0, MAX_FINDINGS)
  .map(
    ({ statement, evidence, observations = [] }) =>
      html`<li class="note">${statement}${listOf(evidence)}${observationTable(observations, run, null, places)}</li>\n`,
  )}</ul></div>
`
}${left > 0 && html`<p class="quiet small">${left} more in run.json.</p>\n`}</section>`;
}

/** @param {string[]} lines */
function listOf(lines) {
  if (lines.length === 0) return null;
  const rest = lines.length - MAX_LINES;
  return html`<ul>
${lines.slice(0, MAX_LINES).map((line) => html`<li>${line}</li>\n`)}${rest > 0 && html`<li>${rest} more in run.json</li>\n`}</ul>`;
}

/**
 * @param {number} number
 * @param {Finding} finding
 * @param {Run} run
 * @param {ReadonlySet<string>} places
 */
function findingCard(
  number,
  { kind, subject, phase, confidence, statement, evidence, observations = [] },
  run,
  places,
) {
  return html`<li class="finding card" id="finding-${number}" data-kind="${kind}">
<p class="finding-head"><span class="finding-number">${number}</span><span class="badge">${kind}</span><span>${[
    subject,
    phase && `in ${phase}`,
    CONFIDENCE[confidence],
  ]
    .filter(Boolean)
    .join(' · ')}</span></p>
<h3>${statement}</h3>
${listOf(evidence)}${observationTable(observations, run, phase, places)}</li>
`;
}

/**
 * @param {import('../findings.js').Observation[]} observations
 * @param {Run} run
 * @param {string | null} phase
 * @param {ReadonlySet<string>} places
 */
function observationTable(observations, run, phase, places) {
  if (observations.length === 0) return null;
  return tableOf({
    head: ['series', 'from', 'to', 'threshold', 'when'],
    rows: observations.map(({ series, unit, from, to, threshold, at }) => [
      places.has(chartId(series))
        ? html`<a href="#${chartId(series)}">${seriesName(series)}</a>`
        : seriesName(series),
      inUnit(unit, from),
      inUnit(unit, to),
      inUnit(unit, threshold),
      at === null ? '-' : html`<time datetime="${at}">${momentText(at, run, phase)}</time>`,
    ]),
  });
}

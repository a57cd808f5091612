/** The parts of a report that are tables. */
import { clock } from '../render/observations.js';
import {
  byOutcome,
  operationTable,
  ownTables,
  phaseTable,
  signalTable,
  thresholdTable,
} from '../render/tables.js';
import { duration, milliseconds, number } from '../units.js';
import { html } from './html.js';
import { tableOf } from './table.js';

/** @typedef {import('../run.js').Run} Run */

/** Columns of phases beside one another that a page, or paper, has room for. */
const MAX_COLUMNS = 8;

/** @param {Run} run @returns {import('./html.js').Html | null} null: none took place */
export function phasesSection(run) {
  const { head, rows } = phaseTable(run);
  if (rows.length === 0) return null;
  const [name = '', ...others] = head;
  const { sessions } = run;
  return html`<section id="phases">
<h2>Phases</h2>
<div class="card">${tableOf({
    head: [name, 'start', ...others],
    rows: rows.map((row, index) => {
      const [, ...cells] = row;
      const phase = run.phases[index];
      return [phase && phaseName(phase), phase?.start ? clock(phase.start) : '-', ...cells];
    }),
  })}</div>
<p class="quiet small">Times are UTC.${
    sessions &&
    ` ${number(sessions.count)} sessions were opened (p50 ${milliseconds(sessions.duration_ms.p50)}, p99 ${milliseconds(sessions.duration_ms.p99)})${
      sessions.expired > 0
        ? `; ${number(sessions.expired)} had been ended by the server when they were used`
        : ''
    }.`
  }</p>
</section>`;
}

/** @param {import('../phases.js').Phase} phase */
function phaseName({ name, measured, overload, completed, start, labels }) {
  const remarks = [
    ...Object.entries(labels).map(([label, value]) => `${label} ${value}`),
    ...(measured ? [] : ['not measured']),
    ...(overload ? ['overload'] : []),
    ...(completed ? [] : [start === null ? 'did not start' : 'ended early']),
  ];
  return html`${name}${remarks.length > 0 && html` <span class="quiet">${remarks.join(', ')}</span>`}`;
}

/** @param {Run} run */
export function operationsSection(run) {
  const table = operationTable(run);
  if (table.rows.length === 0) return null;
  return html`<section id="operations">
<h2>Operations</h2>
<div class="card">${tableOf(table)}</div>
</section>`;
}

/** @param {Run} run each kind with its first, its last, and one of them in words */
export function failuresSection({ failures, phases }) {
  const wasMeasured = phases.some(({ requests }) => requests !== null);
  if (failures.length === 0 && !wasMeasured) return null;
  /** @param {string | null} iso @param {number | null} s @param {string | null} [phase] */
  const moment = (iso, s, phase) =>
    iso === null
      ? '-'
      : html`${clock(iso)} <span class="quiet">${[
          s === null ? '' : `${duration(s)} into the run`,
          phase ? `in ${phase}` : '',
        ]
          .filter((part) => part !== '')
          .join(', ')}</span>`;
  return html`<section id="failures">
<h2>Failures by kind</h2>
${
  failures.length === 0
    ? html`<p class="quiet">No request failed.</p>`
    : html`<div class="card">${tableOf({
        head: ['kind', 'count', 'first', 'last', 'sample'],
        rows: failures.map(({ kind, count, first, last, first_s, last_s, first_phase, sample }) => [
          kind,
          number(count),
          moment(first, first_s, first_phase),
          moment(last, last_s),
          sample === null ? '-' : html`<code>${sample}</code>`,
        ]),
      })}</div>`
}
</section>`;
}

/** @type {Record<string, string>} */
const OUTCOME_CLASS = { FAIL: 'is-fail', INVALID: 'is-invalid', pass: 'is-pass' };

/** @param {Run} run */
export function thresholdsSection(run) {
  const { head, rows } = thresholdTable(run);
  const reasons = byOutcome(run.thresholds).map(({ reason }) => reason);
  const isAnySaid = reasons.some((reason) => reason !== null);
  return html`<section id="thresholds">
<h2>Thresholds</h2>
${run.objectives_off && html`<p>Objectives are off: measured, not judged.</p>\n`}${
  rows.length > 0
    ? html`<div class="card">${tableOf({
        head: isAnySaid ? [...head, 'why'] : head,
        rows: isAnySaid ? rows.map((row, index) => [...row, reasons[index] ?? '']) : rows,
        classOf: (cell, column) => (column === 'outcome' ? (OUTCOME_CLASS[String(cell)] ?? '') : ''),
      })}</div>`
    : !run.objectives_off && html`<p class="quiet">There were none.</p>`
}
</section>`;
}

/** @param {Run} run @returns {import('./html.js').Html | null} the test's own, in the form of the document that they are from */
export function ownSection(run) {
  const tables = ownTables(run).filter(({ rows }) => rows.length > 0);
  if (tables.length === 0) return null;
  return html`<section id="tables">
<h2>The test's own tables</h2>
${tables.map(
  (table) => html`<h3>${table.title}</h3>
<div class="card">${tableOf(table)}</div>
${table.notes.map((note) => html`<p class="quiet small">${note}</p>\n`)}`,
)}</section>`;
}

/** @param {Run} run @returns {import('./html.js').Html | null} the mean of each signal in each phase */
export function signalsSection(run) {
  const { head, rows, quiet } = signalTable(run);
  if (rows.length === 0 && quiet.length === 0) return null;
  const [name = '', ...phases] = head;
  const parts = Math.max(1, Math.ceil(phases.length / MAX_COLUMNS));
  const width = Math.ceil(phases.length / parts);
  return html`<section id="signals">
<h2>Signals by phase, mean</h2>
${
  rows.length > 0 &&
  Array.from({ length: parts }, (_, part) => {
    /** @param {string[]} cells */
    const some = ([first = '', ...cells]) => [first, ...cells.slice(part * width, (part + 1) * width)];
    return html`<div class="card">${tableOf({ head: some([name, ...phases]), rows: rows.map(some) })}</div>\n`;
  })
}${quiet.length > 0 && html`<p class="quiet small">Zero throughout: ${quiet.join(', ')}.</p>\n`}</section>`;
}

import { html } from '../report/html.js';
import { htmlPage } from '../report/page.js';
import { tableOf } from '../report/table.js';
import { bytes, counted } from '../units.js';
import { dotStrip } from './dot-strip.js';
import { byOutcome, metricTable, ruleOf, runTable } from './tables.js';
import { nameOf, valueIn } from './words.js';

const OUTCOME_CLASS = /** @type {Record<string, string>} */ ({ worse: 'is-fail', better: 'is-pass' });

/**
 * @param {import('./comparison.js').Comparison} comparison
 * @returns {string} comparison.html: one file that needs nothing else, without a script
 */
export function renderHtml(comparison) {
  const { conditions, base, head, notes, verdict } = comparison;
  const what = conditions ? `${conditions.test}, profile ${conditions.profile}` : 'comparison';
  const { head: names, rows } = metricTable(comparison);
  const sorted = byOutcome(comparison);
  const drawn = rows.map((row, index) => {
    const metric = /** @type {import('./comparison.js').Row} */ (sorted[index]);
    return [row[0], strip(metric), ...row.slice(1)];
  });
  const runs = runTable(comparison);
  const body = html`<main>
<section class="card verdict" data-outcome="${verdict.outcome}">
<div class="verdict-line"><span class="outcome">${verdict.outcome}</span><h1>${head.given} against ${base.given}</h1></div>
<ul class="reasons">${verdict.reasons.map((reason) => html`<li>${reason}</li>`)}</ul>
<p class="about">${what}; ${counted(base.runs.length, 'run')} of base, ${counted(head.runs.length, 'run')} of head</p>
</section>
${
  rows.length > 0 &&
  html`<section><h2>Metrics</h2>
<p class="quiet small">Dots: one a run, base above and head below, from the lowest to the highest; lines: medians.</p>
<div class="card">${tableOf({
    head: ['metric', 'runs', ...names.slice(1)],
    rows: drawn,
    classOf: (cell, column) => (column === 'outcome' ? (OUTCOME_CLASS[String(cell)] ?? '') : ''),
  })}</div>
<p class="quiet small notes">${ruleOf(comparison)}</p></section>
`
}${
  notes.length > 0 &&
  html`<section><h2>Notes</h2><ul>${notes.map((note) => html`<li>${note}</li>`)}</ul></section>
`
}<section><h2>Runs</h2>
<div class="card">${tableOf(runs)}</div>
${factsOf('base', base)}${factsOf('head', head)}</section>
</main>`;
  return htmlPage({ title: `${verdict.outcome}: ${head.given} against ${base.given}`, body });
}

/** @param {import('./comparison.js').Row} row */
function strip(row) {
  const values = (/** @type {(number | null)[]} */ all) =>
    all.map((value) => valueIn(row.unit, value)).join(', ');
  return dotStrip({
    base: row.base_values,
    head: row.head_values,
    baseMedian: row.base,
    headMedian: row.head,
    label: `${nameOf(row)}: base ${values(row.base_values)}; head ${values(row.head_values)}`,
  });
}

/** @param {string} name @param {import('./comparison.js').Side} side */
function factsOf(name, { machine, target }) {
  if (!machine) return null;
  const knobs = Object.entries(target?.knobs ?? {}).map(([knob, value]) => `${knob}=${value}`);
  return html`<h3>${name}</h3>
<dl class="facts">
<dt>machine</dt><dd>${[machine.os, machine.cpu, counted(machine.cores, 'core'), bytes(machine.memory_bytes)].filter(Boolean).join(', ')}</dd>
<dt>versions</dt><dd>k6 ${machine.k6 ?? 'unknown'}, node ${machine.node ?? 'unknown'}</dd>
<dt>target</dt><dd>${[target?.server, target?.era, ...knobs].filter(Boolean).join(' ')}</dd>
</dl>
`;
}

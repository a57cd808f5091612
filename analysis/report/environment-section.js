/** What ran, against what, from where, and how its figures were made. */
import { factsOf, howMeasured } from '../render/facts.js';
import { html } from './html.js';

/** @param {import('../run.js').Run} run */
export function environmentSection(run) {
  return html`<section id="environment">
<h2>Environment</h2>
<dl class="facts card">
${factsOf(run).map(([name, value]) => html`<dt>${name}</dt><dd>${name === 'knobs' ? html`<code>${value}</code>` : value}</dd>\n`)}${
  run.phases.length > 0 && html`<dt>figures</dt><dd>${howMeasured().join(' ')}</dd>\n`
}</dl>
</section>`;
}

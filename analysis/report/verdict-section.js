/** The top of a report: how it came out and why, what ran, and its first figures. */
import { lengthText } from '../partial.js';
import { duration, milliseconds, number, percent } from '../units.js';
import { html } from './html.js';

/** @typedef {import('../run.js').Run} Run */

/** Reasons beyond these are in run.json. */
const MAX_REASONS = 50;

/** @param {Run} run */
export function verdictSection(run) {
  const { verdict, testid, test, title, profile, partial, target, started } = run;
  const shown = verdict.reasons.slice(0, MAX_REASONS);
  const rest = verdict.reasons.length - shown.length;
  const server = [target?.server?.name, target?.server?.version].filter(Boolean).join(' ');
  return html`<section class="verdict card" id="verdict" data-outcome="${verdict.outcome}">
<div class="verdict-line"><p class="outcome">${verdict.outcome}</p><h1>${title ?? test ?? testid}</h1></div>
<ul class="reasons">
${shown.map((reason) => html`<li>${reason}</li>\n`)}${rest > 0 && html`<li>${number(rest)} more in run.json</li>\n`}</ul>
<p class="about">${[
    test && `${test}, profile ${profile}`,
    target?.url,
    server,
    started && `${started.slice(0, 19).replace('T', ' ')} UTC`,
    partial && lengthText(run),
    `exit code ${verdict.exit_code}`,
  ]
    .filter(Boolean)
    .join(' · ')}</p>
</section>
${tiles(run)}`;
}

/** @param {Run} run what is known of the measured phases together: counts, and no percentile */
function tiles({ phases, duration_s, partial }) {
  const measured = phases.filter(({ measured, requests }) => measured && requests !== null);
  if (measured.length === 0) return null;
  /** @param {'requests' | 'failed' | 'dropped' | 'iterations'} figure */
  const sum = (figure) => measured.reduce((all, phase) => all + (phase[figure] ?? 0), 0);
  const slowest = measured.reduce((worst, phase) =>
    (phase.latency_ms?.p99 ?? 0) > (worst.latency_ms?.p99 ?? 0) ? phase : worst,
  );
  const [requests, failed, dropped, iterations] = [
    sum('requests'),
    sum('failed'),
    sum('dropped'),
    sum('iterations'),
  ];
  /** @type {[name: string, value: string, more: string][]} */
  const figures = [
    [
      'length',
      duration(duration_s),
      partial
        ? `partial${partial.planned_s === null ? '' : `, of ${duration(partial.planned_s)}`}`
        : `${number(measured.length)} measured ${measured.length === 1 ? 'phase' : 'phases'}`,
    ],
    ['requests', number(requests), `${number(iterations)} iterations`],
    ['failed', number(failed), requests > 0 ? `${percent(failed / requests)} of requests` : ''],
    [
      'dropped',
      number(dropped),
      dropped + iterations > 0 ? `${percent(dropped / (dropped + iterations))} of iterations` : '',
    ],
    ['highest p99', milliseconds(slowest.latency_ms?.p99), slowest.latency_ms ? `in ${slowest.name}` : ''],
  ];
  return html`<dl class="tiles">
${figures.map(
  ([name, value, more]) =>
    html`<div class="tile card"><dt>${name}</dt><dd>${value}<small>${more}</small></dd></div>\n`,
)}</dl>`;
}

/** Renders the parts of a page as HTML, in order, starting with the answer. */
import { clock } from '../contract/units.js';
import { type Html, html, type Part } from './html.ts';
import type { Chart, Figure, Finding, Page, Plots, Section } from './model.ts';
import { tableOf } from './table.ts';

/** Further entries are only in run.json. */
const MAX_REASONS = 50;
const MAX_FINDINGS = 200;
const MAX_EVIDENCE = 40;

/** @returns the markup of each part by its ID; '' if a part is empty */
export function partsOf(page: Page): [id: string, part: Html | ''][] {
  const chartById = new Map(page.plots?.charts.map((chart) => [chart.id, chart]));
  return [
    ['answer', answer(page)],
    ['figures', figures(page.figures)],
    ['strip', strip(page)],
    ['findings', page.findings === null ? '' : findings(page, page.findings, chartById)],
    ...page.sections.map((one): [string, Html] => [one.id, section(one, chartById)]),
  ];
}

/** @returns the content of the page's body, with each part in an element of its own */
export const bodyOf = (page: Page) =>
  html`<main data-outcome="${page.outcome}">
${partsOf(page).map(([id, part]) => html`<div class="part" data-part="${id}">${part}</div>\n`)}</main>`;

function listOf(items: readonly string[], max: number): Html | false {
  if (items.length === 0) return false;
  const rest = items.length - max;
  return html`<ul>${items.slice(0, max).map((item) => html`<li>${item}</li>`)}${rest > 0 && html`<li>${rest} more in run.json</li>`}</ul>`;
}

function answer({ outcome, headline, title, reasons, about }: Page) {
  const [, first = '', rest = ''] = /^([A-Z]+)(.*)$/s.exec(headline) ?? ['', '', headline];
  const others = reasons.filter((reason) => !headline.includes(reason));
  return html`<header id="answer" class="answer">
<p class="quiet">${title}</p>
<h1><span class="outcome">${first}</span>${rest}</h1>
${outcome === 'invalid' && html`<p class="warning">Do not use the figures below.</p>`}
${listOf(others, MAX_REASONS)}
<p class="quiet about">${about.join(' · ')}</p>
</header>
`;
}

const figures = (all: readonly Figure[]): Html | '' =>
  all.length === 0
    ? ''
    : html`<dl class="figures">${all.map(
        ({ name, value, next, tone }) =>
          html`<div${tone && html` class="is-${tone}"`}><dt>${name}</dt><dd><b>${value}</b> <span class="quiet">${next}</span></dd></div>`,
      )}</dl>
`;

function strip({ plots, noPlots }: Page): Html | '' {
  if (!plots) return noPlots === undefined ? '' : html`<p class="quiet">${noPlots}</p>`;
  return html`<section id="strip" aria-label="Over time">
<div class="strip-head"><h2>Over time</h2>
<label data-scripted hidden>Show <select id="zoom"><option value="">the whole run</option>${phaseOptions(plots)}</select></label></div>
<p data-unscripted>The charts need JavaScript, which did not run.</p>
<p class="phases quiet">${plots.phases.map(({ name, fromS }, index) => [index > 0 && ' · ', html`<span>${clock(fromS)} ${name}</span>`])}</p>
<div class="lanes" tabindex="0" role="group" aria-label="Charts: move the crosshair with the arrow keys">${plots.strip.map(figure)}</div>
<p class="quiet on-screen">Time since the run's start. Point at a moment to read it, drag for a closer look, double-click for the whole run.${
    plots.marks.length > 0 && ' Numbers: findings.'
  }</p>
</section>
`;
}

const phaseOptions = ({ phases }: Plots) =>
  phases.map(({ name }, index) => html`<option value="${index}">${name}</option>`);

const figure = ({ id, title, about }: Chart) => html`<figure id="${id}">
<figcaption><b>${title}</b>${about && html` <span class="quiet">${about}</span>`}</figcaption>
<div class="plot" data-chart="${id}"></div>
</figure>
`;

type Charts = ReadonlyMap<string, Chart>;

const drawn = (ids: readonly (string | undefined)[], charts: Charts): Part =>
  ids.map((id) => {
    const chart = id === undefined ? undefined : charts.get(id);
    return chart && figure(chart);
  });

/** Shown if a valid run has no findings. */
const nothingFound = html`<p class="quiet">No bottlenecks, leaks or missing recoveries were found.</p>`;
const notReliable = html`<p class="warning">The findings of an invalid run cannot be relied on: remove the cause above and run again.</p>`;

function findings({ outcome }: Page, all: readonly Finding[], charts: Charts) {
  const found = all.filter(({ number }) => number !== null);
  const notes = all.filter(({ number }) => number === null);
  const left = Math.max(0, found.length - MAX_FINDINGS) + Math.max(0, notes.length - MAX_FINDINGS);
  const content = ({
    statement,
    evidence,
    observations,
    chart,
    remedy,
  }: Finding) => html`<h3>${statement}</h3>
${listOf(evidence, MAX_EVIDENCE)}${observations && tableOf(observations)}${drawn([chart], charts)}${
  remedy !== undefined && html`<p class="remedy"><b>${remedy}</b></p>`
}`;
  return html`<section id="findings">
<h2>Findings</h2>
${outcome === 'invalid' ? notReliable : found.length === 0 && nothingFound}
${found.slice(0, MAX_FINDINGS).map(
  (one) => html`<article class="card" id="finding-${one.number}">
<p class="quiet"><b class="number">${one.number}</b> ${[one.kind, one.about].filter(Boolean).join(' · ')}</p>
${content(one)}</article>
`,
)}${
  notes.length > 0 &&
  html`<details><summary>Notes (${notes.length})</summary>${notes
    .slice(0, MAX_FINDINGS)
    .map((one) => html`<article class="card">${content(one)}</article>`)}</details>`
}
${left > 0 && html`<p class="quiet">${left} more in run.json.</p>`}</section>
`;
}

function section(
  { id, title, isFolded, texts = [], tables = [], facts = [], charts = [] }: Section,
  all: Charts,
) {
  const content = html`${tables.map(tableOf)}${texts.map((text) => html`<p class="quiet">${text}</p>`)}${
    facts.length > 0 &&
    html`<dl class="facts">${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`
  }${charts.length > 0 && html`<div class="charts">${drawn(charts, all)}</div>`}`;
  return isFolded
    ? html`<details id="${id}"><summary>${title}</summary>${content}</details>\n`
    : html`<section id="${id}"><h2>${title}</h2>${content}</section>\n`;
}

/**
 * One HTML file that needs nothing else: style and script are in it, and its content policy lets it load nothing. Light or
 * dark as the reader's system is.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Html, html } from './html.js';

/** @param {string} path from this file @returns {string} */
const read = (path) => readFileSync(new URL(path, import.meta.url), 'utf8');

/** Of the page, of charts, and of what may be drawn on both. */
const STYLES = [
  '../../viewer/page/base.css',
  '../../node_modules/uplot/dist/uPlot.min.css',
  '../../viewer/page/chart.css',
  'page.css',
];

const ICON = `data:image/svg+xml;base64,${Buffer.from(read('../../viewer/page/icon.svg')).toString('base64')}`;

/**
 * @param {object} page
 * @param {string} page.title of the window
 * @param {Html} page.body
 * @param {string} [page.script] runs when the body is there; without it the policy lets none run
 * @param {unknown} [page.data] for the script: the JSON of the element `#data`
 * @returns {string} the file, the same for the same input
 */
export function htmlPage({ title, body, script, data }) {
  const style = STYLES.map(read).join('\n');
  const policy = [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    ...(script === undefined ? [] : [`script-src ${hashOf(script)}`, "require-trusted-types-for 'script'"]),
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<link rel="icon" href="${ICON}">
<style>${new Html(style)}</style>
</head>
<body>
${body}
${data !== undefined && html`<script type="application/json" id="data">${embedded(data)}</script>\n`}${
  script !== undefined && html`<script>${new Html(script)}</script>\n`
}</body>
</html>
`.toString();
}

/** @param {string} text @returns {string} what a content policy names it by */
const hashOf = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** @param {unknown} data @returns {Html} no text in it ends the element that it stands in, or begins a comment */
export const embedded = (data) => new Html(JSON.stringify(data).replaceAll('<', '\\u003c'));

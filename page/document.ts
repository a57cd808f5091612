/**
 * Renders a page as a single HTML file: style and script are embedded, and its content security policy does
 * not allow it to load anything. The colour scheme follows the reader's system.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSync, stop } from 'esbuild';
import { bodyOf } from './body.ts';
import { Html, html } from './html.ts';
import type { Page } from './model.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

/**
 * @param page null: the script requests the page from its server
 * @throws {Error} if the script cannot be built
 */
export function documentOf(page: Page | null): string {
  const style = [read('../node_modules/uplot/dist/uPlot.min.css'), read('page.css')].join('\n');
  const script = bundle();
  const policy = [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    `script-src ${hashOf(script)}`,
    'trusted-types page',
    "require-trusted-types-for 'script'",
    'img-src data:',
    `connect-src ${page ? "'none'" : "'self'"}`,
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
<title>${page?.headline ?? 'mcp-load-lab'}</title>
<link rel="icon" href="${ICON}">
<style>${new Html(style)}</style>
</head>
<body>
<p class="bar"><span id="connection" role="status"></span><button type="button" id="theme" data-scripted hidden>Light or dark</button></p>
${page ? bodyOf(page) : html`<main></main>`}
${page && html`<script type="application/json" id="data">${embedded({ plots: page.plots })}</script>\n`}<script>${new Html(script)}</script>
</body>
</html>
`.toString();
}

const ICON = `data:image/svg+xml;base64,${Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="M1 13h4l2-9 3 7 2-3h3" fill="none" stroke="#0072b2" stroke-width="2"/></svg>',
).toString('base64')}`;

/** @returns the hash of a text for a content security policy */
const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** @returns JSON that is safe within a script element: it cannot close the element or begin a comment */
export const embedded = (data: unknown) => new Html(JSON.stringify(data).replaceAll('<', '\\u003c'));

let made: string | undefined;

/** @throws {Error} if the script cannot be embedded. The same sources always result in the same text. */
function bundle(): string {
  if (made !== undefined) return made;
  const { outputFiles } = buildSync({
    entryPoints: [fileURLToPath(new URL('browser/main.ts', import.meta.url))],
    absWorkingDir: fileURLToPath(new URL('..', import.meta.url)),
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    charset: 'utf8',
    target: 'es2022',
    legalComments: 'none',
    // An image does not contain the tsconfig files that esbuild would look for.
    tsconfigRaw: '{}',
  });
  // Otherwise, esbuild's process would keep running.
  void stop();
  const text = outputFiles.map((file) => file.text).join('\n');
  if (/<\/script|<!--/i.test(text))
    throw new Error('the script cannot be embedded in a page: it contains </script or <!--');
  made = text;
  return made;
}

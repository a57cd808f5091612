/**
 * Renders what a run printed on the terminal as docs/images/report.png.
 *
 *   ./scripts/run spike | tee /dev/stderr | node docs/images/make-report-picture.js 'make spike'
 *
 * The text comes from standard input, with or without ANSI colours; the argument is the command to show above it.
 * CHROMIUM is the browser's path (default /usr/bin/chromium).
 */
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { AnsiUp } from 'ansi_up';
import { chromium } from 'playwright-core';

const PICTURE = fileURLToPath(new URL('report.png', import.meta.url));

const STYLE = `
  body { margin: 0; }
  #terminal {
    display: inline-block; padding: 18px 24px 22px; background: #16191d; color: #d5d9de;
    font: 14px/1.25 'DejaVu Sans Mono', 'Liberation Mono', monospace; font-variant-ligatures: none;
  }
  pre { margin: 0; font: inherit; }
  .prompt { color: #7f8792; }
  .command { color: #fff; font-weight: bold; }
  .ansi-bright-black-fg { color: #7f8792; } .ansi-black-fg { color: #4b525b; }
  .ansi-red-fg, .ansi-bright-red-fg { color: #ff6b6b; } .ansi-green-fg, .ansi-bright-green-fg { color: #6bd968; }
  .ansi-yellow-fg, .ansi-bright-yellow-fg { color: #f2c14e; } .ansi-blue-fg, .ansi-bright-blue-fg { color: #6cb2ff; }
  .ansi-magenta-fg, .ansi-bright-magenta-fg { color: #d79bff; } .ansi-cyan-fg, .ansi-bright-cyan-fg { color: #5fd7d7; }
  .ansi-white-fg, .ansi-bright-white-fg { color: #fff; }
`;

/**
 * @param {string} command
 * @param {string} output with ANSI colours or without
 * @returns {string} a page with the element #terminal
 */
function page(command, output) {
  const ansi = new AnsiUp();
  ansi.use_classes = true;
  // Escapes HTML as well as turning colours into it.
  const html = ansi.ansi_to_html(`${command}\n`);
  const body = ansi.ansi_to_html(output.trimEnd());
  return `<!doctype html><meta charset="utf-8"><style>${STYLE}</style><div id="terminal"><pre><span class="prompt">$ </span><span class="command">${html}</span>${body}</pre></div>`;
}

const [command = 'make spike', ...rest] = process.argv.slice(2);
const output = process.stdin.isTTY ? '' : await text(process.stdin);
if (rest.length > 0 || output.trim() === '') {
  process.stderr.write(
    "make-report-picture: give it a run's output on standard input, and at most the command as one argument\n",
  );
  process.exit(2);
}
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
try {
  const tab = await browser.newPage({ deviceScaleFactor: 2, viewport: { width: 1600, height: 900 } });
  await tab.setContent(page(command, output));
  await tab.locator('#terminal').screenshot({ path: PICTURE });
} finally {
  await browser.close();
}
process.stdout.write(`${PICTURE}\n`);

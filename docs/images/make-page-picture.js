/**
 * Makes a picture of a report, as a browser shows its file.
 *
 *   node docs/images/make-page-picture.js --page docs/reports/pool-limited-spike/report.html --output docs/images/spike.png
 *     --theme light           (default: dark)
 *     --width 1920            (default: 1280)
 *     --height 900            (default: the whole page)
 */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openBrowser } from '../../tests/browser/browser.js';
import { openFile, showWhole } from '../../tests/browser/page-file.js';

async function main() {
  const { page, output, theme, width, height } = parseArgs({
    options: {
      page: { type: 'string' },
      output: { type: 'string' },
      theme: { type: 'string', default: 'dark' },
      width: { type: 'string', default: '1280' },
      height: { type: 'string', default: '' },
    },
  }).values;
  if (!page || !statSync(page, { throwIfNoEntry: false })?.isFile())
    throw new Error(`--page is "${page ?? ''}"; valid: the path of a report`);
  if (!output) throw new Error('--output is not given; valid: the path of a .png');
  if (theme !== 'dark' && theme !== 'light') throw new Error(`--theme is "${theme}"; valid: dark, light`);
  for (const [name, text] of Object.entries({ width, height: height || '900' })) {
    if (!/^[1-9]\d{2,3}$/.test(text)) throw new Error(`--${name} is "${text}"; valid: 100 to 9999`);
  }
  const browser = await openBrowser();
  try {
    const { page: tab, problems } = await openFile(browser, resolve(page), {
      width: Number(width),
      scheme: theme,
    });
    if (height) await tab.setViewportSize({ width: Number(width), height: Number(height) });
    else await showWhole(tab);
    if (problems.length > 0) throw new Error(problems.join('\n'));
    await tab.screenshot({ path: output });
  } finally {
    await browser.close();
  }
  process.stdout.write(`${output}: ${Math.round(statSync(output).size / 1000)} kB\n`);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`make-page-picture: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 2;
}

/**
 * Makes a picture of a report, as a browser shows its file.
 *
 *   node docs/images/make-page-picture.js --page docs/reports/pool-limited-spike/report.html --output docs/images/report-page.png
 *     --theme light           (default: dark)
 *     --width 1920            (default: 1280)
 *     --height 900            (default: the whole page)
 */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openBrowser } from '../../tests/browser/browser.js';
import { openFile, showWhole } from '../../tests/browser/page-file.js';

const OPTIONS = { page: '', output: '', theme: 'dark', width: '1280', height: '' };

/** @param {typeof OPTIONS} given @throws {Error} one line */
async function takePicture({ page: file, output, theme, width, height }) {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile())
    throw new Error(`--page is "${file}"; valid: the path of a report`);
  if (output === '') throw new Error('--output is not given; valid: the path of a .png');
  if (theme !== 'dark' && theme !== 'light') throw new Error(`--theme is "${theme}"; valid: dark, light`);
  for (const [side, text] of Object.entries({ width, height: height || '900' })) {
    if (!/^[1-9]\d{2,3}$/.test(text)) throw new Error(`--${side} is "${text}"; valid: 100 to 9999`);
  }
  const browser = await openBrowser();
  try {
    const { page, problems } = await openFile(browser, resolve(file), {
      width: Number(width),
      scheme: theme,
    });
    if (problems.length > 0) throw new Error(problems.join('\n'));
    if (height) await page.setViewportSize({ width: Number(width), height: Number(height) });
    else await showWhole(page);
    await page.screenshot({ path: output });
  } finally {
    await browser.close();
  }
}

try {
  const options = Object.fromEntries(
    Object.entries(OPTIONS).map(([name, text]) => [
      name,
      { type: /** @type {const} */ ('string'), default: text },
    ]),
  );
  await takePicture(/** @type {typeof OPTIONS} */ (parseArgs({ options }).values));
} catch (error) {
  process.stderr.write(`make-page-picture: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 2;
}

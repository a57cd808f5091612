/** The command line that the scripts beside this one share: options, a browser, the picture, one line of what is wrong. */
import { statSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { openBrowser } from '../../tests/browser/browser.js';

const COMMON = { output: '', theme: 'dark', width: '1280', height: '' };

/**
 * Takes one picture and sets the exit code: 2 with one line on stderr where something is wrong.
 *
 * @template {Record<string, string>} Own
 * @param {string} name of the script, for that line
 * @param {Own} own the script's own options with their defaults, beside --output, --theme, --width and --height
 * @param {(browser: import('playwright-core').Browser, given: Own & {theme: 'dark' | 'light', width: number}) =>
 *   Promise<{page: import('playwright-core').Page, problems: string[]}>} show opens it as a whole; width in pixels
 */
export async function pictureCommand(name, own, show) {
  try {
    const { output, theme, width, height, ...rest } = valuesOf({ ...COMMON, ...own });
    if (output === '') throw new Error('--output is not given; valid: the path of a .png');
    if (theme !== 'dark' && theme !== 'light') throw new Error(`--theme is "${theme}"; valid: dark, light`);
    for (const [side, text] of Object.entries({ width, height: height || '900' })) {
      if (!/^[1-9]\d{2,3}$/.test(text)) throw new Error(`--${side} is "${text}"; valid: 100 to 9999`);
    }
    const browser = await openBrowser();
    try {
      const given = /** @type {any} */ ({ ...rest, theme, width: Number(width) });
      const { page, problems } = await show(browser, given);
      if (problems.length > 0) throw new Error(problems.join('\n'));
      if (height) await page.setViewportSize({ width: Number(width), height: Number(height) });
      await page.screenshot({ path: output });
    } finally {
      await browser.close();
    }
    process.stdout.write(`${output}: ${Math.round(statSync(output).size / 1000)} kB\n`);
  } catch (error) {
    process.stderr.write(`${name}: ${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 2;
  }
}

/**
 * @template {Record<string, string>} Defaults
 * @param {Defaults} defaults by option
 * @returns {Defaults} with what the command line says
 */
function valuesOf(defaults) {
  const options = Object.fromEntries(
    Object.entries(defaults).map(([name, text]) => [
      name,
      /** @type {const} */ ({ type: 'string', default: text }),
    ]),
  );
  return /** @type {Defaults} */ (parseArgs({ options }).values);
}

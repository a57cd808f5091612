/** The three reports that the README shows, as its readers open them. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import { REPORTS } from '../../docs/reports/render.js';
import { openBrowser } from './browser.js';
import { textProblems } from './page-checks.js';
import { openFile, showWhole } from './page-file.js';

/** @type {import('playwright-core').Browser} */
let browser;
before(async () => {
  browser = await openBrowser();
});
after(() => browser?.close());

for (const folder of REPORTS) {
  for (const scheme of /** @type {const} */ (['light', 'dark'])) {
    for (const width of [1280, 400]) {
      test(`${basename(folder)}, ${scheme}, ${width} wide: all text can be read, nothing is asked for`, async () => {
        const file = readdirSync(folder).find((name) => name.endsWith('.html')) ?? '';
        const { page, problems, close } = await openFile(browser, join(folder, file), { width, scheme });
        await showWhole(page);
        assert.deepEqual(await page.evaluate(textProblems), []);
        assert.deepEqual(problems, []);
        await close();
      });
    }
  }
}

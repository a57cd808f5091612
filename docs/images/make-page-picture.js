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
import { openFile, showWhole } from '../../tests/browser/page-file.js';
import { pictureCommand } from './picture-command.js';

await pictureCommand('make-page-picture', { page: '' }, async (browser, { page: file, theme, width }) => {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile())
    throw new Error(`--page is "${file}"; valid: the path of a report`);
  const opened = await openFile(browser, resolve(file), { width, scheme: theme });
  await showWhole(opened.page);
  return opened;
});

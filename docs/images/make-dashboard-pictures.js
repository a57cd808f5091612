/**
 * Makes a picture of a dashboard as the viewer shows it after a run, from the run's start to its end.
 *
 *   node docs/images/make-dashboard-pictures.js --testid spike-20260101T120000Z-abcd --output docs/images/overview.png
 *     --dashboard mcp-spike   (default: mcp-load-test)
 *     --theme light           (default: dark)
 *     --width 1920            (default: 1280)
 *     --height 900            (default: the whole page)
 *
 * Reads the run below RESULTS_DIR, and asks the Prometheus of PROMETHEUS_URL, or of RUN_DIR/stack.env.
 */
import { statSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { openBrowser, watchedPage } from '../../tests/browser/browser.js';
import { address, showAll, startViewer } from '../../tests/browser/stack-viewer.js';
import { runs } from '../../tests/stack/panel-queries.js';

async function main() {
  const { testid, output, dashboard, theme, width, height } = parseArgs({
    options: {
      testid: { type: 'string' },
      output: { type: 'string' },
      dashboard: { type: 'string', default: 'mcp-load-test' },
      theme: { type: 'string', default: 'dark' },
      width: { type: 'string', default: '1280' },
      height: { type: 'string', default: '' },
    },
  }).values;
  if (!output) throw new Error('--output is not given; valid: the path of a .png');
  if (!['dark', 'light'].includes(theme)) throw new Error(`--theme is "${theme}"; valid: dark, light`);
  for (const [name, text] of Object.entries({ width, height: height || '900' })) {
    if (!/^[1-9]\d{2,3}$/.test(text)) throw new Error(`--${name} is "${text}"; valid: 100 to 9999`);
  }
  const known = runs();
  const run = known.find((one) => one.testid === testid);
  if (!run) {
    throw new Error(
      `--testid is "${testid ?? ''}"; valid: ${known.map((one) => one.testid).join(', ') || 'a run, of which there is none'}`,
    );
  }
  const viewer = await startViewer();
  const browser = await openBrowser();
  try {
    const { page, problems } = await watchedPage(browser, viewer.origin, { width: Number(width) });
    await page.goto(viewer.origin + address(dashboard, run, { theme }));
    await showAll(page);
    if (problems.length > 0) throw new Error(problems.join('\n'));
    if (height) await page.setViewportSize({ width: Number(width), height: Number(height) });
    await page.screenshot({ path: output });
  } finally {
    await browser.close();
    viewer.stop();
  }
  process.stdout.write(`${output}: ${Math.round(statSync(output).size / 1000)} kB\n`);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`make-dashboard-pictures: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 2;
}

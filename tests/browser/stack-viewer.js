/** The viewer on the stack's Prometheus, and runs to look at in it. */
import { mkdirSync } from 'node:fs';
import { listen, viewer } from '../../viewer/server.js';
import { runTest } from '../lab.js';
import { headersOf, prometheusUrl, runs } from '../stack/panel-queries.js';

/** k6's last push, and the rules' last evaluation, come this much after a run's end. */
const AFTER_MS = 4000;

/** @param {string} [url] of another Prometheus than the stack's @returns {Promise<{origin: string, stop: () => void}>} */
export async function startViewer(url = prometheusUrl()) {
  const server = viewer({ prometheusUrl: url, headers: headersOf() });
  const origin = await listen(server, 0);
  return {
    origin,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/**
 * The newest run of a test on this stack's target; made, where there is none.
 *
 * @param {string} test
 * @returns {Promise<import('../stack/panel-queries.js').Run>}
 */
export async function runOf(test) {
  mkdirSync(process.env.RESULTS_DIR ?? 'results', { recursive: true });
  const found = () => runs().find((run) => run.test === test);
  if (!found()) await runTest(test, { PROFILE: 'smoke', THRESHOLDS: 'off' });
  const run = found();
  if (!run) throw new Error(`the test ${test} left no run`);
  return run;
}

/**
 * @param {string} uid
 * @param {import('../stack/panel-queries.js').Run} run
 * @param {Record<string, string>} [parameters]
 * @returns {string} path and query of a dashboard that shows the run from its start to its end
 */
export function address(uid, { testid, started, ended }, parameters = {}) {
  const range = {
    from: String(Date.parse(started)),
    to: String(Date.parse(ended) + AFTER_MS),
    refresh: 'off',
  };
  return `/d/${uid}?${new URLSearchParams({ 'var-testid': testid, ...range, ...parameters })}`;
}

/**
 * Until every panel in view has its answer.
 *
 * @param {import('playwright-core').Page} page
 */
export async function settled(page) {
  await page.locator('body[data-state="ready"]').waitFor();
}

/**
 * Opens all rows, and makes the window as high as the page, so that all panels are in view; until they have their answers.
 *
 * @param {import('playwright-core').Page} page
 */
export async function showAll(page) {
  await settled(page);
  for (const row of await page.locator('.row [aria-expanded="false"]').all()) await row.click();
  const { width = 1280 } = page.viewportSize() ?? {};
  const height = await page.evaluate(
    () => /** @type {any} */ (globalThis).document.documentElement.scrollHeight,
  );
  await page.setViewportSize({ width, height: Math.max(height, 600) });
  await page.waitForFunction(
    () => !(/** @type {any} */ (globalThis).document.querySelector('.panel[data-state="loading"]')),
  );
  await settled(page);
}

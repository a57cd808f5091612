/** A headless Chromium, and pages that note whatever goes wrong in them. */
import { chromium } from 'playwright-core';
import { toolPath } from '../tool.js';
import { recordCanvasText } from './page-checks.js';

/** Much more than a person waits for: the machine may be busy with a load. */
const PATIENCE_MS = 60_000;

/** @returns {Promise<import('playwright-core').Browser>} */
export function openBrowser() {
  // As root, and in most containers, Chromium's sandbox can't be made. It opens the project's own pages alone.
  return chromium.launch({ executablePath: toolPath('chromium'), args: ['--no-sandbox'] });
}

/** @typedef {{page: import('playwright-core').Page, problems: string[], close: () => Promise<void>}} Watched */

/**
 * A page that notes console errors and warnings, uncaught errors, failed requests, answers that are errors, violations of the
 * content policy, and requests to any other origin, which it does not let through.
 *
 * @param {import('playwright-core').Browser} browser
 * @param {string} origin the only one that may be asked
 * @param {{width?: number, height?: number}} [size]
 * @returns {Promise<Watched>}
 */
export async function watchedPage(browser, origin, { width = 1280, height = 900 } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, reducedMotion: 'reduce' });
  context.setDefaultTimeout(PATIENCE_MS);
  /** @type {string[]} */
  const problems = [];
  await context.route(
    (url) => url.origin !== origin,
    (route) => {
      problems.push(`asked another origin: ${route.request().url()}`);
      return route.abort();
    },
  );
  await context.addInitScript(recordCanvasText);
  await context.exposeFunction('noteProblem', (/** @type {string} */ text) => problems.push(text));
  await context.addInitScript(() => {
    const page = /** @type {any} */ (globalThis);
    page.addEventListener('securitypolicyviolation', (/** @type {any} */ event) =>
      page.noteProblem(`content policy: ${event.violatedDirective} forbids ${event.blockedURI || 'it'}`),
    );
  });
  const page = await context.newPage();
  page.on('console', (message) => {
    // The tests read pixels, the page does not.
    if (message.text().includes('getImageData')) return;
    if (['error', 'warning'].includes(message.type())) problems.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => problems.push(`page error: ${error.stack ?? error}`));
  page.on('requestfailed', (request) => {
    const why = request.failure()?.errorText ?? '';
    // What the page itself gives up, as when it is left, is no failure.
    if (why !== 'net::ERR_ABORTED') problems.push(`failed: ${request.url()} ${why}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) problems.push(`${response.status()}: ${response.url()}`);
  });
  return { page, problems, close: () => context.close() };
}

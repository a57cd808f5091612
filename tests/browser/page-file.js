/** A report as a reader opens it: a file on the disk, which may ask nobody for anything. */
import { pathToFileURL } from 'node:url';
import { watchedPage } from './browser.js';

/**
 * @param {import('playwright-core').Browser} browser
 * @param {string} file
 * @param {{width?: number, scheme?: 'light' | 'dark'}} [reader]
 * @returns {Promise<import('./browser.js').Watched>} the page when all of it is drawn
 */
export async function openFile(browser, file, { width = 1280, scheme = 'light' } = {}) {
  // A file's origin is none, so any request but the file itself is noted.
  const watched = await watchedPage(browser, 'null', { width });
  await watched.page.emulateMedia({ colorScheme: scheme });
  await watched.page.goto(pathToFileURL(file).href);
  await watched.page.locator('body[data-state="ready"]').waitFor();
  return watched;
}

/** @param {import('playwright-core').Page} page so high from now on that all of it is in view */
export async function showWhole(page) {
  const height = await page.evaluate(
    () => /** @type {any} */ (globalThis).document.documentElement.scrollHeight,
  );
  await page.setViewportSize({ width: page.viewportSize()?.width ?? 1280, height });
}

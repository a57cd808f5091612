/**
 * Every dashboard in the viewer after a real run, in both themes and two widths: nothing fails, nothing is asked elsewhere,
 * every panel has its data, and all text can be read. Needs a running stack; runs that are missing are made.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { dashboards } from '../../dashboards/build.ts';
import { ownStack } from '../own-stack.js';
import { MAY_BE_EMPTY } from '../stack/may-be-empty.js';
import { hasData, prometheusUrl } from '../stack/panel-queries.js';
import { openBrowser, watchedPage } from './browser.js';
import { textProblems } from './page-checks.js';
import { address, runOf, showAll, startViewer } from './stack-viewer.js';

await ownStack();

/** Colours do not depend on the width, nor places on the theme: two views see each of both. */
const VIEWS = [
  { theme: 'dark', width: 1280 },
  { theme: 'light', width: 1920 },
];

/** Whose run a dashboard is looked at with. */
const RUN_OF = /** @type {Record<string, string>} */ ({ 'mcp-overview': 'batch', 'mcp-server': 'soak' });

/** @type {{theme: string, width: number, watched: import('./browser.js').Watched}[]} */
let views = [];
/** @type {Awaited<ReturnType<typeof startViewer>>} */
let viewer;
/** @type {import('playwright-core').Browser} */
let browser;
/** @type {Record<string, import('../stack/panel-queries.js').Run>} */
const runs = {};
before(async () => {
  // The spike last: with another before it there is one to compare it with.
  for (const name of ['soak', 'batch', 'spike']) runs[name] = await runOf(name);
  viewer = await startViewer();
  browser = await openBrowser();
  views = await Promise.all(
    VIEWS.map(async (view) => ({ ...view, watched: await watchedPage(browser, viewer.origin, view) })),
  );
});
after(async () => {
  await browser?.close();
  viewer?.stop();
});

/**
 * Panels on the page, with what is seen of them.
 *
 * @param {import('playwright-core').Page} page
 * @returns {Promise<{id: string, state: string, message: string, isBlank: boolean}[]>}
 */
function panelsOf(page) {
  return page.evaluate(() =>
    [.../** @type {any} */ (globalThis).document.querySelectorAll('.panel')].map((panel) => ({
      id: panel.dataset.panel,
      state: panel.dataset.state,
      message: panel.querySelector('.panel-message')?.textContent ?? '',
      // Grid, axes and their labels are grey, what they are for is not.
      isBlank: [...panel.querySelectorAll('.u-wrap canvas')].some((canvas) => {
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        for (let at = 0; at < data.length; at += 4) {
          const parts = [data[at], data[at + 1], data[at + 2]];
          if (data[at + 3] > 60 && Math.max(...parts) - Math.min(...parts) > 40) return false;
        }
        return true;
      }),
    })),
  );
}

/**
 * @param {any} dashboard its JSON
 * @param {import('../stack/panel-queries.js').Run} run
 * @returns {Promise<Set<string>>} ids of panels none of whose queries needs to have data
 */
async function mayBeEmpty({ uid, panels }, run) {
  const facts = { run, has: (/** @type {string} */ expr) => hasData(prometheusUrl(), expr, run) };
  /** @type {Set<string>} */
  const ids = new Set();
  for (const { id, title, targets = [] } of flat(panels)) {
    const entries = MAY_BE_EMPTY.filter(
      (one) => one.title === title && (one.dashboard === undefined || one.dashboard === uid),
    );
    /** @type {import("../stack/may-be-empty.js").MayBeEmpty[]} */
    const holding = [];
    for (const entry of entries) if (await entry.when(facts)) holding.push(entry);
    const isWhole = targets.every((/** @type {any} */ { refId }) =>
      holding.some(({ refIds }) => refIds === undefined || refIds.includes(refId)),
    );
    if (isWhole) ids.add(String(id));
  }
  return ids;
}

/** @param {any[]} panels @returns {any[]} without rows, but with what is in collapsed ones */
const flat = (panels) => panels.flatMap((panel) => (panel.type === 'row' ? (panel.panels ?? []) : [panel]));

for (const build of dashboards) {
  const dashboard = /** @type {any} */ (build());
  const { uid, title, panels } = dashboard;

  test(`"${title}" in both themes, at both widths`, async () => {
    const run = /** @type {import('../stack/panel-queries.js').Run} */ (runs[RUN_OF[uid] ?? 'spike']);
    const empty = await mayBeEmpty(dashboard, run);
    const found = await Promise.all(
      views.map(async ({ theme, width, watched: { page, problems } }) => {
        problems.length = 0;
        await page.setViewportSize({ width, height: 900 });
        await page.goto(viewer.origin + address(uid, run, { theme }));
        await showAll(page);
        const shown = await panelsOf(page);
        for (const { id, title: name } of flat(panels)) {
          const panel = shown.find((one) => one.id === String(id));
          if (panel?.state === 'empty' && empty.has(panel.id)) continue;
          const state = panel?.state ?? 'not there';
          if (state !== 'drawn') problems.push(`panel ${id} "${name}" is ${state}: ${panel?.message ?? ''}`);
          else if (panel?.isBlank) problems.push(`panel ${id} "${name}" is drawn, and nothing is in it`);
        }
        problems.push(...(await page.evaluate(textProblems)));
        return problems.map((problem) => ({ problem, view: `${theme} ${width}` }));
      }),
    );
    /** @type {Map<string, Set<string>>} */
    const viewsOf = new Map();
    for (const { problem, view } of found.flat()) {
      viewsOf.set(problem, (viewsOf.get(problem) ?? new Set()).add(view));
    }
    const lines = [...viewsOf].map(([problem, where]) => `${problem} (${[...where].join(', ')})`);
    assert.equal(lines.length, 0, [address(uid, run), ...lines].join('\n'));
  });
}

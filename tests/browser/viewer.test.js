/**
 * What a reader does in the viewer: points, clicks, drags, chooses, reloads, waits. Needs a running stack; runs that are
 * missing are made.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { server } from '../../dashboards/server.ts';
import { ownStack } from '../own-stack.js';
import { prometheusUrl } from '../stack/panel-queries.js';
import { openBrowser, watchedPage } from './browser.js';
import { startRelay } from './relay.js';
import { address, runOf, settled, startViewer } from './stack-viewer.js';

await ownStack();

const OVERVIEW = 'mcp-overview';
/** A panel that has something to show at any time. */
const HOST_CPU = server().panels?.find(({ title }) => title === 'Host CPU');
/** @param {Record<string, string>} parameters */
const openHost = (parameters) => open({ ...parameters, viewPanel: `${HOST_CPU?.id}` }, 'mcp-server');
const CHART = '.panel[data-type="timeseries"][data-state="drawn"]';

/** @type {import('./relay.js').Relay} */
let relay;
/** @type {Awaited<ReturnType<typeof startViewer>>} */
let viewer;
/** @type {import('playwright-core').Browser} */
let browser;
/** @type {import('playwright-core').Page} */
let page;
/** @type {string[]} */
let problems;
/** @type {Record<string, import('../stack/panel-queries.js').Run>} */
const runs = {};

before(async () => {
  for (const name of ['soak', 'spike']) runs[name] = await runOf(name);
  relay = await startRelay(prometheusUrl());
  viewer = await startViewer(relay.url);
  browser = await openBrowser();
  ({ page, problems } = await watchedPage(browser, viewer.origin));
});
afterEach(() => {
  relay.isOpen = true;
  relay.refuse = () => null;
  relay.rewrite = (answer) => answer;
});
after(async () => {
  await browser?.close();
  viewer?.stop();
  relay?.stop();
});

/** @param {string} name */
const run = (name) => /** @type {import('../stack/panel-queries.js').Run} */ (runs[name]);

/** @param {Record<string, string>} [parameters] @param {string} [uid] */
async function open(parameters = {}, uid = OVERVIEW) {
  problems.length = 0;
  await page.goto(viewer.origin + address(uid, run('spike'), { theme: 'dark', ...parameters }));
  await settled(page);
}
const parameter = (/** @type {string} */ name) => new URL(page.url()).searchParams.get(name);
/** @param {string} name @param {(value: string | null) => boolean} holds */
const parameterIs = (name, holds) => page.waitForURL((url) => holds(url.searchParams.get(name)));
const box = async (/** @type {import('playwright-core').Locator} */ locator) => {
  const found = await locator.boundingBox();
  assert.ok(found);
  return found;
};
const noAlert = () => page.waitForSelector('[role="alert"]:visible', { state: 'hidden' });
const statTexts = () => page.locator('.stat-value').allTextContents();

test('the crosshair of one chart is on all the others in view, at the same place', async () => {
  await open();
  const charts = page.locator(`${CHART} .u-over`);
  assert.ok((await charts.count()) >= 2);
  const { x, y, width, height } = await box(charts.first());
  /** @returns {Promise<number[]>} of each chart, where its crosshair is: a share of its width, outside of 0 to 1 for none */
  const places = () =>
    charts.evaluateAll((all) =>
      all
        .filter((one) => one.getBoundingClientRect().top < /** @type {any} */ (globalThis).innerHeight)
        .map((/** @type {any} */ one) => {
          const line = one.querySelector('.u-cursor-x').getBoundingClientRect();
          const { left, width: whole } = one.getBoundingClientRect();
          return (line.left - left) / whole;
        }),
    );
  for (const share of [0.3, 0.7]) {
    await page.mouse.move(x + share * width, y + height / 2);
    const found = await places();
    assert.ok(found.length >= 2);
    for (const place of found) assert.ok(Math.abs(place - share) < 0.03, `at ${found}, pointed at ${share}`);
  }
  assert.ok(await page.locator('.tooltip').isVisible());
  await page.mouse.move(1, 1);
  for (const place of await places()) assert.ok(place < 0, `still there: ${place}`);
  assert.ok(!(await page.locator('.tooltip').isVisible()));
  assert.deepEqual(problems, []);
});

/**
 * @param {import('playwright-core').Locator} panel
 * @returns {Promise<number[]>} of each series in the legend, how many pixels of the chart have its colour
 */
const inkOf = (panel) =>
  panel.evaluate((/** @type {any} */ element) => {
    const canvas = element.querySelector('.u-wrap canvas');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return [...element.querySelectorAll('.legend .swatch')].map((swatch) => {
      const { backgroundColor } = /** @type {any} */ (globalThis).getComputedStyle(swatch);
      const [red, green, blue] = backgroundColor.match(/\d+/g).map(Number);
      let pixels = 0;
      for (let at = 0; at < data.length; at += 4) {
        const off = [red - data[at], green - data[at + 1], blue - data[at + 2]].map(Math.abs);
        if (data[at + 3] > 150 && Math.max(...off) < 40) pixels += 1;
      }
      return pixels;
    });
  });

test('a click on a name of the legend shows that series alone, another click all of them', async () => {
  await open();
  const panel = page.locator(CHART, { has: page.getByText('Latency', { exact: true }) });
  const before = await inkOf(panel);
  assert.ok(before.length >= 2 && before.every((pixels) => pixels > 20), String(before));
  const first = panel.locator('.legend button').first();
  await first.click();
  const [alone = 0, ...others] = await inkOf(panel);
  assert.ok(alone > 20, `${alone} pixels`);
  // A mark may have another series' colour.
  others.forEach((pixels, index) => {
    assert.ok(pixels < (before[index + 1] ?? 0) / 2, `${[alone, ...others]} of ${before}`);
  });
  await first.click();
  assert.deepEqual(await inkOf(panel), before);
  assert.deepEqual(problems, []);
});

test('a drag over a chart zooms in for all, and back returns', async () => {
  await open();
  const [from, to] = [Number(parameter('from')), Number(parameter('to'))];
  const { x, y, width, height } = await box(page.locator(`${CHART} .u-over`).first());
  await page.mouse.move(x + 0.4 * width, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + 0.6 * width, y + height / 2, { steps: 4 });
  await page.mouse.up();
  await parameterIs('from', (value) => value !== String(from));
  await settled(page);
  const tenth = (to - from) / 10;
  assert.ok(
    Math.abs(Number(parameter('from')) - (from + 4 * tenth)) < tenth / 2,
    `from ${parameter('from')}`,
  );
  assert.ok(Math.abs(Number(parameter('to')) - (from + 6 * tenth)) < tenth / 2, `to ${parameter('to')}`);
  await page.getByRole('button', { name: 'The time range before this one' }).click();
  await parameterIs('from', (value) => value === String(from));
  assert.equal(parameter('to'), String(to));
  await settled(page);
  assert.deepEqual(problems, []);
});

test('another run is chosen: its figures, its address; and both are still there after a reload', async () => {
  const from = String(Date.parse(run('soak').started));
  await open({ from, refresh: '10s' });
  const before = await statTexts();
  await page.locator('[data-variable="testid"] select').selectOption(run('soak').testid);
  await parameterIs('var-testid', (value) => value === run('soak').testid);
  await settled(page);
  const chosen = await statTexts();
  assert.notDeepEqual(chosen, before);
  await page.getByLabel('Refresh every').selectOption('30s');
  await parameterIs('refresh', (value) => value === '30s');
  await page.reload();
  await settled(page);
  assert.equal(await page.locator('[data-variable="testid"] select').inputValue(), run('soak').testid);
  assert.equal(await page.getByLabel('Refresh every').inputValue(), '30s');
  assert.deepEqual([parameter('from'), parameter('refresh')], [from, '30s']);
  assert.deepEqual(await statTexts(), chosen);
  assert.deepEqual(problems, []);
});

test('the theme: a button, also for charts that are drawn already, and it is kept', async () => {
  await open({ theme: 'dark' });
  /** @returns {Promise<number[]>} brightness of the page, of 255, and of an axis' text */
  const brightness = () =>
    page.evaluate(() => {
      const all = /** @type {any} */ (globalThis);
      const context = all.document.createElement('canvas').getContext('2d');
      const bright = (/** @type {string} */ color) => {
        context.clearRect(0, 0, 1, 1);
        context.fillStyle = color;
        context.fillRect(0, 0, 1, 1);
        return context.getImageData(0, 0, 1, 1).data[1];
      };
      const [label] = [...all.canvasText].flatMap(([canvas, texts]) => (canvas.isConnected ? texts : []));
      return [bright(all.getComputedStyle(all.document.body).backgroundColor), bright(label.color)];
    });
  const [darkPage = 255, darkText = 0] = await brightness();
  assert.ok(darkPage < 60 && darkText > 150, `${darkPage} ${darkText}`);
  await page.getByRole('button', { name: 'Light or dark' }).click();
  const [lightPage = 0, lightText = 255] = await brightness();
  assert.ok(lightPage > 200 && lightText < 120, `${lightPage} ${lightText}`);
  await page.reload();
  await settled(page);
  assert.equal(await page.locator('html').getAttribute('data-theme'), 'light');
  assert.deepEqual(problems, []);
});

test('a row is collapsed and opened, by pointer and by keyboard', async () => {
  await open();
  const row = page.locator('.row').first();
  const button = row.getByRole('button').first();
  assert.ok(await row.locator('.panel').first().isVisible());
  await button.click();
  assert.equal(await row.locator('.panel:visible').count(), 0);
  await button.press('Enter');
  assert.ok(await row.locator('.panel').first().isVisible());
  await settled(page);
  assert.deepEqual(problems, []);
});

test('what a panel shows can be read with the keyboard alone', async () => {
  await open();
  const hint = page.locator('.hint');
  await page.locator('.toolbar a').last().focus();
  await page.keyboard.press('Tab');
  const focused = await page.evaluate(() => {
    const { activeElement } = /** @type {any} */ (globalThis).document;
    return { label: activeElement.getAttribute('aria-label'), hint: activeElement.dataset.hint };
  });
  assert.match(focused.label, /^About /);
  assert.ok(await hint.isVisible());
  assert.equal(await hint.textContent(), focused.hint);
  await page.keyboard.press('Escape');
  assert.ok(!(await hint.isVisible()));
  assert.deepEqual(problems, []);
});

test('links to the other dashboards keep run and time', async () => {
  await open();
  const here = ['var-testid', 'from', 'to'].map(parameter);
  const links = await page
    .locator('.links a')
    .evaluateAll((all) => all.map((/** @type {any} */ a) => a.href));
  assert.ok(links.length >= 5, `${links.length} links`);
  for (const link of links) {
    const { searchParams } = new URL(link);
    assert.deepEqual(
      ['var-testid', 'from', 'to'].map((name) => searchParams.get(name)),
      here,
    );
  }
  await page.locator('.links a', { hasText: 'Operations' }).click();
  await page.waitForURL(/mcp-operations/);
  await settled(page);
  assert.deepEqual(['var-testid', 'from', 'to'].map(parameter), here);
  assert.deepEqual(problems, []);
});

test('live: the charts move on, and nothing of the page is made anew', async () => {
  await openHost({ from: 'now-2m', to: 'now', refresh: '2s' });
  const watch = () => {
    const all = /** @type {any} */ (globalThis);
    const nodes = () => [...all.document.querySelectorAll('.panel, .panel canvas, .panel .legend tr')];
    all.before = nodes();
    all.isSame = () =>
      nodes().length === all.before.length &&
      nodes().every((/** @type {any} */ node, /** @type {number} */ i) => node === all.before[i]);
    all.states = [];
    new all.MutationObserver((/** @type {any[]} */ changes) => {
      for (const { target } of changes) all.states.push(`${target.dataset.panel}: ${target.dataset.state}`);
    }).observe(all.document.body, { subtree: true, attributeFilter: ['data-state'] });
    all.drawn = () =>
      JSON.stringify(
        [...all.canvasText.values()].map((texts) => texts.map((/** @type {any} */ { box: at }) => at.left)),
      );
    all.first = all.drawn();
  };
  await page.evaluate(watch);
  await page.waitForFunction(() => {
    const all = /** @type {any} */ (globalThis);
    return all.drawn() !== all.first;
  });
  await page.waitForTimeout(4500);
  const { isSame, states } = await page.evaluate(() => {
    const all = /** @type {any} */ (globalThis);
    return { isSame: all.isSame(), states: all.states };
  });
  assert.ok(isSame, 'elements were replaced');
  assert.deepEqual(
    states.filter((/** @type {string} */ state) => !state.startsWith('undefined')),
    [],
    'a panel left the state that it had',
  );
  assert.deepEqual(problems, []);
});

test('Prometheus goes away: what is wrong is said; and it is well again when Prometheus is back', async () => {
  await openHost({ from: 'now-2m', to: 'now', refresh: '2s' });
  relay.isOpen = false;
  const said = page.locator('[role="alert"]:visible').first();
  await said.waitFor();
  assert.match((await said.textContent()) ?? '', /Prometheus/);
  relay.isOpen = true;
  await noAlert();
  await page.locator(CHART).first().waitFor();
  assert.deepEqual(
    // The browser itself tells of answers that are errors.
    problems.filter((problem) => !/^502: |Failed to load resource/.test(problem)),
    [],
  );
});

test('Prometheus is away from the start: said, and well as soon as it is there', async () => {
  relay.isOpen = false;
  await openHost({ from: 'now-2m', to: 'now', refresh: '2s' });
  await page.locator('[role="alert"]:visible').first().waitFor();
  relay.isOpen = true;
  await page.locator(CHART).first().waitFor();
  await noAlert();
});

test('a query that Prometheus refuses: its panel says why, the others are drawn', async () => {
  relay.refuse = (query) => (query.includes('k6_mcp_request_duration') ? 'too many samples' : null);
  await open();
  const panel = page.locator('.panel', { has: page.getByText('Latency', { exact: true }) });
  assert.equal(await panel.getAttribute('data-state'), 'error');
  assert.match((await panel.textContent()) ?? '', /too many samples/);
  assert.ok((await page.locator(CHART).count()) > 0);
});

const BAD = '<img src=x onerror=noteProblem(1)>{{phase}}$testid<script>noteProblem(2)</script>';

test('text that looks like a page is shown as text', async () => {
  const named = JSON.stringify(BAD).slice(1, -1);
  relay.rewrite = (answer) => answer.replaceAll('"get_user"', `"${named}"`);
  for (const uid of ['mcp-operations', 'mcp-compare']) {
    await open({}, uid);
    await page.locator('.legend, td', { hasText: '<img src=x' }).first().waitFor();
    assert.equal(await page.locator('main img, main script').count(), 0);
    assert.ok((await page.locator('main').innerText()).includes(BAD));
    // In a tooltip, too.
    const { x, y, width, height } = await box(page.locator(`${CHART} .u-over`).first());
    await page.mouse.move(x + width / 2, y + height / 2);
    assert.equal(await page.locator('.tooltip img').count(), 0);
    assert.deepEqual(problems, []);
  }
});

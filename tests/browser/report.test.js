/**
 * What a reader does with report.html: opens the file, reads, points, follows a finding to its chart, zooms, changes the theme,
 * prints. The report is made of a real run's figures, docs/reports/pool-limited-spike.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { compare } from '../../analysis/compare/comparison.ts';
import { pageOfComparison } from '../../analysis/compare/comparison-page.ts';
import { pageOfRun } from '../../analysis/report/run-page.ts';
import { clock } from '../../contract/units.js';
import { documentOf } from '../../page/document.ts';
import { DEFAULTS, side } from '../unit/analysis/compare/build.js';
import { openBrowser } from './browser.js';
import { textProblems } from './page-checks.js';
import { openFile, showWhole } from './page-file.js';

/** @typedef {import('playwright-core').Page} BrowserPage */
/** @typedef {import('../../page/model.ts').Page} Page */

const scratch = mkdtempSync(join(tmpdir(), 'report-'));
const read = (/** @type {string} */ name) =>
  JSON.parse(readFileSync(`docs/reports/pool-limited-spike/${name}.json`, 'utf8'));
const run = read('run');
const report = pageOfRun(run, read('timeline'));
const plots = /** @type {import('../../page/model.ts').Plots} */ (report.plots);

const browser = await openBrowser();
after(async () => {
  await browser.close();
  rmSync(scratch, { recursive: true, force: true });
});

/** @param {Page} page @returns {string} */
function fileOf(page) {
  const file = join(mkdtempSync(join(scratch, 'page-')), 'report.html');
  writeFileSync(file, documentOf(page));
  return file;
}
const open = (/** @type {Page} */ page, /** @type {Parameters<typeof openFile>[2]} */ reader = {}) =>
  openFile(browser, fileOf(page), reader);

/** @param {typeof plots} changed @returns {Page} where nothing but the lines of data is opaque in a chart */
const withDataAlone = (changed) => ({
  ...report,
  plots: { ...changed, marks: [], charts: changed.charts.map((chart) => ({ ...chart, limits: [] })) },
});

/** A line of one pixel may lie across two, each half as opaque; the grid and the ground of phases are less. */
const OPAQUE = 100;
/** A single point is a dot of 6 pixels across. */
const MIN_INK = 20;

/** @param {BrowserPage} page @returns {Promise<Record<string, number>>} opaque pixels between the axes, by the id of each chart in view */
const inkOf = (page) =>
  page.locator('.plot:visible').evaluateAll((all, OPAQUE) => {
    const inks = all.map((/** @type {any} */ element) => {
      const { offsetLeft: x, offsetTop: y, offsetWidth, offsetHeight } = element.querySelector('.u-over');
      const context = element.querySelector('canvas').getContext('2d');
      // A line at zero is half below its axis.
      const { data } = context.getImageData(x, y, offsetWidth, offsetHeight + 2);
      const isInk = (/** @type {number} */ value, /** @type {number} */ at) =>
        at % 4 === 3 && value >= OPAQUE;
      return [element.dataset.chart, data.filter(isInk).length];
    });
    return Object.fromEntries(inks);
  }, OPAQUE);

/** @param {BrowserPage} page @returns {Promise<string[]>} of all charts in view */
const picturesOf = (page) =>
  page.locator('.plot canvas').evaluateAll((all) => all.map((/** @type {any} */ one) => one.toDataURL()));

/** @param {BrowserPage} page @returns {Promise<{text: string, color: string}[]>} what is written in the first chart */
const writtenIn = (page) =>
  page.evaluate(() => {
    const { document, canvasText } = /** @type {any} */ (globalThis);
    return canvasText.get(document.querySelector('.plot canvas'));
  });

/** @param {BrowserPage} page @returns {Promise<number[]>} where the crosshair is in each chart, of its width */
const crosshairs = (page) =>
  page.locator('.u-over').evaluateAll((all) =>
    all.map((/** @type {any} */ one) => {
      const { left, width } = one.getBoundingClientRect();
      return (one.querySelector('.u-cursor-x').getBoundingClientRect().left - left) / width;
    }),
  );

/** @param {BrowserPage} page @returns {Promise<boolean[]>} of the page and of what is written in its first chart: is it for dark grounds? */
async function isDark(page) {
  const ground = await page.evaluate(() => {
    const { document, getComputedStyle } = /** @type {any} */ (globalThis);
    return getComputedStyle(document.body).backgroundColor;
  });
  const green = Number.parseInt((await writtenIn(page))[0]?.color.slice(3, 5) ?? '', 16);
  return [Number(ground.match(/\d+/g)?.[1]) < 60, green > 150];
}

/** A page hears of another scheme some frames later. @param {BrowserPage} page @param {boolean[]} expected of isDark */
async function becomes(page, expected) {
  for (let tries = 100; tries > 0 && `${await isDark(page)}` !== `${expected}`; tries -= 1) await sleep(50);
  assert.deepEqual(await isDark(page), expected);
}

async function unfold(/** @type {BrowserPage} */ page) {
  const folded = page.locator('details:not([open]) > summary:visible');
  while ((await folded.count()) > 0) await folded.first().click();
  await showWhole(page);
}

const AXE = readFileSync('node_modules/axe-core/axe.min.js', 'utf8');

/** @param {BrowserPage} page @returns {Promise<string[]>} */
async function violations(page) {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { axe, document } = /** @type {any} */ (globalThis);
    const found = await axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'best-practice'] });
    return found.violations.map((/** @type {any} */ { id, nodes }) => `${id}: ${nodes[0].html}`);
  });
}

for (const [width, scheme] of /** @type {[number, 'light' | 'dark'][]} */ ([
  [1440, 'light'],
  [1280, 'dark'],
  [390, 'light'],
  [1920, 'dark'],
])) {
  test(`${width} ${scheme}: charts are drawn, text can be read, axe finds nothing, nothing is asked for`, async () => {
    const bare = await open(withDataAlone(plots), { width, scheme });
    const ids = (/** @type {{id: string}[]} */ charts) => charts.map(({ id }) => id).sort();
    const ofFindings = plots.charts.filter(({ id }) => id.startsWith('finding-'));
    assert.deepEqual(Object.keys(await inkOf(bare.page)).sort(), ids([...plots.strip, ...ofFindings]));
    await unfold(bare.page);
    const inks = await inkOf(bare.page);
    assert.deepEqual(Object.keys(inks).sort(), ids([...plots.strip, ...plots.charts]));
    for (const [id, pixels] of Object.entries(inks)) assert.ok(pixels > MIN_INK, `${id}: ${pixels} pixels`);
    await bare.close();

    const [base, head] = await Promise.all([side('old', [50, 51, 49, 50]), side('new', [75, 76, 74, 75])]);
    for (const shown of [report, pageOfComparison(compare('x', base, head, DEFAULTS))]) {
      const { page, problems, close } = await open(shown, { width, scheme });
      await unfold(page);
      assert.deepEqual(await page.evaluate(textProblems), []);
      assert.deepEqual(await violations(page), []);
      assert.deepEqual(problems, []);
      await close();
    }
  });
}

test('the only moment of a series, with none next to it, can be seen', async () => {
  const values = plots.series['client.iterations']?.map((_, index) => (index === 40 ? 0.5 : null)) ?? [];
  const series = { ...plots.series, 'client.iterations': values, 'client.offered': [], 'client.dropped': [] };
  const { page, close } = await open(withDataAlone({ ...plots, series }));
  const ink = (await inkOf(page))['strip-load'] ?? 0;
  assert.ok(ink > MIN_INK && ink < 100, `${ink} pixels`);
  await close();
});

test('one time axis: the crosshair of one chart is in all, by mouse and keyboard', async () => {
  const { page, close } = await open(report);
  const lanes = page.locator('.lanes .u-over');
  const places = await lanes.evaluateAll((all) =>
    all.map((/** @type {any} */ one) => `${one.getBoundingClientRect().left} ${one.offsetWidth}`),
  );
  assert.deepEqual(places, Array(plots.strip.length).fill(places[0]));
  await lanes.first().hover({ position: { x: 300, y: 20 } });
  const [pointed = 0, ...others] = await crosshairs(page);
  for (const other of others) assert.ok(Math.abs(other - pointed) < 0.01, `${pointed}: ${others}`);

  const moment = page.locator('.lanes .u-legend .u-value').first();
  // Focus may scroll the page below a mouse that rests on a chart, which then leaves it.
  await page.mouse.move(1, 1);
  await page.locator('.lanes').focus();
  const last = (plots.series['client.p99']?.length ?? 0) - 1;
  for (const [keys, index] of /** @type {const} */ ([
    ['Home', 0],
    ['ArrowLeft', 0],
    ['ArrowRight ArrowRight ArrowLeft', 1],
    ['End', last],
  ])) {
    for (const key of keys.split(' ')) await page.keyboard.press(key);
    const shown = (await moment.textContent()) ?? '';
    assert.ok(shown.startsWith(`${clock(plots.fromS + index * plots.stepS)} (`), `${keys}: ${shown}`);
    assert.match(shown, /\(\d\d:\d\d:\d\d UTC\)$/);
  }
  for (const place of await crosshairs(page)) assert.ok(place > 0.98, String(place));
  await close();
});

test('a phase can be looked at, or what is dragged over; the whole run comes back', async () => {
  const { page, close } = await open(report);
  const whole = await picturesOf(page);
  const areOthers = async () => (await picturesOf(page)).every((picture, index) => picture !== whole[index]);
  const texts = async () => (await writtenIn(page)).map(({ text }) => text);
  const phases = async () => (await texts()).filter((text) => plots.phases.some(({ name }) => name === text));
  assert.ok((await phases()).includes('baseline'));
  const numbers = (await texts()).join().split(',');
  for (const { finding } of plots.marks) assert.ok(numbers.includes(String(finding)), numbers.join());

  const show = page.getByLabel('Show');
  await show.selectOption({ label: 'spike' });
  assert.ok(await areOthers());
  assert.deepEqual(await phases(), ['spike']);
  await show.selectOption({ label: 'the whole run' });
  assert.deepEqual(await picturesOf(page), whole);

  const lane = page.locator('.lanes .u-over').nth(1);
  await lane.hover({ position: { x: 200, y: 20 } });
  await page.mouse.down();
  await lane.hover({ position: { x: 400, y: 30 } });
  await page.mouse.up();
  assert.ok(await areOthers());
  assert.equal(await show.evaluate((/** @type {any} */ one) => one.selectedIndex), -1);
  await lane.dblclick();
  assert.deepEqual(await picturesOf(page), whole);
  assert.equal(await show.inputValue(), '');
  await close();
});

test('a legend has names before one points at its chart, and values then', async () => {
  const { page, close } = await open(report);
  const legend = page.locator('.lanes .u-legend').nth(1);
  assert.equal(await legend.innerText(), 'p99limit of p99failedlimit of failed');
  await page
    .locator('.lanes .u-over')
    .nth(1)
    .hover({ position: { x: 300, y: 20 } });
  assert.match(await legend.innerText(), /^p99:?\s*[\d,.]+ ms/);
  await close();
});

test("a finding's chart has the number of that finding alone", async () => {
  const { page, close } = await open(report);
  const texts = await page.evaluate(() => {
    const { document, canvasText } = /** @type {any} */ (globalThis);
    const written = canvasText.get(document.querySelector('#finding-1 .plot canvas'));
    return written.map((/** @type {{text: string}} */ { text }) => text);
  });
  const numbers = texts.filter((/** @type {string} */ text) => /^\d+(,\d+)*$/.test(text) && text !== '0');
  assert.ok(numbers.includes('1') && !numbers.includes('1,3'), texts.join(' '));
  await close();
});

test('a phone has the names of all phases, and five rows of a table until all are asked for', async () => {
  const [first] = report.sections.filter(({ id }) => id === 'operations');
  const [table] = first?.tables ?? [];
  assert.ok(first && table);
  const rows = Array.from({ length: 8 }, (_, index) => [
    `operation_${index}`,
    ...(table.rows[0] ?? []).slice(1),
  ]);
  const long = { ...report, sections: [{ ...first, tables: [{ ...table, rows }] }] };
  const { page, problems, close } = await open(long, { width: 390 });
  const names = page.locator('.phases span');
  assert.deepEqual(
    await names.evaluateAll((all) => all.map((/** @type {any} */ one) => one.textContent.split(' ')[1])),
    plots.phases.map(({ name }) => name),
  );
  for (const name of await names.all()) assert.ok(await name.isVisible());
  const shown = () => page.locator('#operations tbody tr:visible').count();
  assert.equal(await shown(), 5);
  await page.getByText('Show all 8 rows').click();
  assert.equal(await shown(), 8);
  assert.deepEqual(problems, []);
  await close();
  const wide = await open(long, { width: 1280 });
  assert.equal(await wide.page.locator('#operations tbody tr:visible').count(), 8);
  assert.ok(await wide.page.getByText('Show all 8 rows').isHidden());
  await wide.close();
});

test('an invalid run: a grey ground, and lines in their colours', async () => {
  const invalid = { ...report, outcome: 'invalid' };
  const ground = async (/** @type {Page} */ shown) => {
    const { page, close } = await open(shown);
    const found = await page.locator('.lanes').evaluate((lanes) => {
      const { getComputedStyle } = /** @type {any} */ (globalThis);
      return [getComputedStyle(lanes).backgroundColor, getComputedStyle(lanes.parentElement).filter];
    });
    assert.deepEqual(await violations(page), []);
    await close();
    return found;
  };
  const [usual, grey] = [await ground(report), await ground(invalid)];
  assert.notEqual(usual[0], grey[0]);
  assert.equal(grey[1], 'none');
});

test('the theme is the system’s, and a button changes page and charts by keyboard', async () => {
  const { page, problems, close } = await open(report, { scheme: 'dark' });
  assert.deepEqual(await isDark(page), [true, true]);
  await page.emulateMedia({ colorScheme: 'light' });
  await becomes(page, [false, false]);
  await page.getByRole('button', { name: 'Light or dark' }).focus();
  for (const expected of [true, false]) {
    await page.keyboard.press('Enter');
    await becomes(page, [expected, expected]);
  }
  assert.deepEqual(problems, []);
  await close();
});

test('paper: light, without what only a screen can do, charts as wide as the page, and as before afterwards', async () => {
  const { page, problems, close } = await open(report);
  await page.getByRole('button', { name: 'Light or dark' }).click();
  const before = await picturesOf(page);
  await page.pdf({ format: 'A4', printBackground: true });
  assert.deepEqual(await picturesOf(page), before);
  // As a browser does: what draws for paper does so while the page is still the screen's.
  await page.evaluate(() => /** @type {any} */ (globalThis).dispatchEvent(new Event('beforeprint')));
  assert.deepEqual(await isDark(page), [true, false]);
  await page.emulateMedia({ media: 'print' });
  assert.deepEqual(await isDark(page), [false, false]);
  // A4 between the margins.
  await page.setViewportSize({ width: 703, height: 900 });
  for (const one of ['.bar', '#zoom']) assert.ok(await page.locator(one).isHidden(), one);
  const shares = await page
    .locator('.plot:visible')
    .evaluateAll((all) => all.map((/** @type {any} */ one) => one.firstChild.offsetWidth / one.offsetWidth));
  for (const share of shares) assert.ok(share > 0.9 && share <= 1, shares.join());
  await showWhole(page);
  assert.deepEqual(await page.evaluate(textProblems), []);
  assert.deepEqual(problems, []);
  await close();
});

test('the keyboard reaches every link, button, choice and fold, and the charts, and sees where it is', async () => {
  const { page, close } = await open(report);
  const every = 'a[href], button, select, summary, .lanes';
  const count = await page.locator(every).locator('visible=true').count();
  /** @type {Set<number>} */
  const reached = new Set();
  for (let step = 0; step < count; step += 1) {
    await page.keyboard.press('Tab');
    const [index, outline] = await page.evaluate((every) => {
      const { document, getComputedStyle } = /** @type {any} */ (globalThis);
      const focused = document.activeElement;
      return [[...document.querySelectorAll(every)].indexOf(focused), getComputedStyle(focused).outlineStyle];
    }, every);
    assert.equal(outline, 'solid', String(index));
    reached.add(index);
  }
  assert.ok(reached.size === count && !reached.has(-1), [...reached].join());
  await close();
});

test("a finding's series leads to its chart, even where that is folded away", async () => {
  const { page, close } = await open(report);
  const link = page.locator('#findings .card a[href^="#chart-"]').first();
  const chart = page.locator((await link.getAttribute('href')) ?? '');
  assert.ok(await chart.isHidden());
  await link.click();
  await chart.locator('canvas').waitFor();
  const box = await chart.boundingBox();
  assert.ok(box && box.y >= 0 && box.y < 500, JSON.stringify(box));
  await close();
});

test('without a timeline, and without scripts, the report is still there to read', async () => {
  const { page, problems, close } = await open(pageOfRun(run, null));
  assert.ok(await page.locator('[data-part="strip"] p').isVisible());
  assert.equal(await page.locator('canvas').count(), 0);
  assert.deepEqual(problems, []);
  await close();
  const context = await browser.newContext({ javaScriptEnabled: false });
  const unscripted = await context.newPage();
  await unscripted.goto(pathToFileURL(fileOf(report)).href);
  assert.ok(await unscripted.locator('[data-unscripted]').isVisible());
  assert.ok(await unscripted.getByRole('button', { name: 'Light or dark' }).isHidden());
  assert.ok(await unscripted.locator('#answer h1').isVisible());
  await context.close();
});

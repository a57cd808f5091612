/**
 * What a reader does with report.html: opens the file, reads, points, follows a finding to its chart, zooms, changes the theme,
 * prints. The report is made of a real run's figures, docs/reports/pool-limited-spike.
 */
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { numbered } from '../../analysis/render/observations.js';
import { chartId, chartsOf } from '../../analysis/report/chart-list.js';
import { embedded } from '../../analysis/report/page.js';
import { renderReport } from '../../analysis/report/report.js';
import { command } from '../lab.js';
import { openBrowser } from './browser.js';
import { textProblems } from './page-checks.js';
import { openFile, showWhole } from './page-file.js';

const RECORDED = 'docs/reports/pool-limited-spike';
const scratch = mkdtempSync(join(tmpdir(), 'report-'));
const folder = join(scratch, 'spike');

/** @type {import('playwright-core').Browser} */
let browser;
/** @type {import('../../analysis/run.js').Run} */
let run;
/** @type {import('../../analysis/timeline.js').Timeline} */
let timeline;

/** @param {string} name @returns {any} */
const read = (name) => JSON.parse(readFileSync(join(folder, name), 'utf8'));

before(async () => {
  mkdirSync(folder);
  for (const name of ['run.json', 'timeline.json']) copyFileSync(join(RECORDED, name), join(folder, name));
  run = read('run.json');
  timeline = read('timeline.json');
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  rmSync(scratch, { recursive: true, force: true });
});

/** @typedef {{width?: number, scheme?: 'light' | 'dark'}} Reader */
const open = (/** @type {string} */ file, /** @type {Reader} */ reader = {}) =>
  openFile(browser, file, reader);
const openReport = (/** @type {Reader} */ reader = {}) => open(join(folder, 'report.html'), reader);

/** A line of one pixel may lie across two, each half as opaque; the grid and the areas below lines are less. */
const OPAQUE = 100;

/**
 * @param {import('playwright-core').Page} page
 * @returns {Promise<number[]>} of each chart, how many pixels between its axes are opaque: its lines, not its grid
 */
const inkOf = (page) =>
  page.locator('.chart-card').evaluateAll(
    (cards, OPAQUE) =>
      cards.map((/** @type {any} */ card) => {
        const canvas = card.querySelector('canvas');
        const plot = card.querySelector('.u-over');
        if (!canvas || !plot) return 0;
        const [outer, inner] = [canvas, plot].map((one) => one.getBoundingClientRect());
        const scale = canvas.width / outer.width;
        // A line at zero is half below its axis.
        const box = [inner.left - outer.left, inner.top - outer.top, inner.width, inner.height + 2];
        const { data } = canvas.getContext('2d').getImageData(...box.map((side) => Math.round(side * scale)));
        let pixels = 0;
        for (let at = 3; at < data.length; at += 4) if (data[at] >= OPAQUE) pixels += 1;
        return pixels;
      }),
    OPAQUE,
  );

/**
 * Writes a report whose charts have their data and no lines of limits, and the same without any data.
 *
 * @param {import('../../analysis/timeline.js').Timeline} shown
 * @returns {{drawn: string, empty: string}} paths of the pages
 */
function writeBare(shown) {
  const directory = mkdtempSync(join(scratch, 'bare-'));
  const page = renderReport(run, shown);
  const [, text = ''] = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(page) ?? [];
  const data = JSON.parse(text);
  const write = (/** @type {string} */ name) => {
    const file = join(directory, name);
    writeFileSync(
      file,
      page.replace(text, () => String(embedded(data))),
    );
    return file;
  };
  for (const { panel } of data.charts) delete panel.fieldConfig.defaults.thresholds;
  const drawn = write('drawn.html');
  for (const name of Object.keys(data.series)) data.series[name] = [];
  return { drawn, empty: write('empty.html') };
}

/**
 * @param {{drawn: string, empty: string}} pages
 * @param {Reader} reader
 * @returns {Promise<number[]>} of each chart, how many pixels its data is
 */
async function dataInk({ drawn, empty }, reader) {
  /** @type {number[][]} */
  const inks = [];
  for (const file of [drawn, empty]) {
    const { page, close } = await open(file, reader);
    inks.push(await inkOf(page));
    await close();
  }
  return (inks[0] ?? []).map((pixels, index) => pixels - (inks[1]?.[index] ?? 0));
}

/** @param {import('playwright-core').Page} page @returns {Promise<string[][]>} what is written in each chart */
const textsOf = (page) =>
  page.locator('.chart-card canvas').evaluateAll((canvases) => {
    const { canvasText } = /** @type {any} */ (globalThis);
    return canvases.map((canvas) => (canvasText.get(canvas) ?? []).map((/** @type {any} */ one) => one.text));
  });

test('`scripts/report` writes a run’s reports, the same again and again, without Prometheus', async () => {
  const names = ['report.html', 'report.md', 'junit.xml', 'summary.csv'];
  /** @type {Buffer[][]} */
  const made = [];
  for (let turn = 0; turn < 2; turn += 1) {
    for (const name of names) rmSync(join(folder, name), { force: true });
    const { code, output } = await command('scripts/report', [folder], {
      PROMETHEUS_URL: 'http://127.0.0.1:9',
    });
    assert.equal(code, 0, output);
    made.push(names.map((name) => readFileSync(join(folder, name))));
  }
  for (const [index, name] of names.entries())
    assert.ok(made[0]?.[index]?.equals(made[1]?.[index] ?? Buffer.of()), `${name} is another`);
});

/** A single point is a dot of 7 pixels across. */
const LEAST_INK = 20;
/** Of the run, for all views of it. @type {ReturnType<typeof writeBare> | undefined} */
let bare;

for (const [name, reader] of /** @type {[string, {width: number, scheme: 'light' | 'dark'}][]} */ ([
  ['light', { width: 1280, scheme: 'light' }],
  ['dark', { width: 1280, scheme: 'dark' }],
  ['a narrow window', { width: 400, scheme: 'light' }],
  ['a wide window', { width: 1920, scheme: 'dark' }],
])) {
  test(`${name}: every chart is drawn, all text can be read, nothing is wider than the window, nothing is asked for`, async () => {
    const { page, problems, close } = await openReport(reader);
    const expected = chartsOf(run, timeline).groups.flatMap(({ charts }) => charts);
    assert.ok(expected.length > 10, String(expected.length));
    bare ??= writeBare(timeline);
    const ink = await dataInk(bare, reader);
    assert.equal(ink.length, expected.length);
    for (const [index, pixels] of ink.entries())
      assert.ok(pixels > LEAST_INK, `${expected[index]?.title} has ${pixels} pixels`);
    await showWhole(page);
    assert.deepEqual(await page.evaluate(textProblems), []);
    assert.deepEqual(problems, []);
    await close();
  });
}

test('the only moment of a series, with none beside it, can be seen', async () => {
  const values = Array.from({ length: timeline.count }, (_, index) =>
    index === Math.floor(timeline.count / 2) ? 0.5 : null,
  );
  const others = Object.entries(timeline.client).filter(([name]) => !name.startsWith('failures_'));
  const shown = {
    ...timeline,
    client: { ...Object.fromEntries(others), failures_timeout: { unit: 'rate', values } },
  };
  const charts = chartsOf(run, shown).groups.flatMap((group) => group.charts);
  const index = charts.findIndex(({ title }) => title === 'Failures by kind');
  for (const scheme of /** @type {const} */ (['light', 'dark'])) {
    const ink = await dataInk(writeBare(shown), { scheme });
    assert.ok(Number(ink[index]) > LEAST_INK, `${ink[index]} pixels`);
  }
});

test('phases are shaded and named in every chart, and findings marked where they were read from', async () => {
  const { page, close } = await openReport();
  const texts = await textsOf(page);
  for (const written of texts) assert.ok(written.includes('baseline'), written.join(' '));
  const expected = chartsOf(run, timeline).groups.flatMap(({ charts }) => charts);
  for (const [index, { marks, title }] of expected.entries()) {
    if (marks.length > 0)
      assert.ok(
        texts[index]?.some((text) => text.startsWith('finding')),
        title,
      );
  }
  // Where a phase is, the ground of the plot is not that of what is beside all phases.
  const shades = await page
    .locator('.chart-card canvas')
    .first()
    .evaluate((/** @type {any} */ canvas) => {
      const context = canvas.getContext('2d');
      const y = Math.round(canvas.height * 0.45);
      return new Set(
        [0.3, 0.5, 0.62, 0.75].map((x) => [...context.getImageData(canvas.width * x, y, 1, 1).data].join()),
      ).size;
    });
  assert.ok(shades > 1, String(shades));
  await close();
});

test("a finding's series leads to its chart", async () => {
  const { page, close } = await openReport();
  const links = page.locator('.finding a[href^="#chart-"]');
  const observed = numbered(run.findings).flatMap(({ finding }) => finding.observations ?? []);
  assert.ok(observed.length > 0, 'the run has no finding with an observation');
  const href = (await links.first().getAttribute('href')) ?? '';
  assert.equal(href, `#${chartId(observed[0]?.series ?? '')}`);
  await links.first().click();
  const chart = page
    .locator('.chart-card', { has: page.locator(href) })
    .or(page.locator(`.chart-card${href}`));
  const box = await chart.boundingBox();
  assert.ok(box && box.y >= 40 && box.y < 500, JSON.stringify(box));
  assert.equal(
    await chart.evaluate((one) => /** @type {any} */ (globalThis).getComputedStyle(one).outlineStyle),
    'solid',
  );
  await close();
});

test('all charts have one time axis, the cursor of one is in all, and a phase can be looked at', async () => {
  const { page, close } = await openReport();
  const plots = page.locator('.chart-card .u-over');
  const insets = await plots.evaluateAll((all) =>
    all.map((/** @type {any} */ one) => {
      const card = one.closest('.chart-card').getBoundingClientRect();
      const { left, width } = one.getBoundingClientRect();
      return [Math.round(left - card.left), Math.round(width)].join();
    }),
  );
  assert.equal(new Set(insets).size, 1, insets.join(' '));
  await plots.first().scrollIntoViewIfNeeded();
  const box = await plots.first().boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + 0.6 * box.width, box.y + box.height / 2);
  const places = await plots.evaluateAll((all) =>
    all.map((/** @type {any} */ one) => {
      const { left, width } = one.getBoundingClientRect();
      return (one.querySelector('.u-cursor-x').getBoundingClientRect().left - left) / width;
    }),
  );
  for (const place of places) assert.ok(Math.abs(place - 0.6) < 0.03, places.join(' '));
  const tooltip = await page.locator('.tooltip').textContent();
  const at = new Date((timeline.start_s + 0.6 * timeline.step_s * (timeline.count - 1)) * 1000);
  // To the minute: it tells UTC, as the page does, wherever it is read.
  assert.ok(
    tooltip?.includes(at.toISOString().slice(0, 16).replace('T', ' ')),
    `${tooltip} at ${at.toISOString()}`,
  );
  await page.mouse.move(1, 1);

  const before = await textsOf(page);
  await page.getByLabel('Show').selectOption({ label: 'spike' });
  const zoomed = await textsOf(page);
  assert.notDeepEqual(zoomed, before);
  assert.ok(
    zoomed.every((texts) => texts.includes('spike') && !texts.includes('baseline')),
    JSON.stringify(zoomed[0]),
  );
  await page.getByLabel('Show').selectOption({ label: 'the whole run' });
  assert.deepEqual(await textsOf(page), before);
  const { x, y, width, height } = box;
  await page.mouse.move(x + 0.2 * width, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + 0.4 * width, y + height / 2, { steps: 4 });
  await page.mouse.up();
  assert.notDeepEqual(await textsOf(page), before);
  await plots.first().dblclick();
  assert.deepEqual(await textsOf(page), before);
  await close();
});

test('the theme is the system’s, and a button changes page and charts', async () => {
  const { page, problems, close } = await openReport({ scheme: 'dark' });
  /** @returns {Promise<number[]>} brightness of the page and of an axis' text, of 255 */
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
  // By the keyboard alone.
  await page.getByRole('button', { name: 'Light or dark' }).focus();
  await page.keyboard.press('Enter');
  const [lightPage = 0, lightText = 255] = await brightness();
  assert.ok(lightPage > 200 && lightText < 120, `${lightPage} ${lightText}`);
  assert.deepEqual(problems, []);
  await close();
});

test('paper: light, without what only a screen can do, charts as wide as the page, and as before afterwards', async () => {
  const { page, problems, close } = await openReport({ scheme: 'dark' });
  const before = await inkOf(page);
  const pdf = await page.pdf({ format: 'A4', printBackground: true });
  assert.equal(pdf.subarray(0, 5).toString(), '%PDF-');
  assert.deepEqual(await inkOf(page), before);
  // What it prints, on a screen as wide as A4 between the margins.
  await page.emulateMedia({ media: 'print' });
  await page.setViewportSize({ width: 700, height: 900 });
  await page.evaluate(() => /** @type {any} */ (globalThis).dispatchEvent(new Event('beforeprint')));
  assert.ok(await page.getByRole('button', { name: 'Light or dark' }).isHidden());
  assert.ok(await page.getByLabel('Show').isHidden());
  const sizes = await page.locator('.chart-card').evaluateAll((cards) =>
    cards.map((/** @type {any} */ card) => {
      const plot = card.querySelector('.u-wrap').getBoundingClientRect();
      const { right, width } = card.getBoundingClientRect();
      return { inside: plot.right <= right, share: plot.width / width };
    }),
  );
  for (const { inside, share } of sizes) assert.ok(inside && share > 0.85, `${inside} ${share}`);
  const height = await page.evaluate(
    () => /** @type {any} */ (globalThis).document.documentElement.scrollHeight,
  );
  await page.setViewportSize({ width: 700, height });
  assert.deepEqual(await page.evaluate(textProblems), []);
  assert.deepEqual(problems, []);
  await close();
});

test('the keyboard reaches every link, the choice of a phase and the legends, and sees where it is', async () => {
  const { page, close } = await openReport();
  const reachable = await page.locator('a[href], button:visible, select:visible').count();
  /** @type {Set<string>} */
  const reached = new Set();
  for (let step = 0; step < reachable; step += 1) {
    await page.keyboard.press('Tab');
    reached.add(
      await page.evaluate(() => {
        const all = /** @type {any} */ (globalThis);
        const focused = all.document.activeElement;
        const { outlineStyle, outlineWidth } = all.getComputedStyle(focused);
        const order = [...all.document.querySelectorAll('a[href], button, select')].indexOf(focused);
        return outlineStyle === 'none' || outlineWidth === '0px' ? 'not shown' : String(order);
      }),
    );
  }
  assert.ok(!reached.has('not shown'));
  assert.equal(reached.size, reachable);
  await close();
});

test('without a timeline, and without scripts, the report is still there to read', async () => {
  const bare = join(scratch, 'bare.html');
  writeFileSync(bare, renderReport(run, null));
  const { page, problems, close } = await open(bare);
  assert.match((await page.locator('#charts').textContent()) ?? '', /There are no charts/);
  assert.equal(await page.locator('canvas').count(), 0);
  assert.deepEqual(problems, []);
  await close();
  const context = await browser.newContext({ javaScriptEnabled: false });
  const unscripted = await context.newPage();
  await unscripted.goto(pathToFileURL(join(folder, 'report.html')).href);
  assert.ok(
    await unscripted
      .getByText('The charts are drawn by a script of this page, which did not run.')
      .isVisible(),
  );
  assert.ok(await unscripted.getByRole('button', { name: 'Light or dark' }).isHidden());
  assert.ok(await unscripted.locator('#verdict h1').isVisible());
  await context.close();
});

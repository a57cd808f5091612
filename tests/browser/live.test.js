/** The live page in a browser: of a run's folder that grows, until its verdict is there. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { beginRun, writeSeconds } from '../unit/cli/live-fixture.js';
import { openBrowser, watchedPage } from './browser.js';
import { textProblems } from './page-checks.js';
import { showWhole } from './page-file.js';

const RECORDED = 'docs/reports/pool-limited-spike';
/** A title as somebody's own scenario might have it. */
const HOSTILE = '</script><img src=x onerror=document.title=1>';

const results = mkdtempSync(join(tmpdir(), 'live-'));
const folder = join(results, 'spike-1');
/** @type {import('playwright-core').Browser} */
let browser;
/** @type {import('node:child_process').ChildProcess} */
let live;
let url = '';

before(async () => {
  browser = await openBrowser();
  const env = {
    ...process.env,
    RESULTS_DIR: results,
    RUN_DIR: join(results, '.run'),
    STACK: 'native',
    RUN: '',
    PORT: '',
    DISPLAY: '',
    WAYLAND_DISPLAY: '',
  };
  live = spawn('scripts/live', { env, stdio: ['ignore', 'pipe', 'inherit'] });
  if (!live.stdout) throw new Error('no output');
  for await (const line of createInterface({ input: live.stdout })) {
    url = line;
    break;
  }
});
after(async () => {
  await browser?.close();
  live?.kill('SIGINT');
  rmSync(results, { recursive: true });
});

test('a run from before it begins to its verdict, with one page that stays open', async () => {
  const { page, problems, close } = await watchedPage(browser, new URL(url).origin, { width: 1440 });
  await page.goto(url);
  await page.getByText('WAITING for a run.').waitFor();
  assert.ok(!page.url().includes('token'), 'it does not stay where it can be read');

  const startedS = Math.floor(Date.now() / 1000) - 40;
  beginRun(folder, { title: HOSTILE });
  const baseline = { phase: 'baseline', startedS, requests: 10, ms: 40 };
  writeSeconds(folder, { ...baseline, fromS: startedS + 10, toS: startedS + 30 });
  await page.getByText(/^RUNNING: 0:\d\d of 0:50, \d+ s left in spike/).waitFor();
  const count = () => page.locator('.lanes canvas').count();
  await page.locator('.lanes canvas').nth(1).waitFor();
  const drawn = await count();
  const first = await page.locator('.lanes canvas').first().elementHandle();

  writeSeconds(folder, {
    phase: 'spike',
    startedS,
    requests: 200,
    ms: 900,
    fromS: startedS + 30,
    toS: startedS + 40,
  });
  await page.locator('tr', { hasText: 'spike overload' }).getByText('2,000').waitFor();
  assert.equal(await count(), drawn);
  assert.ok(await first?.evaluate((canvas) => canvas.isConnected), 'the same chart, with more in it');
  assert.ok(await page.getByText(HOSTILE).isVisible());
  await showWhole(page);
  assert.deepEqual(await page.evaluate(textProblems), []);

  for (const name of ['timeline.json', 'run.json']) copyFileSync(join(RECORDED, name), join(folder, name));
  const { headline } = JSON.parse(readFileSync(join(RECORDED, 'run.json'), 'utf8'));
  await page.getByText(headline).waitFor();
  await page.locator('#finding-1 canvas').waitFor();
  assert.deepEqual(problems, []);

  // The next run takes its place.
  mkdirSync(join(results, 'spike-2'));
  beginRun(join(results, 'spike-2'));
  await page.getByText('RUNNING: the load has not begun yet.').waitFor();
  assert.equal(await page.locator('#finding-1').count(), 0);
  await page.reload();
  await page.getByText('RUNNING: the load has not begun yet.').waitFor();
  assert.deepEqual(problems, []);
  await close();
});

test('without the token nothing is shown; when it has ended, that is said, and what was known stays', async () => {
  const { page, close } = await watchedPage(browser, new URL(url).origin);
  await page.goto(new URL('/', url).href);
  await page.getByText('This page needs the full URL that make live printed.').waitFor();
  await page.goto('about:blank');
  await page.goto(url);
  await page.getByText('RUNNING: the load has not begun yet.').waitFor();
  live.kill('SIGINT');
  await page.getByText('make live does not answer; this page shows the last data.').waitFor();
  assert.ok(await page.getByText('RUNNING: the load has not begun yet.').isVisible());
  await close();
});

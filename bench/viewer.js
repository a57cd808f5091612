/**
 * `make bench-viewer`: how fast the viewer draws the overview with an hour of a run at 5 s resolution, and how much of
 * a core refreshing it every five seconds takes.
 *
 * A Prometheus of its own is given an hour of a made-up run by remote write, every two seconds of it, with k6's labels
 * and native histograms (see run-data.js), and gets on with it while the page is live. The page is opened in a headless
 * Chromium without a graphics card, in two windows, and so high that every panel is in view. Drawn: from the last byte of
 * the last answer to the moment at which every panel in view is settled and a frame has been presented. Live: the
 * processor time that the kernel counts for the page's renderer process over a minute of refreshes, with nothing
 * subtracted; what Chromium's other processes take stands beside it.
 */
import { chromium } from 'playwright-core';
import { toolPath } from '../tests/tool.js';
import { listen, viewer } from '../viewer/server.js';
import { count, run, say, sleep, startPrometheus } from './harness.js';
import { remoteWrite } from './remote-write.js';
import { RunData, TESTID } from './run-data.js';
import { printTable, verdict } from './table.js';

const SECONDS_LIVE = count('SECONDS_LIVE', 60);
const HOUR_MS = 3_600_000;
const WRITE_EVERY_MS = 2000;
const MAX_DRAWN_MS = 1000;
const MAX_CPU_SHARE = 0.05;
/** Until what a page does once is over. */
const SETTLE_MS = 6000;
const VIEWS = [
  { part: '1280 x 900', size: { width: 1280, height: 900 } },
  { part: '1920 x 1080', size: { width: 1920, height: 1080 } },
  { part: 'every panel', size: { width: 1280, height: 900 }, isWhole: true },
];

/** Notes when the page is ready: after the frame that shows it. */
function noteReady() {
  const page = /** @type {any} */ (globalThis);
  new page.MutationObserver(() => {
    if (page.document.body?.dataset.state !== 'ready' || page.readyAt) return;
    page.requestAnimationFrame(() => page.setTimeout(() => (page.readyAt = page.performance.now()), 0));
  }).observe(page.document, {
    attributes: true,
    subtree: true,
    childList: true,
    attributeFilter: ['data-state'],
  });
}

/** @returns {{readyAt: number, firstAnswer: number, lastAnswer: number, answers: number, bytes: number}} in milliseconds since the page was opened */
function readTimes() {
  const page = /** @type {any} */ (globalThis);
  const answers = page.performance
    .getEntriesByType('resource')
    .filter((/** @type {any} */ { name }) => name.includes('/api/v1/'));
  const ends = answers
    .map((/** @type {any} */ { responseEnd }) => responseEnd)
    .filter((/** @type {number} */ end) => end <= page.readyAt);
  return {
    readyAt: page.readyAt,
    firstAnswer: Math.min(...ends),
    lastAnswer: Math.max(...ends),
    answers: ends.length,
    bytes: answers.reduce(
      (/** @type {number} */ sum, /** @type {any} */ { encodedBodySize }) => sum + encodedBodySize,
      0,
    ),
  };
}

await run(async ({ folder, later }) => {
  const prometheus = await startPrometheus(folder);
  later(prometheus.stop);
  say('writing an hour of a run ...');
  const data = new RunData(Date.now() - HOUR_MS);
  let pushes = 0;
  const write = async () => {
    for (const push of data.pushes(Date.now())) {
      await remoteWrite(prometheus.url, push);
      pushes += 1;
    }
  };
  await write();
  say(`${pushes} pushes written`);
  let isOver = false;
  const writing = (async () => {
    while (!isOver) {
      await write();
      await sleep(WRITE_EVERY_MS);
    }
  })();
  later(async () => {
    isOver = true;
    await writing;
  });

  const server = viewer({ prometheusUrl: prometheus.url });
  const origin = await listen(server, 0);
  later(() => {
    server.closeAllConnections();
    server.close();
  });
  const browser = await chromium.launch({
    executablePath: toolPath('chromium'),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  later(() => browser.close());
  const system = await browser.newBrowserCDPSession();
  /** @returns {Promise<Record<string, number>>} seconds of processor time by type of process */
  const cpuTimes = async () => {
    const { processInfo } = await system.send('SystemInfo.getProcessInfo');
    /** @type {Record<string, number>} */
    const byType = {};
    for (const { type, cpuTime } of processInfo) byType[type] = (byType[type] ?? 0) + cpuTime;
    return byType;
  };

  const rows = [];
  let holds = true;
  for (const { part, size, isWhole } of VIEWS) {
    const page = await browser.newPage({ viewport: size });
    const problems = /** @type {string[]} */ ([]);
    page.on('pageerror', (error) => problems.push(String(error)));
    const address = `${origin}/d/mcp-load-test?var-testid=${TESTID}&from=now-1h&to=now`;
    if (isWhole) {
      await page.goto(`${address}&refresh=off`);
      const height = await page.evaluate('document.documentElement.scrollHeight');
      await page.setViewportSize({ ...size, height: Number(height) + 20 });
    }
    await page.addInitScript(noteReady);
    await page.goto(`${address}&refresh=5s`);
    // The page's policy lets nothing be evaluated in it, so Playwright's own waiting can't either.
    while (!(await page.evaluate(() => /** @type {any} */ (globalThis).readyAt))) await sleep(50);
    const times = await page.evaluate(readTimes);
    const drawn = await page.locator('section.panel[data-state="drawn"]').count();
    const failed = await page.locator('section.panel[data-state="error"]').count();
    const drawnMs = times.readyAt - times.lastAnswer;
    say(`${part}: ${drawn} panels drawn; live for ${SECONDS_LIVE} s ...`);
    await sleep(SETTLE_MS);
    const before = await cpuTimes();
    const beganMs = performance.now();
    await sleep(SECONDS_LIVE * 1000);
    const after = await cpuTimes();
    const seconds = (performance.now() - beganMs) / 1000;
    /** @param {string} type */
    const share = (type) => ((after[type] ?? 0) - (before[type] ?? 0)) / seconds;
    const others = Object.keys(after)
      .filter((type) => type !== 'renderer')
      .reduce((sum, type) => sum + share(type), 0);
    const isFine =
      drawnMs <= MAX_DRAWN_MS && share('renderer') <= MAX_CPU_SHARE && failed === 0 && problems.length === 0;
    holds &&= isFine;
    rows.push([
      part,
      String(drawn),
      `${times.answers}, ${(times.bytes / 1e6).toFixed(1)} MB`,
      `${Math.round(times.lastAnswer - times.firstAnswer)} ms`,
      `${Math.round(drawnMs)} ms`,
      `${(share('renderer') * 100).toFixed(1)}%`,
      `${(others * 100).toFixed(1)}%`,
      problems[0] ?? (failed > 0 ? `${failed} panels failed` : verdict(isFine)),
    ]);
    await page.close();
  }
  printTable(
    [
      'in view',
      'panels',
      'answers',
      'arrive within',
      'drawn after the last',
      'live: renderer',
      'other processes',
      '',
    ],
    rows,
  );
  console.log(
    `An hour of a run, a sample every 2 s, drawn at 5 s; shares are of one core, over ${SECONDS_LIVE} s of refreshing every 5 s.\n` +
      `Limits: drawn ${MAX_DRAWN_MS} ms after the last answer; the renderer ${MAX_CPU_SHARE * 100}% of a core.`,
  );
  return holds;
});

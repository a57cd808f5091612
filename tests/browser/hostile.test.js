/** Reports of a server that means harm, as a reader opens them: what it says is text, whatever it looks like. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pageOfRun } from '../../analysis/report/run-page.ts';
import { documentOf } from '../../page/document.ts';
import { spikeRun, timelineOf } from '../unit/analysis/report-fixture.js';
import { openBrowser } from './browser.js';
import { openFile } from './page-file.js';

const EVIL = [
  '<script>document.title="HOSTILE"</script>',
  '</script><script>document.title="HOSTILE"</script><!--',
  '"><img src=x onerror="document.title=\'HOSTILE\'"><svg/onload=document.title="HOSTILE">',
  "' autofocus onfocus=document.title='HOSTILE' x='",
  '<a href="javascript:document.title=1">x</a><iframe srcdoc="<script>top.document.title=1</script>">',
  '<style>*{display:none}</style><meta http-equiv=refresh content=0;url=http://127.0.0.1:1/>',
  '\\u003cscript\\u003edocument.title=1\\u003c/script\\u003e $document.title=1',
];
/** Texts that a server may have a say in. */
const ITS = /^(operation|method|statement|evidence|sample|reasons|name|version|title|text|subject|cpu|os)$/;

/**
 * @template T
 * @param {T} value
 * @returns {T} every text that a server may have a say in, with an attack behind it
 */
function withAttacks(value) {
  let turn = 0;
  /** @param {any} node @param {string} key @returns {any} */
  const attack = (node, key) => {
    if (typeof node === 'string') return ITS.test(key) ? `${node} ${EVIL[turn++ % EVIL.length]}` : node;
    if (Array.isArray(node)) return node.map((each) => attack(each, key));
    if (node === null || typeof node !== 'object') return node;
    return Object.fromEntries(Object.entries(node).map(([name, each]) => [name, attack(each, name)]));
  };
  return attack(value, '');
}

/** @type {import('playwright-core').Browser} */
let browser;
const folder = mkdtempSync(join(tmpdir(), 'mcp-load-lab-hostile-'));
before(async () => {
  browser = await openBrowser();
});
after(async () => {
  rmSync(folder, { recursive: true });
  await browser?.close();
});

test('a report in which every text is an attack: nothing is run, asked for, hidden or left', async () => {
  const run = await spikeRun();
  const { operations, failures, findings, verdict, target, title, thresholds, environment } = run;
  const hostile = {
    ...run,
    ...withAttacks({ operations, failures, findings, verdict, target, title, environment }),
    thresholds: thresholds.map((threshold) => ({ ...threshold, reason: EVIL.join(' ') })),
  };
  const file = join(folder, 'report.html');
  writeFileSync(file, documentOf(pageOfRun(/** @type {any} */ (hostile), timelineOf(run))));
  const { page, problems, close } = await openFile(browser, file);
  await page.waitForTimeout(300);
  const seen = await page.evaluate(() => {
    const { document, getComputedStyle } = /** @type {any} */ (globalThis);
    return {
      title: document.title,
      text: document.body.innerText,
      strays: document.querySelectorAll(
        'img, iframe, object, embed, [onerror], [onload], [onfocus], a[href^="javascript:"]',
      ).length,
      scripts: document.scripts.length,
      hidden: getComputedStyle(document.body).display,
    };
  });
  assert.doesNotMatch(seen.title, /^(HOSTILE|1)$/);
  assert.ok(
    EVIL.slice(0, 3).every((text) => seen.text.includes(text.slice(0, 30))),
    'it is there to read',
  );
  assert.equal(seen.strays, 0);
  assert.ok(seen.scripts <= 3, String(seen.scripts));
  assert.notEqual(seen.hidden, 'none');
  assert.deepEqual(problems, []);
  await close();
});

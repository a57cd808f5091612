/** The checks by themselves: each finds what it is for, and nothing on a page that is in order. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { openBrowser, watchedPage } from './browser.js';
import { textProblems } from './page-checks.js';

const STYLE = `<style>body { margin: 0; font: 14px sans-serif; background: #fff; color: #222; }
  .at { position: absolute; } .narrow { width: 60px; white-space: nowrap; overflow: hidden; }
  section { position: absolute; top: 20px; left: 20px; width: 200px; height: 100px; }</style>`;

/** @param {string} draw lines of a script with `context`, twice as fine as the page */
const canvas = (draw) => `<section data-panel="7"><canvas style="width:200px;height:100px"></canvas></section>
  <script>const canvas = document.querySelector('canvas'); canvas.width = 400; canvas.height = 200;
  const context = canvas.getContext('2d'); context.font = '24px sans-serif'; context.fillStyle = '#333'; ${draw}</script>`;

/** @type {Record<string, [html: string, problems: RegExp[]]>} */
const PAGES = {
  'lines, nested text, an ellipsis with its title, a list that scrolls': [
    `<p style="line-height:1.1">one <b>two</b> three<br>four</p>
     <p class="narrow" style="text-overflow:ellipsis" title="a text that is long">a text that is long</p>
     <div style="height:30px;overflow:auto"><p>one</p><p>two</p><p>three</p></div><p>after</p>`,
    [],
  ],
  'a hidden text beneath another': ['<p class="at">one</p><p class="at" style="opacity:0">two</p>', []],
  'a text upon another': ['<p class="at">one</p><p class="at">two</p>', [/^overlap: "one".*"two"/]],
  'cut off without an ellipsis': [
    '<p class="narrow" title="a text that is long">a text that is long</p>',
    [/^cut off: "a text/],
  ],
  'cut off with an ellipsis, and the rest nowhere': [
    '<p class="narrow" style="text-overflow:ellipsis">a text that is long</p>',
    [/^cut off: "a text/],
  ],
  'cut off below': ['<div style="height:9px;overflow:hidden">text</div>', [/^cut off: "text"/]],
  'out of its panel': [
    '<section data-panel="3"><p class="at" style="left:180px;white-space:nowrap">a text that is long</p></section>',
    [/^outside of its panel: .*panel 3/],
  ],
  'too pale': ['<p style="color:#999">pale</p>', [/^contrast 2\.8, at least 4\.5: "pale"/]],
  'pale by opacity': ['<div style="opacity:.5"><p>pale</p></div>', [/^contrast .*"pale"/]],
  'pale, but large': ['<p style="color:#888;font-size:24px">large</p>', []],
  'white upon a light part of a gradient': [
    '<p style="color:#fff;background:linear-gradient(#222,#bbb)">text</p>',
    [/^contrast 1\.9/],
  ],
  'upon what is not its ancestor': [
    '<div class="at" style="width:90px;height:90px;background:#333"></div><p class="at">text</p>',
    [/^contrast 1\.\d/],
  ],
  'wider than the window': ['<div style="width:3000px">text</div>', [/^the page is 3000 wide/]],
  'labels of an axis': [
    canvas(`context.fillText('one', 40, 60); context.fillText('two', 120, 60);
      context.translate(380, 100); context.rotate(-Math.PI / 2); context.fillText('up', 0, 0);`),
    [],
  ],
  'labels that were drawn anew': [
    canvas(
      `context.fillText('one', 40, 60); context.clearRect(0, 0, 400, 200); context.fillText('two', 40, 60);`,
    ),
    [],
  ],
  'labels upon one another': [
    canvas(`context.fillText('one', 40, 60); context.fillText('two', 50, 60);`),
    [/^overlap: "two".*"one".*canvas/],
  ],
  'a label wider than its axis': [
    canvas(`context.textAlign = 'right'; context.fillText('1,000,000 req/s', 100, 60);`),
    [/^cut off: "1,000,000 req\/s" on the canvas of panel 7/],
  ],
  'a label too pale': [
    canvas(`context.fillStyle = '#aaa'; context.fillText('one', 40, 60);`),
    [/^contrast 2\.\d.*"one"/],
  ],
};

let html = '';
const server = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end(html));
let origin = '';
/** @type {import('playwright-core').Browser} */
let browser;
/** @type {import('./browser.js').Watched} */
let watched;
before(async () => {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  origin = `http://127.0.0.1:${port}`;
  browser = await openBrowser();
  watched = await watchedPage(browser, origin);
});
after(async () => {
  await browser?.close();
  server.closeAllConnections();
  server.close();
});

/** @param {string} body @param {string} [policy] */
async function open(body, policy = '') {
  const meta = policy && `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
  html = `<!doctype html><link rel="icon" href="data:,">${meta}${STYLE}${body}`;
  watched.problems.length = 0;
  await watched.page.goto(origin);
}

for (const [name, [body, wanted]] of Object.entries(PAGES)) {
  test(`${name}: ${wanted.length === 0 ? 'nothing is wrong' : 'found'}`, async () => {
    await open(body);
    const found = await watched.page.evaluate(textProblems);
    assert.equal(found.length, wanted.length, found.join('\n'));
    wanted.forEach((pattern, index) => {
      assert.match(found[index] ?? '', pattern);
    });
    assert.deepEqual(watched.problems, []);
  });
}

/** @type {Record<string, [html: string, policy: string, problem: RegExp]>} */
const EVENTS = {
  'an error on the console': ['<script>console.error("oh")</script>', '', /^console: oh/],
  'an error that nothing catches': ['<script>throw new Error("oh")</script>', '', /^page error: Error: oh/],
  'another origin': ['<img src="http://127.0.0.1:9/pixel.png">', '', /^asked another origin/],
  'a script that the policy forbids': [
    '<script>var x = 1</script>',
    "script-src 'self'",
    /^content policy: script-src/,
  ],
};
for (const [name, [body, policy, wanted]] of Object.entries(EVENTS)) {
  test(`${name} is noted`, async () => {
    await open(body, policy);
    await watched.page.waitForTimeout(100);
    assert.ok(
      watched.problems.some((problem) => wanted.test(problem)),
      watched.problems.join('\n'),
    );
  });
}

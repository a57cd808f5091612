/**
 * A web page of somebody else, in the user's browser on this machine, while a test runs: it may ask any address that it likes. What it
 * gets to read and what it gets to write, by a browser's judgement.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { writeRequest } from '../../analysis/collect/remote-write.ts';
import { askPrometheus, assertMeasured, envFile, runTest } from '../lab.js';
import { ownStack } from '../own-stack.js';
import { openBrowser } from './browser.js';

await ownStack();

const TESTID = 'forged-by-a-page';

/** @type {import('playwright-core').Browser} */
let browser;
/** @type {import('playwright-core').Page} */
let page;
const site = createServer((_, response) => {
  response.setHeader('content-type', 'text/html');
  response.end('<!doctype html><title>somebody else</title>');
});

before(async () => {
  await new Promise((resolve) => site.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (site.address());
  browser = await openBrowser();
  page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${port}/`);
});
after(async () => {
  await browser?.close();
  site.close();
});

/**
 * What the page gets of a request: the text that it may read, `sent` where it only knows that there was an answer, `refused` else.
 *
 * @param {string} url
 * @param {{method?: string, mode?: string, credentials?: string, body?: string | number[]}} [request]
 * @returns {Promise<string>}
 */
function ask(url, request = {}) {
  return page.evaluate(
    async ([address, { body, ...options }]) => {
      const { fetch, AbortSignal } = /** @type {any} */ (globalThis);
      // A browser may wait for the user to sign in, for as long as he likes.
      const signal = AbortSignal.timeout(2000);
      const sent = body === undefined ? {} : { body: Array.isArray(body) ? new Uint8Array(body) : body };
      try {
        const answer = await fetch(address, { ...options, ...sent, signal });
        return answer.type === 'opaque' ? 'sent' : await answer.text();
      } catch {
        return 'refused';
      }
    },
    /** @type {[string, any]} */ ([url, request]),
  );
}

/** @returns {Promise<unknown[]>} */
const forged = async () => (await askPrometheus('query', { query: `{testid="${TESTID}"}` })).result;

test('it reads nothing of Prometheus', async () => {
  const { PROMETHEUS_URL } = envFile('stack.env');
  for (const path of ['label/__name__/values', 'query?query=up', 'targets', 'status/config']) {
    for (const credentials of ['omit', 'include'])
      assert.equal(await ask(`${PROMETHEUS_URL}/api/v1/${path}`, { credentials }), 'refused', path);
  }
});

test('it writes no sample into Prometheus', async () => {
  const { PROMETHEUS_URL } = envFile('stack.env');
  const labels = { outcome: 'pass', testid: TESTID };
  const body = [...writeRequest([{ name: 'mcp_verdict', labels, value: 1, timeS: Date.now() / 1000 }])];
  for (const credentials of ['omit', 'include']) {
    const plain = { method: 'POST', mode: 'no-cors', credentials, body };
    await ask(`${PROMETHEUS_URL}/api/v1/write`, plain);
    assert.equal(await ask(`${PROMETHEUS_URL}/api/v1/write`, { ...plain, mode: 'cors' }), 'refused');
  }
  assert.deepEqual(await forged(), []);
});

test("it does not reach k6's API while a test runs: the run is made as it was meant", async () => {
  /** @type {string[]} */
  const got = [];
  /** @type {string[]} */
  let targets = [];
  const result = await runTest(
    'sustained',
    { PROFILE: 'smoke', RATE_SCALE: '0.1', DURATION: '8s', THRESHOLDS: 'off' },
    async () => {
      const folder = envFile('stack.env').PROMETHEUS_TARGETS_DIR ?? '';
      const [file = ''] = readdirSync(folder).filter((name) => name.startsWith('k6-'));
      [{ targets }] = JSON.parse(readFileSync(join(folder, file), 'utf8'));
      const port = targets[0]?.split(':')[1];
      // A page that somehow knows the port.
      for (const host of ['127.0.0.1', 'localhost']) {
        for (const path of ['teardown', 'setup', 'status', 'metrics']) {
          got.push(await ask(`http://${host}:${port}/v1/${path}`, { method: 'POST', mode: 'no-cors' }));
        }
      }
    },
  );
  assertMeasured(result);
  assert.match(`${targets}`, /^127\.(?!0\.0\.1:)\d+\.\d+\.\d+:\d+$/);
  assert.deepEqual(got, Array(8).fill('refused'));
  const [phase] = result.document.phases.filter((/** @type {any} */ { measured }) => measured);
  assert.ok(phase.requests > 0 && result.document.verdict.outcome !== 'error', result.output.slice(-3000));
});

test('it changes nothing of what the stack listens with besides', async () => {
  const stack = envFile('stack.env');
  for (const [port, path, body] of [
    [stack.UPSTREAM_PORT, '/certificates', '{"domains":["a.example"],"order":"issue"}'],
    [stack.TARGET_ADMIN_PORT, '/admin/faults', '{"cache_off":1}'],
    [stack.TARGET_PORT, '/mcp', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'],
    [stack.SUPERVISOR_PORT, '/RPC2', '<methodCall><methodName>supervisor.shutdown</methodName></methodCall>'],
    [stack.REDIS_PORT, '/', 'FLUSHALL\r\n'],
    [stack.POSTGRES_PORT, '/', 'select 1'],
  ]) {
    const url = `http://127.0.0.1:${port}${path}`;
    for (const credentials of ['omit', 'include']) {
      await ask(url, { method: 'POST', mode: 'no-cors', credentials, body: `${body}` });
      assert.equal(await ask(url, { credentials }), 'refused', url);
      assert.equal(await ask(url, { method: 'POST', credentials, body: `${body}` }), 'refused', url);
    }
  }
  // More than the authority has for a domain in a minute.
  for (let order = 0; order < 6; order += 1) {
    const body = '{"domains":["a.example"],"order":"issue"}';
    await ask(`${stack.UPSTREAM_URL}/certificates`, { method: 'POST', mode: 'no-cors', body });
  }
  const orders = await fetch(`${stack.UPSTREAM_URL}/certificates`, {
    method: 'POST',
    body: '{"domains":["a.example"],"order":"issue"}',
  });
  assert.notEqual(orders.status, 429, 'none of its orders was taken');
});

/**
 * What the stack listens with, asked as a page in a browser asks: with an origin of its own, or under a name of its own that leads to
 * this machine (DNS rebinding). And its password: where it may not be.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer as createWebServer, request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { startToxiproxy } from '../../scenarios/chaos/toxiproxy.ts';
import {
  assertMeasured,
  command,
  control,
  envFile,
  prometheusAccess,
  runTest,
  stackHeaders,
} from '../lab.js';
import { ownStack } from '../own-stack.js';
import { toolPath } from '../tool.js';

await ownStack();

const stack = envFile('stack.env');
const PAGE = 'http://page.example';

/**
 * Not with fetch, which lets nobody set a Host.
 *
 * @param {string | undefined} port
 * @param {string} path
 * @param {{method?: string, headers?: Record<string, string>, body?: string, host?: string}} [options] host: an address
 * @returns {Promise<{status: number, allowed: string | undefined}>} allowed: the origin that may read it
 */
function ask(port, path, { method = 'GET', headers = {}, body, host = '127.0.0.1' } = {}) {
  return new Promise((resolve, reject) => {
    const sent = request({ host, port, path, method, headers, timeout: 5000 }, (answer) => {
      answer.resume();
      const { 'access-control-allow-origin': allowed } = answer.headers;
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, allowed }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const FROM_A_PAGE = { origin: PAGE, 'sec-fetch-site': 'cross-site' };
const REBOUND = { host: 'page.example' };

test('Prometheus answers nobody without the password, whatever is asked, and allows no origin', async () => {
  const paths = [
    '/',
    '/-/ready',
    '/-/healthy',
    '/metrics',
    '/query',
    '/api/v1/query?query=up',
    '/api/v1/targets',
  ];
  for (const path of [...paths, '/api/v1/write', '/api/v1/otlp/v1/metrics', '/-/reload', '/-/quit']) {
    for (const headers of [{}, FROM_A_PAGE, REBOUND]) {
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const { status, allowed } = await ask(stack.PROMETHEUS_PORT, path, { method, headers });
        assert.deepEqual([status, allowed], [401, undefined], `${method} ${path}`);
      }
    }
  }
  const headers = { ...stackHeaders(), origin: PAGE };
  assert.deepEqual(await ask(stack.PROMETHEUS_PORT, '/api/v1/query?query=up', { headers }), {
    status: 200,
    allowed: undefined,
  });
  // Remote write is the only way in.
  const otlp = { method: 'POST', headers: stackHeaders() };
  assert.equal((await ask(stack.PROMETHEUS_PORT, '/api/v1/otlp/v1/metrics', otlp)).status, 404);
  const wrong = { authorization: `Basic ${Buffer.from('lab:wrong').toString('base64')}` };
  assert.equal((await ask(stack.PROMETHEUS_PORT, '/metrics', { headers: wrong })).status, 401);
});

test('every other listener: who may read, and who may steer', async () => {
  for (const headers of [FROM_A_PAGE, REBOUND, {}]) {
    const foreign = Object.keys(headers).length > 0;
    for (const [port, path, expected, options] of /** @type {[string, string, number, object?][]} */ ([
      [stack.NODE_EXPORTER_PORT, '/metrics', 401],
      [stack.POSTGRES_EXPORTER_PORT, '/metrics', 401],
      // Read-only, and no secret in them: docs/security.md.
      [stack.REDIS_EXPORTER_PORT, '/metrics', 200],
      [stack.TARGET_ADMIN_PORT, '/metrics', 200],
      [stack.TARGET_PORT, '/health', 200],
      [stack.TARGET_ADMIN_PORT, '/admin/faults', 401, { method: 'PUT', body: '{"cache_off":1}' }],
      [stack.TARGET_PORT, '/mcp', headers === FROM_A_PAGE ? 403 : 401, { method: 'POST', body: '{}' }],
      [stack.SUPERVISOR_PORT, '/RPC2', 401, { method: 'POST', body: '<methodCall/>' }],
      [stack.SUPERVISOR_PORT, '/', 401],
      [stack.UPSTREAM_PORT, '/health', foreign ? 403 : 200],
      [stack.UPSTREAM_PORT, '/certificates', foreign ? 403 : 400, { method: 'POST', body: '{}' }],
    ])) {
      const { status, allowed } = await ask(port, path, { ...options, headers });
      assert.deepEqual([status, allowed], [expected, undefined], `${path} ${JSON.stringify(headers)}`);
    }
  }
});

test("Redis' exporter sends Redis' password to no other address that a page names", async () => {
  let got = '';
  const elsewhere = createServer((socket) => {
    socket.on('data', (chunk) => {
      got += chunk;
      socket.write('-ERR no\r\n');
    });
    socket.on('error', () => {});
  });
  await new Promise((resolve) => elsewhere.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (elsewhere.address());
  await ask(stack.REDIS_EXPORTER_PORT, `/scrape?target=redis://127.0.0.1:${port}`);
  elsewhere.close();
  assert.notEqual(got, '', 'it connects');
  assert.ok(!got.includes(envFile('secrets.env').REDIS_PASSWORD ?? 'none') && !/AUTH/.test(got), got);
});

test("Toxiproxy's API, which asks nobody who he is, is at an address that nobody guesses", async () => {
  assert.equal((await command('scripts/setup', ['toxiproxy'])).code, 0);
  const toxiproxy = await startToxiproxy(toolPath('toxiproxy'));
  try {
    const { hostname, port } = new URL(toxiproxy.server.url);
    assert.match(hostname, /^127\.(?!0\.0\.1$)/);
    await assert.rejects(ask(port, '/version'), /ECONNREFUSED/);
    assert.equal((await ask(port, '/version', { host: hostname })).status, 200);
  } finally {
    await toxiproxy.stop();
  }
});

/** @param {string} file of /proc @returns {string} empty where the process is gone */
function ofProcess(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

test("Prometheus' password is on no command line while a test runs, and in nothing that it leaves", async () => {
  const { PROMETHEUS_PASSWORD } = prometheusAccess();
  assert.match(PROMETHEUS_PASSWORD, /^[0-9a-f]{48}$/);
  const spellings = [PROMETHEUS_PASSWORD, (stackHeaders().authorization ?? '').replace('Basic ', '')];
  const holds = (/** @type {string} */ text) => spellings.some((one) => text.includes(one));
  let looks = 0;
  /** @type {Set<string>} */
  const found = new Set();
  let over = false;
  const watching = (async () => {
    for (; !over; looks += 1) {
      for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
        const line = ofProcess(`/proc/${pid}/cmdline`);
        if (holds(line)) found.add(line.slice(0, 40));
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  })();
  const up = await command('scripts/up', []);
  const result = await runTest('sustained', {
    ...{ PROFILE: 'smoke', RATE_SCALE: '0.1', DURATION: '4s', THRESHOLDS: 'off' },
  });
  over = true;
  await watching;
  assertMeasured(result);
  assert.ok(looks > 50, `${looks} looks`);
  assert.deepEqual([...found], []);
  assert.ok(!holds(up.output + result.output));
  for (const name of readdirSync(result.folder))
    assert.ok(!holds(readFileSync(join(result.folder, name), 'latin1')), name);
  const RUN_DIR = process.env.RUN_DIR ?? '.run';
  for (const name of ['prometheus', 'exporters'].flatMap((who) => [`${who}.password`, `${who}.web.yml`]))
    assert.equal(statSync(join(RUN_DIR, 'prometheus', name)).mode & 0o777, 0o600, name);
  for (const name of readdirSync(join(RUN_DIR, 'log')))
    assert.ok(!holds(readFileSync(join(RUN_DIR, 'log', name), 'latin1')), name);
});

test('the target, and all that it starts, has no password of Prometheus', () => {
  const RUN_DIR = process.env.RUN_DIR ?? '.run';
  for (const name of ['target', 'upstream', 'supervisord', 'postgres', 'redis']) {
    const [pid] = readFileSync(join(RUN_DIR, 'pids', name), 'utf8').split(' ');
    const environment = ofProcess(`/proc/${pid}/environ`);
    assert.notEqual(environment, '', name);
    assert.ok(!environment.includes(prometheusAccess().PROMETHEUS_PASSWORD), name);
  }
});

/** @param {string | undefined} port @returns {Promise<string>} the login of whoever asks there next, '' where he tells none */
async function nextLogin(port) {
  const { promise, resolve } = Promise.withResolvers();
  const squatter = createWebServer(({ headers: { authorization = '' } }, answer) => {
    answer.end();
    resolve(Buffer.from(authorization.replace('Basic ', ''), 'base64').toString());
  });
  squatter.listen(Number(port), '127.0.0.1');
  try {
    return await promise;
  } finally {
    squatter.closeAllConnections();
    squatter.close();
  }
}

test('who takes the port of an exporter that is down gets no password that opens anything else', async () => {
  const { EXPORTERS_PASSWORD, PROMETHEUS_PASSWORD } = envFile('secrets.env');
  await control('stop', 'redis_exporter');
  assert.equal(await nextLogin(stack.REDIS_EXPORTER_PORT), '');
  await control('stop', 'node_exporter');
  assert.equal(await nextLogin(stack.NODE_EXPORTER_PORT), `lab:${EXPORTERS_PASSWORD}`);
  assert.notEqual(EXPORTERS_PASSWORD, PROMETHEUS_PASSWORD);
});

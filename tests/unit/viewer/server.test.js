/** The viewer's server against a small upstream of our own, by raw HTTP: what `fetch` would not send, others do. */
import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import { after, before, test } from 'node:test';
import { prometheusHeaders } from '../../../analysis/prometheus-headers.js';
import { dashboardFiles, listen, viewer } from '../../../viewer/server.js';
import { freePort } from '../../lab.js';

/** @type {{url: string, authorization: string | undefined}[]} what the upstream was asked */
const asked = [];
/** @type {{status: number, body: string}} what it answers */
let answer = { status: 200, body: '{"status":"success","data":{"resultType":"vector","result":[]}}' };
const upstream = createServer((incoming, response) => {
  asked.push({ url: incoming.url ?? '', authorization: incoming.headers.authorization });
  response
    .writeHead(answer.status, { 'content-type': 'application/json', 'set-cookie': 'a=b' })
    .end(answer.body);
});
const SUCCESS = answer;
/** @type {import('node:http').Server} */
let server;
let port = 0;

before(async () => {
  await new Promise((resolve) => upstream.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port: upstreamPort } = /** @type {import('node:net').AddressInfo} */ (upstream.address());
  const headers = prometheusHeaders({ PROMETHEUS_USERNAME: 'reader', PROMETHEUS_PASSWORD: 's:cret' });
  server = viewer({ prometheusUrl: `http://127.0.0.1:${upstreamPort}/sub/`, headers });
  port = Number(new URL(await listen(server, 0)).port);
});
after(() => {
  server.closeAllConnections();
  server.close();
  upstream.closeAllConnections();
  upstream.close();
});

/**
 * @param {string} path as it is, without what `URL` would make of it
 * @param {{method?: string, headers?: Record<string, string>}} [options]
 * @returns {Promise<{status: number, headers: import('node:http').IncomingHttpHeaders, body: string}>}
 */
function get(path, { method = 'GET', headers = {} } = {}) {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, path, method, headers: { host: `127.0.0.1:${port}`, ...headers } },
      (response) => {
        let body = '';
        response.setEncoding('utf8');
        response.on('data', (part) => {
          body += part;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
        );
      },
    );
    sent.on('error', reject);
    sent.end();
  });
}

const RANGE = '/api/v1/query_range?query=up&start=1000&end=2000&step=5';

test('it listens on the loopback address alone', () => {
  const { address } = /** @type {import('node:net').AddressInfo} */ (server.address());
  assert.equal(address, '127.0.0.1');
});

test('/ leads to the overview, whose page is there', async () => {
  const { status, headers } = await get('/');
  assert.equal(status, 302);
  assert.equal(headers.location, '/d/mcp-overview');
  const page = await get('/d/mcp-overview?from=now-5m');
  assert.equal(page.status, 200);
  assert.match(page.body, /<script src="\/page\/main\.js" type="module">/);
});

test('everything that the page names is served, with its type', async () => {
  const { body } = await get('/d/mcp-overview');
  const names = [...body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, name = '']) => name);
  assert.ok(names.length >= 5);
  for (const name of names) {
    const { status, headers } = await get(name);
    assert.equal(status, 200, name);
    assert.match(
      headers['content-type'] ?? '',
      name.endsWith('.js') ? /^text\/javascript/ : /^(text\/css|image\/svg)/,
      name,
    );
  }
});

test('all dashboards below the folders are there', async () => {
  const list = JSON.parse((await get('/dashboards')).body);
  assert.deepEqual(
    list.map((/** @type {any} */ { uid }) => uid).sort(),
    dashboardFiles()
      .map(({ uid }) => uid)
      .sort(),
  );
  for (const { uid, title } of list)
    assert.equal(JSON.parse((await get(`/dashboards/${uid}`)).body).title, title);
  const missing = await get('/dashboards/none');
  assert.equal(missing.status, 404);
  assert.equal(JSON.parse(missing.body).error, 'there is no dashboard none');
});

test('every answer has the strict policies and no cookie, refusals too', async () => {
  for (const path of ['/d/mcp-overview', '/page/main.js', '/dashboards', RANGE, '/none', '/']) {
    const { headers } = await get(path);
    const policy = String(headers['content-security-policy']);
    for (const part of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]) {
      assert.ok(policy.split('; ').includes(part), `${path}: ${part}`);
    }
    assert.ok(!policy.includes('unsafe'), path);
    assert.equal(headers['x-content-type-options'], 'nosniff', path);
    assert.equal(headers['referrer-policy'], 'no-referrer', path);
    assert.equal(headers['cross-origin-resource-policy'], 'same-origin', path);
    assert.equal(headers['set-cookie'], undefined, path);
    assert.equal(headers['access-control-allow-origin'], undefined, path);
  }
});

test('it reads only', async () => {
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD', 'TRACE']) {
    for (const path of ['/', RANGE, '/dashboards']) {
      const { status, headers } = await get(path, { method });
      assert.equal(status, 405, `${method} ${path}`);
      assert.equal(headers.allow, 'GET');
    }
  }
});

test('nothing but the two endpoints reaches Prometheus', async () => {
  asked.length = 0;
  for (const path of [
    '/api/v1/status/config',
    '/api/v1/admin/tsdb/delete_series?match[]=up',
    '/api/v1/write',
    '/api/v1/query/',
    '/api/v1/query_exemplars?query=up',
    '/api/v1/../v1/targets',
    '/api/v1/query/../status/flags',
    '/api/v1/%71uery?query=up&time=1',
    '//api/v1/query?query=up&time=1',
    '/-/reload',
    '/metrics',
    'http://elsewhere/metrics',
  ]) {
    assert.equal((await get(path)).status, 404, path);
  }
  assert.deepEqual(asked, []);
});

test('no path leads out of the folders', async () => {
  for (const path of [
    '/page/../server.js',
    '/page/..%2fserver.js',
    '/page/%2e%2e/server.js',
    '/page/render/../../server.js',
    '/page//etc/passwd',
    '/page/..\\server.js',
    '/page/tsconfig.json/../../server.js',
    '/page/main.js%00.css',
    '/uplot/../../../package.json',
    '/uplot/package.json',
    '/dashboards/../provider',
    '/dashboards/..%2fprovider',
    '/d/../page/main.js/x',
    '/package.json',
    '/.git/config',
  ]) {
    const { status, body } = await get(path);
    assert.equal(status, 404, path);
    assert.ok(!body.includes('import '), path);
  }
});

test('a name that is not this machine’s is refused, whatever address it leads to', async () => {
  for (const host of [
    'evil.example',
    'evil.example:3001',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    '10.0.0.1',
    '0.0.0.0:3001',
  ]) {
    assert.equal((await get(RANGE, { headers: { host } })).status, 403, host);
  }
  for (const host of [`localhost:${port}`, '127.0.0.1', `[::1]:${port}`]) {
    assert.equal((await get('/dashboards', { headers: { host } })).status, 200, host);
  }
});

test('another site may link to a dashboard, and ask nothing', async () => {
  const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
  assert.equal((await get('/d/mcp-overview', { headers: link })).status, 200);
  assert.equal((await get(RANGE, { headers: link })).status, 403);
  assert.equal(
    (await get('/d/mcp-overview', { headers: { ...link, 'sec-fetch-dest': 'iframe' } })).status,
    403,
  );
  for (const site of ['cross-site', 'same-site']) {
    assert.equal(
      (await get('/dashboards', { headers: { 'sec-fetch-site': site, 'sec-fetch-mode': 'no-cors' } })).status,
      403,
      site,
    );
  }
  assert.equal((await get('/dashboards', { headers: { 'sec-fetch-site': 'same-origin' } })).status, 200);
});

test('a query is passed on with its parameters, a time-out and the credentials, and nothing else', async () => {
  asked.length = 0;
  const { status, body, headers } = await get(
    `${RANGE.replace('up', encodeURIComponent('sum(rate(x{a="b"}[8s]))'))}`,
    {
      headers: { authorization: 'Bearer of-the-browser', cookie: 'a=b' },
    },
  );
  assert.equal(status, 200);
  assert.equal(body, SUCCESS.body);
  assert.equal(headers['content-type'], 'application/json; charset=utf-8');
  const [{ url = '', authorization = '' } = {}] = asked;
  const { pathname, searchParams } = new URL(url, 'http://upstream');
  assert.equal(pathname, '/sub/api/v1/query_range');
  assert.deepEqual(Object.fromEntries(searchParams), {
    query: 'sum(rate(x{a="b"}[8s]))',
    start: '1000',
    end: '2000',
    step: '5',
    timeout: '30s',
  });
  assert.equal(Buffer.from(authorization.replace('Basic ', ''), 'base64').toString(), 'reader:s:cret');
});

test('parameters that are missing, unknown, repeated or too large are refused before Prometheus sees them', async () => {
  asked.length = 0;
  for (const [path, message] of /** @type {[string, RegExp][]} */ ([
    ['/api/v1/query', /0 characters/],
    ['/api/v1/query?query=up', /^time: a number/],
    ['/api/v1/query?query=up&time=now', /^time: a number/],
    ['/api/v1/query?query=up&time=1&timeout=9h', /^the parameter timeout: query, time, each once/],
    ['/api/v1/query?query=up&query=down&time=1', /^the parameter query/],
    ['/api/v1/query?query=up&time=1&stats=all', /^the parameter stats/],
    ['/api/v1/query_range?query=up&start=1&end=2', /^step: a number/],
    ['/api/v1/query_range?query=up&start=1&end=2&step=0', /the step is 0 s/],
    ['/api/v1/query_range?query=up&start=0&end=999999&step=1', /fewer than 11000 points/],
    ['/api/v1/query_range?query=up&start=-1&end=2&step=1', /^start: a number/],
    [`/api/v1/query?query=${'x'.repeat(8001)}&time=1`, /8001 characters; 1 to 8000/],
  ])) {
    const { status, body } = await get(path);
    assert.equal(status, 400, path);
    assert.match(JSON.parse(body).error, message, path);
  }
  assert.deepEqual(asked, []);
  assert.equal((await get(`/api/v1/query?query=${'x'.repeat(40_000)}&time=1`)).status, 431);
  assert.equal((await get(`/api/v1/query?query=${'x'.repeat(8000)}&time=1`)).status, 200);
});

test('what Prometheus says of a query passes as one line, without where it is', async () => {
  answer = {
    status: 400,
    body: JSON.stringify({ status: 'error', error: `1:3: parse error: bad\nand more ${'x'.repeat(500)}` }),
  };
  const bad = await get('/api/v1/query?query=(&time=1');
  assert.equal(bad.status, 400);
  assert.deepEqual(JSON.parse(bad.body), {
    status: 'error',
    error: 'Prometheus answered 400: 1:3: parse error: bad',
  });
  answer = { status: 401, body: 'Unauthorized' };
  const unauthorized = await get('/api/v1/query?query=up&time=1');
  assert.equal(unauthorized.status, 502);
  assert.equal(JSON.parse(unauthorized.body).error, 'Prometheus answered 401: Unauthorized');
  answer = SUCCESS;
});

test('a Prometheus that is away is said, and no credentials', async (t) => {
  const headers = prometheusHeaders({ PROMETHEUS_USERNAME: 'reader', PROMETHEUS_PASSWORD: 'secret' });
  const away = viewer({ prometheusUrl: `http://127.0.0.1:${await freePort()}`, headers });
  t.after(() => {
    away.closeAllConnections();
    away.close();
  });
  const origin = await listen(away, 0);
  const response = await fetch(`${origin}/api/v1/query?query=up&time=1`);
  assert.equal(response.status, 502);
  const text = await response.text();
  assert.match(text, /Prometheus can't be reached \(ECONNREFUSED\)/);
  assert.doesNotMatch(text, /secret|reader|127/);
});

test('a URL that is none is refused in one line', () => {
  for (const url of ['', 'prometheus', 'file:///etc/passwd', 'http://']) {
    assert.throws(
      () => viewer({ prometheusUrl: url }),
      /^Error: PROMETHEUS_URL is no URL; valid: one that begins with/,
    );
  }
});

test('a URL with a user name or a password in it is refused, without repeating it', () => {
  for (const url of ['http://reader:s3cret@127.0.0.1:9090', 'http://reader@127.0.0.1:9090']) {
    assert.throws(
      () => viewer({ prometheusUrl: url }),
      /^Error: PROMETHEUS_URL has a user name or a password in it(?!.*(reader|s3cret))/,
    );
  }
});

test('a port that is taken is passed over, and said where it was asked for', async () => {
  const second = viewer({ prometheusUrl: 'http://127.0.0.1:1' });
  await assert.rejects(listen(second, port), /PORT is \d+, which is taken/);
  const third = viewer({ prometheusUrl: 'http://127.0.0.1:1' });
  const fourth = viewer({ prometheusUrl: 'http://127.0.0.1:1' });
  const urls = [await listen(third, null), await listen(fourth, null)];
  assert.notEqual(urls[0], urls[1]);
  third.close();
  fourth.close();
});

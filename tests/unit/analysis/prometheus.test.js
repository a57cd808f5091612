import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, test } from 'node:test';
import { increaseIn, observeIncreases } from '../../../analysis/collect/increases.ts';
import { observe } from '../../../analysis/collect/observe.ts';
import { Prometheus, PrometheusError } from '../../../analysis/collect/prometheus.ts';
import { untilCovered } from '../../../analysis/collect/signals.ts';
import { phases } from '../../../analysis/judge/phases.ts';
import { STARTED_MS, summary } from './build.js';

/** @typedef {(url: URL, response: import('node:http').ServerResponse) => void} Handler */

/** @type {Handler} */
let handle = () => {};
/** @type {URL[]} */
let asked = [];
const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  asked.push(url);
  handle(url, response);
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(null)));
const base = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`;
after(() => {
  server.closeAllConnections();
  server.close();
});

/** @param {Handler} handler @param {number} [timeoutMs] */
function serve(handler, timeoutMs = 200) {
  handle = handler;
  asked = [];
  return new Prometheus(base, { timeoutMs, tries: 2, pauseMs: 5 });
}

/** @param {unknown} data @returns {Handler} */
const success = (data) => (_, response) => response.end(JSON.stringify({ status: 'success', data }));
/** @param {any[]} result */
const matrix = (...result) => ({ resultType: 'matrix', result });

test('series come sorted, with finite points only', async () => {
  const prometheus = serve(
    success(
      matrix(
        {
          metric: { __name__: 'b' },
          values: [
            [2, '1.5'],
            [4, 'NaN'],
            [6, '+Inf'],
            [8, '-3'],
          ],
        },
        { metric: { __name__: 'a' }, values: [[2, '0']] },
      ),
    ),
  );
  assert.deepEqual(await prometheus.queryRange('x', 2, 8, 2), [
    { labels: { __name__: 'a' }, points: [[2, 0]] },
    {
      labels: { __name__: 'b' },
      points: [
        [2, 1.5],
        [8, -3],
      ],
    },
  ]);
  assert.deepEqual(Object.fromEntries(asked[0]?.searchParams ?? []), {
    query: 'x',
    start: '2.000',
    end: '8.000',
    step: '2',
  });
});

test('a day in steps of 2 s is asked for in parts, no point twice and none left out', async () => {
  const prometheus = serve(({ searchParams }, response) => {
    const [start, end] = ['start', 'end'].map((name) => Number(searchParams.get(name)));
    const values = [];
    for (let time = start ?? 0; time <= (end ?? 0); time += 2) values.push([time, '1']);
    assert.ok(values.length <= 11_000);
    success(matrix({ metric: {}, values }))(new URL(base), response);
  }, 10_000);
  const [series] = await prometheus.queryRange('x', 0, 86_400, 2);
  assert.equal(asked.length, 5);
  assert.equal(series?.points.length, 43_201);
  assert.ok(series?.points.every(([time], index) => time === index * 2));
});

/** @type {Record<string, [Handler, RegExp, number]>} what it does, what is said of it, requests made */
const FAULTS = {
  'a server error is tried again': [
    (_, response) => response.writeHead(500).end('oops'),
    /answered 500: oops$/,
    2,
  ],
  'a refused query is not': [
    (_, response) => response.writeHead(422).end(JSON.stringify({ status: 'error', error: 'parse error' })),
    /answered 422: parse error$/,
    1,
  ],
  'not Prometheus at all': [(_, response) => response.end('<html>hello'), /answered 200: <html>hello$/, 1],
  'nothing in the answer': [(_, response) => response.end(), /answered 200: nothing$/, 1],
  'another kind of data': [success({ resultType: 'vector', result: [] }), /did not answer with a matrix$/, 1],
  'no answer': [() => {}, /did not answer in 0\.2 s$/, 2],
  'half an answer': [
    (_, response) => response.writeHead(200).write('{"status"'),
    /did not answer in 0\.2 s$/,
    2,
  ],
  'a cut connection': [(_, response) => response.destroy(), /cannot be reached \(\w+\)$/, 2],
};
for (const [name, [handler, message, requests]] of Object.entries(FAULTS)) {
  test(name, async () => {
    const prometheus = serve(handler);
    await assert.rejects(
      () => prometheus.queryRange('x', 0, 2, 2),
      (error) => error instanceof PrometheusError && message.test(error.message),
    );
    assert.equal(asked.length, requests);
  });
}

test('it comes back after one failure', async () => {
  const prometheus = serve((url, response) => {
    if (asked.length === 1) response.writeHead(503).end();
    else success(matrix())(url, response);
  });
  assert.deepEqual(await prometheus.queryRange('x', 0, 2, 2), []);
});

test('nobody there, and no URL at all', async () => {
  const limits = { timeoutMs: 200, tries: 1 };
  const closed = createServer();
  await new Promise((resolve) => closed.listen(0, '127.0.0.1', () => resolve(null)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (closed.address());
  await new Promise((resolve) => closed.close(resolve));
  await assert.rejects(
    () => new Prometheus(`http://127.0.0.1:${port}`, limits).recordingRules(),
    /ECONNREFUSED/,
  );
  await assert.rejects(() => new Prometheus('nonsense', limits).recordingRules(), PrometheusError);
});

test('the wait ends when the last sample is there', async () => {
  let newest = 98;
  const prometheus = serve((url, response) => {
    success(matrix({ metric: {}, values: [[newest, '1']] }))(url, response);
    newest += 2;
  });
  await untilCovered(prometheus, 100, () => 101);
  // A rule's value at the end is of the scrape before it: 98 and 100 are too early.
  assert.equal(asked.length, 3);
});

test('the wait ends 6 s after the end, samples or not, and an old run is not waited for', async () => {
  const prometheus = serve(success(matrix()));
  let now = 100;
  await untilCovered(prometheus, 100, () => {
    now += 2.5;
    return now;
  });
  assert.equal(asked.length, 2);
  asked = [];
  await untilCovered(prometheus, 100);
  assert.equal(asked.length, 0);
});

const spike = summary({
  phases: [
    { name: 'warm-up', measured: false, duration_s: 5 },
    { name: 'baseline', duration_s: 20, figures: {} },
    { name: 'spike', duration_s: 5, offered_rps: 99, overload: true, figures: {} },
    { name: 'recovered', duration_s: 20, figures: {} },
  ],
});

const SUBJECT = { testid: 'spike-1', server: '' };

test('all that is asked of a run: signals a measured phase, the rules, the signals over time', async () => {
  const prometheus = serve((url, response) => {
    if (url.pathname === '/api/v1/rules') {
      const rules = [
        { name: 'signal:cpu:ratio' },
        { name: 'signal:pool_utilization:ratio' },
        { name: 'other' },
      ];
      return success({ groups: [{ rules }] })(url, response);
    }
    if (url.pathname === '/api/v1/query') return success({ resultType: 'vector', result: [] })(url, response);
    const end = Number(url.searchParams.get('end'));
    const values = [[end, '0.5']];
    return success(matrix({ metric: { __name__: 'signal:cpu:ratio' }, values }))(url, response);
  });
  const server = await observe(prometheus, SUBJECT, phases(spike), []);
  assert.equal(server.problem, null);
  assert.deepEqual(
    server.signals.map(({ signal, phase }) => [signal, phase]),
    [
      ['cpu', 'baseline'],
      ['cpu', 'spike'],
      ['cpu', 'recovered'],
    ],
  );
  assert.deepEqual(server.silent, ['pool_utilization']);
  assert.deepEqual(Object.keys(server.overTime), ['cpu']);
  const ranges = asked
    .filter(({ searchParams }) => searchParams.get('query')?.includes('signal:'))
    .map(({ searchParams }) =>
      ['start', 'end'].map((name) => Number(searchParams.get(name)) - STARTED_MS / 1000),
    );
  // Baseline 5..25 without its first 8 s, around the end of the spike 25..30, recovered 30..50: counted back. Then the
  // timeline, of all.
  assert.deepEqual(ranges, [
    [13, 25],
    [30, 32],
    [38, 50],
    [0, 52],
  ]);
});

test('without Prometheus, or with one that fails, the run keeps its client figures and says why', async () => {
  const all = phases(spike);
  const without = await observe(null, SUBJECT, all, []);
  assert.deepEqual([without.signals, without.problem], [[], 'the run did not use Prometheus']);
  const failing = await observe(
    serve((_, response) => response.writeHead(500).end()),
    SUBJECT,
    all,
    [],
  );
  assert.deepEqual(failing.signals, []);
  assert.match(failing.problem ?? '', /answered 500/);
});

test('a run that did not begin asks nothing', async () => {
  const prometheus = serve(success(matrix()));
  const dead = summary({ startedMs: null, phases: [{ name: 'a' }] });
  assert.equal((await observe(prometheus, SUBJECT, phases(dead), [])).problem, null);
  assert.equal(asked.length, 0);
});

test('an instant query', async () => {
  const prometheus = serve(
    success({
      resultType: 'vector',
      result: [{ metric: { __name__: 'k6_mcp_requests_total', phase: 'a' }, value: [1_795_254_902, '2296'] }],
    }),
  );
  assert.deepEqual(await prometheus.query('x', 12.5), [
    { labels: { __name__: 'k6_mcp_requests_total', phase: 'a' }, value: 2296 },
  ]);
  assert.equal(asked[0]?.searchParams.get('time'), '12.500');
  await assert.rejects(() => serve(success(matrix())).query('x', 1), /did not answer with a vector$/);
});

/** @param {import('../../../analysis/collect/prometheus.ts').Prometheus | null} prometheus @param {string} selector */
async function risen(prometheus, selector) {
  const phase = { name: 'a', start: '2026-01-02T03:04:05.000Z', end: '2026-01-02T03:04:15.000Z' };
  return increaseIn(await observeIncreases(prometheus, [{ selector, phase }]), selector, phase);
}

test('the increase of counters in a phase: of all their series, through a restart; one look tells nothing', async () => {
  /** @param {number[][]} series */
  const of = (series) => {
    const asked = {
      queryRange: async () =>
        series.map((values) => ({ labels: {}, points: values.map((value, index) => [index, value]) })),
    };
    return risen(/** @type {any} */ (asked), 'calls');
  };
  assert.equal(await of([[10, 15, 30]]), 20);
  assert.equal(
    await of([
      [10, 15],
      [0, 7],
    ]),
    12,
  );
  assert.equal(await of([[10, 15, 3, 5]]), 10);
  assert.equal(await of([[10]]), null);
  assert.equal(await of([]), null);
  assert.equal(await risen(null, 'calls'), null);
});

test('what has the form of an answer, and not what belongs in it, is an error in one line', async () => {
  const vector = (/** @type {any} */ one) => ({ resultType: 'vector', result: [one] });
  for (const data of [
    vector(null),
    vector({ metric: {} }),
    vector({ metric: { a: 1 }, value: [1, '1'] }),
    vector({ metric: {}, histogram: [1, { count: '1', sum: '1' }] }),
  ])
    await assert.rejects(serve(success(data)).query('x', 1), PrometheusError);
  for (const one of [null, { metric: {}, values: [[1, 2]] }, { metric: {}, values: 'x' }])
    await assert.rejects(serve(success(matrix(one))).queryRange('x', 1, 2, 1), PrometheusError);
  for (const groups of [null, [null], [{ rules: [null] }], [{ rules: [{ name: 1 }] }]])
    await assert.rejects(serve(success({ groups })).recordingRules(), PrometheusError);
});

test('an error that Prometheus answers is told in one line', async () => {
  const asking = serve((_, response) => response.writeHead(400).end('one\r\n\u001b[31mtwo'));
  await assert.rejects(asking.query('x', 1), ({ message }) => message.endsWith('answered 400: one [31mtwo'));
});

test('what is below zero is no counter', async () => {
  const below = success(
    matrix({
      metric: {},
      values: [
        [1, '0'],
        [2, '-1'],
      ],
    }),
  );
  assert.equal(await risen(serve(below), 'x'), null);
});

test('a value that no sum could hold is none', async () => {
  const data = matrix({
    metric: { a: 'b' },
    values: [
      [1, '1e308'],
      [2, '-1e308'],
      [3, '3'],
    ],
  });
  const [series] = await serve(success(data)).queryRange('x', 1, 3, 1);
  assert.deepEqual(series?.points, [[3, 3]]);
});

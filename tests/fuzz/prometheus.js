import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import fc from 'fast-check';
import { increaseIn } from '../../analysis/collect/increases.ts';
import { observe } from '../../analysis/collect/observe.ts';
import { Prometheus, PrometheusError } from '../../analysis/collect/prometheus.ts';
import { phases } from '../../analysis/judge/phases.ts';
import { validateRun } from '../../analysis/judge/run.ts';
import { listen } from '../k6/listen.js';
import { objective, runOf, STARTED_MS, summary } from '../unit/analysis/build.js';
import { anyJson, changed, nearly } from './generated.js';
import { isOneLine } from './oracles.js';
import { property } from './property.js';

const START_S = STARTED_MS / 1000;
const SPEC = {
  phases: [
    { name: 'a', figures: {} },
    { name: 'b', figures: {} },
  ],
  objectives: [objective('a', 'p99_ms', '<', 85), objective('b', 'failure_rate', '<', 0.1)],
  plan: { operations: [{ operation: 'get_user', method: 'tools/call', class: 'read' }] },
};
const SUMMARY = summary(SPEC);
const { plan: PLAN } = SUMMARY;

const NUMBERS = ['0', '1', '0.5', '12.25', 'NaN', '+Inf', '-Inf', '-1', '1e308', '1e-320', '', 'x'];
const number = fc.oneof(
  { weight: 4, arbitrary: fc.double({ min: 0, max: 1000, noNaN: true }).map(String) },
  fc.constantFrom(...NUMBERS),
);

const histogram = fc.record({ count: number, sum: number });

const NAMES = [
  'mcp_requests_total',
  'mcp_request_failed_rate',
  'mcp_failures_total',
  'mcp_slow_requests_total',
  'iterations_total',
  'dropped_iterations_total',
  'mcp_started_seconds',
  'mcp_phase_end_seconds',
  'mcp_failure_seconds',
  'vus_max',
];
const TAGS = [
  {},
  { phase: 'a', scenario: 'a' },
  { phase: 'b', scenario: 'b', operation: 'get_user', class: 'read' },
  { phase: 'a', kind: 'tool' },
  { phase: 'a', limit: '85', operation: 'get_user', class: 'read' },
  { kind: '__proto__', phase: 'x' },
];
const SIGNALS = [
  'signal:host_cpu:ratio',
  'signal:generator_cpu:ratio',
  'signal:memory:bytes',
  'signal:x',
  'signal:eventloop_lag:seconds',
  'up',
];

const labels = fc.oneof(
  fc
    .tuple(fc.constantFrom(...NAMES), fc.constantFrom(...TAGS))
    .map(([name, tags]) => ({ __name__: `k6_${name}`, testid: PLAN.testid, ...tags })),
  fc.constantFrom(...SIGNALS).map((name) => ({ __name__: name, server: 'reference' })),
);

const START = {
  metric: {
    __name__: 'k6_mcp_started_seconds',
    testid: PLAN.testid,
    era: 'modern',
    protocol_version: '2026-07-28',
  },
  value: [START_S, String(START_S)],
};
const vector = fc
  .tuple(
    fc.constantFrom([START], []),
    fc.array(
      fc.oneof(
        fc.record({ metric: labels, value: number.map((value) => [START_S, value]) }),
        fc.record({
          metric: labels.map((all) => ({ ...all, __name__: 'k6_mcp_request_duration_seconds' })),
          histogram: histogram.map((one) => [START_S, one]),
        }),
      ),
      { maxLength: 12 },
    ),
  )
  .map(([start, rest]) => ({
    status: 'success',
    data: { resultType: 'vector', result: [...start, ...rest] },
  }));
const matrix = fc
  .array(
    fc.record({
      metric: labels,
      values: fc
        .array(number, { maxLength: 30 })
        .map((values) => values.map((value, n) => [START_S + 2 * n, value])),
    }),
    { maxLength: 6 },
  )
  .map((result) => ({ status: 'success', data: { resultType: 'matrix', result } }));
const RULES = {
  status: 'success',
  data: {
    groups: [
      {
        rules: [
          { name: 'signal:host_cpu:ratio', labels: { server: 'reference' } },
          { name: 'signal:db_cpu:ratio' },
        ],
      },
    ],
  },
};

/** @param {fc.Arbitrary<any>} right */
const reply = (right) =>
  fc.record({
    status: fc.oneof(
      { weight: 9, arbitrary: fc.constant(200) },
      fc.constantFrom(204, 400, 404, 422, 500, 503),
    ),
    text: fc.oneof(
      { weight: 4, arbitrary: right.map((body) => JSON.stringify(body)) },
      {
        weight: 3,
        arbitrary: right.chain((body) => changed([body])).map((body) => JSON.stringify(body) ?? ''),
      },
      nearly(
        right.map((body) => JSON.stringify(body)),
        2,
      ),
      anyJson.map((body) => JSON.stringify({ status: 'success', data: body })),
      fc.constantFrom(
        '',
        '<html><body>502 Bad Gateway</body></html>',
        '{"status":"error","errorType":"bad_data","error":"x"}',
        '{"status":"success"}',
        'null',
        '{"status":"success","data":{"resultType":"vector","result":[',
      ),
    ),
    cut: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, fc.constant(true)),
  });

/** @typedef {{status: number, text: string, cut: boolean}} Reply */

/** @type {Record<string, Reply>} by what is asked */
let replies = {};
const server = createServer((request, response) => {
  const [, path = ''] = /^\/api\/v1\/(\w+)/.exec(request.url ?? '') ?? [];
  request.resume();
  const { status, text, cut } = replies[path] ?? { status: 404, text: '', cut: false };
  const bytes = Buffer.from(text);
  response.writeHead(status, {
    'Content-Type': 'application/json',
    ...(status !== 204 && { 'Content-Length': bytes.length + (cut ? 5 : 0) }),
  });
  if (!cut) response.end(status === 204 ? undefined : bytes);
  else response.write(bytes, () => response.destroy());
});
/** @type {Promise<{url: string, close: () => Promise<void>}> | null} */
let listening = null;
/** @returns {Promise<Prometheus>} */
async function prometheus() {
  listening ??= listen(server);
  return new Prometheus((await listening).url, { timeoutMs: 10_000, tries: 1 });
}

/** @param {any} run */
function isSound(run) {
  assert.equal(validateRun(JSON.parse(JSON.stringify(run))), null);
  for (const reason of run.verdict.reasons) isOneLine(reason);
}

/** @type {import('./property.js').Area} */
const area = {
  name: 'prometheus',
  close: async () => {
    await (await listening)?.close();
  },
  properties: [
    property({
      name: "whatever Prometheus answers, a run's own figures stay, and what is missing is said",
      runs: 250,
      input: fc.record({
        query: reply(matrix),
        query_range: reply(matrix),
        rules: reply(fc.constant(RULES)),
      }),
      holds: async (given) => {
        replies = given;
        const asked = await prometheus();
        const all = phases(SUMMARY);
        const counter = {
          selector: 'x',
          phase: /** @type {import('../../analysis/judge/phases.ts').Phase} */ (all[0]),
        };
        const observed = await observe(asked, { testid: PLAN.testid, server: 'reference' }, all, [counter]);
        if (observed.problem !== null) isOneLine(observed.problem);
        // Nothing was observed, and nobody said so.
        if (given.query_range.status !== 200 || given.query_range.cut)
          assert.notEqual(observed.problem, null);
        for (const { min, avg, p95, max } of observed.signals)
          for (const value of [min, avg, p95, max])
            assert.ok(Number.isFinite(value), 'a signal that is no number');
        isSound(await runOf({ summary: SUMMARY }, observed));
        const risen = increaseIn(observed.increases, counter.selector, counter.phase);
        assert.ok(risen === null || risen >= 0);
      },
    }),
    property({
      name: 'a query has numbers, or an error in one line',
      runs: 250,
      input: reply(vector),
      holds: async (query) => {
        replies = { query };
        try {
          for (const { labels } of await (await prometheus()).query('x', START_S)) {
            assert.ok(Object.values(labels).every((label) => typeof label === 'string'));
          }
        } catch (error) {
          if (!(error instanceof PrometheusError)) throw error;
          isOneLine(error.message);
        }
      },
    }),
  ],
};
export default area;

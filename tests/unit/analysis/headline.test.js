import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headline } from '../../../analysis/judge/headline.ts';
import { objective, runOf, summary } from './build.js';

const P99 = { series: 'client.p99', unit: 'milliseconds', from: 40, to: 910, threshold: 85, at: null };
const POOL = {
  kind: 'bottleneck',
  subject: 'connection pool',
  phase: 'spike',
  confidence: 'high',
  statement: 'the connection pool limited the run in spike (too small): 100 % in use',
  observations: [P99],
  figures: {},
};
const POOL_IN_BASELINE = {
  ...POOL,
  phase: 'baseline',
  statement: 'the connection pool limited the run in baseline (too small): 100 % in use',
};
const UNKNOWN = {
  ...POOL,
  confidence: 'inconclusive',
  statement: 'inconclusive what limited it',
};
const CAPACITY = {
  ...POOL,
  subject: 'capacity',
  phase: 'hold',
  statement: '410/s, held for 60 s; at 450/s, the server misses p99',
  observations: [],
  figures: { capacity_rps: 410 },
};

/** @param {number | null} recovery_s @param {string} [confidence] */
const recovery = (recovery_s, confidence = 'high') => ({
  kind: 'recovery',
  phase: 'spike',
  confidence,
  figures: { recovery_s, observed_s: 12.5 },
  statement: '',
});

const LATENCY = { p50: 12, p99: 40 };
const BASELINE = { name: 'baseline', measured: true, achieved_rps: 100, failure_rate: 0, answered: 2000 };
const SPIKE = { name: 'spike', measured: true, overload: true, achieved_rps: 2000, failure_rate: 0.49 };
const PHASES = [
  { ...BASELINE, latency_ms: LATENCY },
  { ...SPIKE, answered: 2000, latency_ms: { ...LATENCY, p99: 910 } },
];

/** @param {'pass' | 'fail'} outcome @param {string} metric @param {number} observed @param {object} [rest] */
const threshold = (outcome, metric, observed, rest) => ({
  scope: { phase: 'baseline' },
  ...{ metric, op: '<', limit: 85, relative_to: null, observed },
  ...{ ok: outcome === 'pass', outcome, reason: outcome === 'pass' ? null : REASON },
  ...rest,
});
const REASON = 'baseline p99 was 197 ms, objective < 85 ms (2,000 samples)';
const HELD = threshold('pass', 'p99_ms', 40);
const MISSED = threshold('fail', 'p99_ms', 197);
const FAILED = threshold('fail', 'failure_rate', 0.062, { limit: 0.001 });
const REPORT = {
  operation: 'generate_report',
  requests: 190,
  failed: 0,
  share: 0.095,
  p50_ms: 185,
  p95_ms: 191,
};
const UPDATE = { operation: 'update_user', requests: 500, failed: 31, share: 0.25, p50_ms: 9, p95_ms: 30 };
const BROKEN = { operation: 'broken_tool', failed: 'HTTP 500', reason: 'call failed (http_5xx): HTTP 500' };
const ALL_HELD = ['8 thresholds held'];

/** @param {string} operation @param {number} requests @param {number} p50 @param {number} p99 */
const operation = (operation, requests, p50, p99) => ({
  ...{ operation, requests, failed: 0, latency_ms: { p50, p95: p99, p99 } },
});

/** @type {{name: string, run: {outcome: string, reasons?: string[], findings?: any[], thresholds?: any[], phases?: any[], operations?: any[], failed_probes?: any[]}, expected: string}[]} */
const CASES = [
  {
    name: 'a miss that one operation made, and an overload that found another limit',
    run: {
      outcome: 'fail',
      reasons: [REASON],
      thresholds: [{ ...MISSED, culprit: REPORT }, MISSED, HELD],
      findings: [POOL, recovery(4)],
    },
    expected:
      'FAIL: baseline p99 197 ms (limit 85 ms): generate_report takes 191 ms at p95; 1 more threshold missed. Overload: the ' +
      'connection pool limited the run in spike (too small), p99 40 -> 910 ms, 49 % failed, normal 4 s after it.',
  },
  {
    name: 'a miss that no single operation made',
    run: { outcome: 'fail', reasons: [REASON], thresholds: [MISSED], findings: [POOL, recovery(null)] },
    expected:
      'FAIL: baseline p99 197 ms (limit 85 ms). Overload: the connection pool limited the run in spike (too small), ' +
      'p99 40 -> 910 ms, 49 % failed, not normal within 12.5 s after it.',
  },
  {
    name: 'a miss of a document without figures by phase and operation, which one median explains',
    run: {
      outcome: 'fail',
      thresholds: [MISSED],
      operations: [operation('get_user', 900, 3, 1900), operation('generate_report', 95, 185, 2000)],
    },
    expected: 'FAIL: baseline p99 197 ms (limit 85 ms): generate_report takes 185 ms at p50.',
  },
  {
    name: 'such a miss with a slow operation that is too rare to make a p99',
    run: {
      outcome: 'fail',
      thresholds: [MISSED],
      operations: [operation('get_user', 995, 3, 1900), operation('fetch_weather', 5, 600, 700)],
    },
    expected: 'FAIL: baseline p99 197 ms (limit 85 ms).',
  },
  {
    name: 'such a miss with two slow operations',
    run: {
      outcome: 'fail',
      thresholds: [MISSED],
      operations: [operation('get_user', 900, 90, 1900), operation('generate_report', 95, 185, 2000)],
    },
    expected: 'FAIL: baseline p99 197 ms (limit 85 ms).',
  },
  {
    name: 'failures, most of one operation',
    run: { outcome: 'fail', thresholds: [{ ...FAILED, culprit: UPDATE }] },
    expected: 'FAIL: baseline: 6.2 % of calls failed (limit 0.1 %): update_user failed 31 of 500 requests.',
  },
  {
    name: 'a miss in the phase that a resource limited',
    run: {
      outcome: 'fail',
      thresholds: [{ ...MISSED, culprit: REPORT }],
      findings: [POOL_IN_BASELINE],
    },
    expected:
      'FAIL: baseline p99 197 ms (limit 85 ms): the connection pool limited the run in baseline (too small).',
  },
  {
    name: 'a miss without an overload',
    run: { outcome: 'fail', thresholds: [MISSED, HELD], phases: PHASES.slice(0, 1) },
    expected: 'FAIL: baseline p99 197 ms (limit 85 ms).',
  },
  {
    name: 'several misses, and an overload whose limit is unknown',
    run: {
      outcome: 'fail',
      thresholds: [MISSED, FAILED, MISSED, HELD],
      findings: [UNKNOWN, recovery(0)],
    },
    expected:
      'FAIL: baseline p99 197 ms (limit 85 ms); 2 more thresholds missed. Overload: spike p99 40 -> 910 ms, 49 % failed, ' +
      'normal right after it.',
  },
  {
    name: 'a bottleneck of low confidence',
    run: {
      outcome: 'fail',
      thresholds: [MISSED],
      findings: [{ ...POOL, confidence: 'low', observations: [] }],
    },
    expected: 'FAIL: baseline p99 197 ms (limit 85 ms).',
  },
  {
    name: 'an objective relative to another phase',
    run: {
      outcome: 'fail',
      thresholds: [
        threshold('fail', 'p99_ms', 12.4, {
          relative_to: 'baseline',
          reason: 'after p99 was 12.4 x baseline, objective < 2 x (500 ms vs. 40 ms, 200 samples)',
        }),
      ],
    },
    expected: 'FAIL: after p99 was 12.4 x baseline, objective < 2 x (500 ms vs. 40 ms, 200 samples).',
  },
  {
    name: 'a percentile that reads as within its limit and was missed by the exact count',
    run: {
      outcome: 'fail',
      thresholds: [threshold('fail', 'p99_ms', 84.9, { reason: 'p99 was about 84.9 ms: 1.1 % took 85 ms' })],
    },
    expected: 'FAIL: p99 was about 84.9 ms: 1.1 % took 85 ms.',
  },
  {
    name: 'a threshold that k6 alone knows of',
    run: { outcome: 'fail', reasons: ['k6 reports a failed threshold (exit code 99)'] },
    expected: 'FAIL: k6 reports a failed threshold (exit code 99).',
  },
  {
    name: 'a search that held no rate',
    run: {
      outcome: 'fail',
      reasons: ['the highest rate that held was 0/s'],
      findings: [{ ...CAPACITY, statement: 'no rate held: p99', figures: { capacity_rps: null } }],
    },
    expected: 'FAIL: the highest rate that held was 0/s.',
  },
  {
    name: 'a pass: the load and its latency',
    run: {
      outcome: 'pass',
      reasons: ALL_HELD,
      thresholds: [threshold('pass', 'p95_ms', 30), HELD],
    },
    expected: 'PASS: 8 thresholds held. At 100/s in baseline, p99 was 40 ms (limit 85 ms).',
  },
  {
    name: 'a pass whose overload found a limit',
    run: { outcome: 'pass', reasons: ALL_HELD, thresholds: [HELD], findings: [POOL, recovery(null)] },
    expected:
      'PASS: 8 thresholds held. At 100/s in baseline, p99 was 40 ms (limit 85 ms). Overload: the connection pool limited ' +
      'the run in spike (too small), p99 40 -> 910 ms, 49 % failed, not normal within 12.5 s after it.',
  },
  {
    name: 'a pass without an absolute limit of latency',
    run: {
      outcome: 'pass',
      reasons: ALL_HELD,
      thresholds: [threshold('pass', 'failure_rate', 0, { limit: 0.001 })],
      findings: [recovery(4)],
    },
    expected:
      'PASS: 8 thresholds held. At 100/s in baseline, p99 was 40 ms. Overload: 49 % failed, normal 4 s after spike.',
  },
  {
    name: 'a pass with too few answers for a p99',
    run: { outcome: 'pass', reasons: ALL_HELD, phases: [{ ...PHASES[0], answered: 99 }] },
    expected: 'PASS: 8 thresholds held.',
  },
  {
    name: 'a pass in which a measured load was limited',
    run: { outcome: 'pass', reasons: ALL_HELD, thresholds: [HELD], findings: [POOL_IN_BASELINE] },
    expected:
      'PASS: 8 thresholds held. At 100/s in baseline, p99 was 40 ms (limit 85 ms). The connection pool limited the run in ' +
      'baseline (too small), p99 40 -> 910 ms.',
  },
  {
    name: 'a capacity',
    run: { outcome: 'pass', reasons: ['1 threshold held'], findings: [CAPACITY], phases: [] },
    expected: 'PASS: 1 threshold held. Capacity: 410/s, held for 60 s; at 450/s, the server misses p99.',
  },
  {
    name: 'a capacity comes before the latency of a step',
    run: { outcome: 'pass', reasons: ['1 threshold held'], findings: [CAPACITY] },
    expected:
      'PASS: 1 threshold held. Capacity: 410/s, held for 60 s; at 450/s, the server misses p99. At 100/s in baseline, p99 was 40 ms.',
  },
  {
    name: 'a recovery that can not be told',
    run: { outcome: 'pass', reasons: ALL_HELD, findings: [recovery(null, 'inconclusive')], phases: [] },
    expected: 'PASS: 8 thresholds held.',
  },
  {
    name: 'a run that was measured, not judged',
    run: { outcome: 'pass', reasons: ['measured, not judged: objectives are off'] },
    expected: 'PASS: measured, not judged: objectives are off. At 100/s in baseline, p99 was 40 ms.',
  },
  {
    name: 'an invalid run',
    run: {
      outcome: 'invalid',
      reasons: ['k6 was short of CPU', REASON],
      thresholds: [MISSED],
      findings: [POOL],
    },
    expected: 'INVALID: k6 was short of CPU.',
  },
  {
    name: 'an interrupted run',
    run: {
      outcome: 'error',
      reasons: ['interrupted after 3 s of 39 s; the results cover the time until then'],
      findings: [POOL],
    },
    expected: 'ERROR: interrupted after 3 s of 39 s; the results cover the time until then.',
  },
  {
    name: 'a pass without an operation that failed',
    run: { outcome: 'pass', reasons: ALL_HELD, phases: [], failed_probes: [BROKEN] },
    expected:
      'PASS: 8 thresholds held; 1 operation failed in discovery and was left out: broken_tool (HTTP 500).',
  },
  {
    name: 'a pass without many such operations',
    run: { outcome: 'pass', reasons: ALL_HELD, phases: [], failed_probes: Array(9).fill(BROKEN) },
    expected:
      'PASS: 8 thresholds held; 9 operations failed in discovery and were left out: broken_tool (HTTP 500), broken_tool (HTTP 500), ' +
      'broken_tool (HTTP 500) and 6 more.',
  },
  {
    name: 'a pass without operations whose names are long',
    run: {
      outcome: 'pass',
      reasons: ALL_HELD,
      phases: [],
      failed_probes: [0, 1].map(() => ({ ...BROKEN, operation: 'x'.repeat(200) })),
    },
    expected: 'PASS: 8 thresholds held; 2 operations failed in discovery and were left out.',
  },
  {
    name: 'a miss, and an operation that was left out',
    run: { outcome: 'fail', reasons: [REASON], thresholds: [MISSED], failed_probes: [BROKEN] },
    expected:
      'FAIL: baseline p99 197 ms (limit 85 ms). 1 operation failed in discovery and was left out: broken_tool (HTTP 500).',
  },
  {
    name: 'an invalid run, and an operation that was left out',
    run: { outcome: 'invalid', reasons: ['k6 was short of CPU'], failed_probes: [BROKEN] },
    expected:
      'INVALID: k6 was short of CPU. 1 operation failed in discovery and was left out: broken_tool (HTTP 500).',
  },
  { name: 'no reason', run: { outcome: 'fail' }, expected: 'FAIL.' },
];

for (const { name, run, expected } of CASES) {
  test(`headline of ${name}`, () => {
    const { outcome, reasons = [], ...facts } = run;
    const known = { findings: [], thresholds: [], phases: PHASES, operations: [], ...facts };
    const made = headline(/** @type {any} */ ({ verdict: { outcome, exit_code: 0, reasons }, ...known }));
    assert.equal(made, expected);
    assert.ok(made.length <= 240);
  });
}

test('headline of a run without samples, and of one without a summary', async () => {
  const silent = await runOf({
    summary: summary({ phases: [{ name: 'a' }], objectives: [objective('a', 'p99_ms', '<', 85)] }),
  });
  assert.match(silent.headline ?? '', /^INVALID: a had no requests/);
  const none = await runOf({ summaryProblem: 'k6 left no summary.json', k6Exit: 137 });
  assert.match(none.headline ?? '', /^ERROR: k6 exited with code 137 /);
});

test('a headline is short, whatever there is to say', () => {
  for (const reason of ['word '.repeat(1000), 'x'.repeat(1000), '😀'.repeat(500)]) {
    const verdict = { outcome: 'error', exit_code: 1, reasons: [reason] };
    const text = headline(
      /** @type {any} */ ({ verdict, findings: [], thresholds: [], phases: [], operations: [] }),
    );
    assert.ok(text.length <= 240 && text.endsWith(' …'), text);
  }
});

test('no part of a secret is in a headline that is cut', async () => {
  const secret = `s3cret-${'0123456789 '.repeat(3)}end`;
  const message = `${'x'.repeat(210)} ${secret}`;
  const run = await runOf({
    k6Exit: 108,
    abort: { code: 3, reason: message },
    secrets: [secret],
  });
  assert.match(run.headline ?? '', /^ERROR: x+ \*\*\*/);
});

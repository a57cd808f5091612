import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headline } from '../../../analysis/headline.js';
import { objective, runOf, STARTED_MS, summary } from './build.js';

const P99 = {
  series: 'client.p99',
  unit: 'milliseconds',
  from: 40,
  to: 910,
  threshold: 85,
  at: new Date(STARTED_MS + 72_400).toISOString(),
};
const CAUSE = {
  kind: 'bottleneck',
  subject: 'connection pool',
  phase: 'spike',
  confidence: 'high',
  statement: 'the connection pool limited the run in spike (too small): 100 % in use',
  observations: [P99],
  figures: {},
};
const UNKNOWN = {
  ...CAUSE,
  confidence: 'not_enough_to_tell',
  statement: 'not enough to tell what limited it',
};
const LOW = { ...CAUSE, confidence: 'low', observations: [] };
const CAPACITY = {
  ...CAUSE,
  subject: 'capacity',
  phase: 'hold',
  statement: '410/s, held for 60 s; at 450/s it misses p99',
  observations: [],
};

/** @param {number | null} recovery_s @param {string} [confidence] */
const recovery = (recovery_s, confidence = 'high') => ({
  kind: 'recovery',
  phase: 'spike',
  confidence,
  figures: { recovery_s, observed_s: 12.5 },
  statement: '',
});

const PHASES = [
  { name: 'baseline', achieved_rps: 100, error_rate: 0 },
  { name: 'spike', achieved_rps: 2000, error_rate: 0.49 },
];

/** @param {'pass' | 'fail'} outcome @param {string} phase @param {string} metric @param {number} observed */
const threshold = (outcome, phase, metric, observed) => ({
  scope: { phase },
  metric,
  ok: outcome === 'pass',
  outcome,
  observed,
  limit: 85,
  relative_to: null,
});
const HELD = threshold('pass', 'baseline', 'p99_ms', 40);
const MISSED = threshold('fail', 'baseline', 'p99_ms', 132);
const REASON = 'baseline p99 was 132 ms, objective < 85 ms (2,000 samples)';

/** @type {[what: string, outcome: string, reasons: string[], known: {findings?: any[], thresholds?: any[]}, expected: string][]} */
const CASES = [
  [
    'a pass: the load and its latency',
    'pass',
    ['8 thresholds held'],
    { thresholds: [threshold('pass', 'baseline', 'p95_ms', 30), HELD] },
    'PASS: 8 thresholds held. 100/s in baseline with p99 40 ms (limit 85 ms).',
  ],
  [
    'a pass with a bottleneck that was not judged',
    'pass',
    ['8 thresholds held'],
    { thresholds: [HELD], findings: [CAUSE, recovery(null)] },
    'PASS: 8 thresholds held. 100/s in baseline with p99 40 ms (limit 85 ms). ' +
      'the connection pool limited the run in spike (too small).',
  ],
  [
    'an experiment',
    'pass',
    ['1 threshold held'],
    { findings: [CAPACITY] },
    'PASS: 1 threshold held. 410/s, held for 60 s; at 450/s it misses p99.',
  ],
  [
    'an experiment that fails',
    'fail',
    ['the highest rate that was held was 0/s'],
    { findings: [{ ...CAPACITY, statement: 'no rate was held: p99' }] },
    'FAIL: no rate was held.',
  ],
  [
    'a fail with a bottleneck',
    'fail',
    [REASON],
    { findings: [CAUSE, recovery(4)] },
    'FAIL: the connection pool limited the run in spike (too small). p99 40 -> 910 ms from 01:12, 49 % failed; normal 4 s after spike.',
  ],
  [
    'a fail that did not recover',
    'fail',
    [REASON],
    { findings: [CAUSE, recovery(null)] },
    'FAIL: the connection pool limited the run in spike (too small). p99 40 -> 910 ms from 01:12, 49 % failed; not normal within 12.5 s after spike.',
  ],
  [
    'a fail without a bottleneck',
    'fail',
    [REASON],
    { thresholds: [MISSED] },
    'FAIL: baseline p99 was 132 ms, objective < 85 ms.',
  ],
  [
    'a fail of several thresholds, of an unknown bottleneck',
    'fail',
    [REASON],
    { thresholds: [MISSED, MISSED, MISSED, HELD], findings: [UNKNOWN, recovery(0)] },
    'FAIL: baseline p99 was 132 ms, objective < 85 ms; 2 more thresholds missed. ' +
      'p99 40 -> 910 ms in spike from 01:12, 49 % failed; normal right after spike.',
  ],
  [
    'a bottleneck of low confidence',
    'fail',
    [REASON],
    { findings: [LOW] },
    'FAIL: baseline p99 was 132 ms, objective < 85 ms.',
  ],
  [
    'a recovery that can not be told',
    'pass',
    ['8 thresholds held'],
    { findings: [recovery(null, 'not_enough_to_tell')] },
    'PASS: 8 thresholds held.',
  ],
  [
    'invalid',
    'invalid',
    ['k6 was short of CPU', REASON],
    { findings: [CAUSE] },
    'INVALID: k6 was short of CPU.',
  ],
  [
    'interrupted',
    'error',
    ['interrupted after 3 s of 39 s: what is reported was measured until then'],
    { findings: [CAUSE] },
    'ERROR: interrupted after 3 s of 39 s: what is reported was measured until then.',
  ],
  ['no reason', 'fail', [], {}, 'FAIL.'],
];

for (const [what, outcome, reasons, { findings = [], thresholds = [] }, expected] of CASES) {
  test(`headline of ${what}`, () => {
    const started = new Date(STARTED_MS).toISOString();
    const verdict = { outcome, exit_code: 0, reasons };
    const made = headline(/** @type {any} */ ({ started, verdict, findings, thresholds, phases: PHASES }));
    assert.equal(made, expected);
  });
}

test('headline of a run without samples, and of one without a summary', async () => {
  const silent = await runOf({
    summary: summary({ phases: [{ name: 'a' }], objectives: [objective('a', 'p99_ms', '<', 85)] }),
  });
  assert.match(silent.headline ?? '', /^INVALID: a saw no request/);
  const none = await runOf({ summaryProblem: 'k6 left no summary.json', k6Exit: 137 });
  assert.match(none.headline ?? '', /^ERROR: k6 ended with exit code 137 /);
});

test('a headline is short, whatever there is to say', () => {
  for (const reason of ['word '.repeat(1000), 'x'.repeat(1000), '😀'.repeat(500)]) {
    const verdict = { outcome: 'error', exit_code: 1, reasons: [reason] };
    const text = headline(
      /** @type {any} */ ({ started: null, verdict, findings: [], thresholds: [], phases: [] }),
    );
    assert.ok(text.length <= 200 && text.endsWith(' …'), text);
  }
});

test('no part of a secret is in a headline that is cut', async () => {
  const secret = `s3cret-${'0123456789 '.repeat(3)}end`;
  const message = `${'x'.repeat(170)} ${secret}`;
  const run = await runOf({
    k6Exit: 108,
    abort: { code: 3, reason: message },
    secrets: [secret],
  });
  assert.match(run.headline ?? '', /^ERROR: x+ \*\*\*/);
});

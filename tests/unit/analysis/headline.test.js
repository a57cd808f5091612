import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headline } from '../../../analysis/headline.js';

/** @param {string} outcome @param {string[]} reasons @param {any[]} [findings] @param {any[]} [phases] */
const of = (outcome, reasons, findings = [], phases = []) =>
  headline(/** @type {any} */ ({ verdict: { outcome, exit_code: 0, reasons }, findings, phases }));

const P99 = { series: 'client.p99', unit: 'milliseconds', from: 40, to: 910, threshold: 85, at: null };
const CAUSE = {
  kind: 'bottleneck',
  subject: 'pool',
  phase: 'spike',
  confidence: 'high',
  statement: 'the connection pool limited the run in spike',
  observations: [P99],
  figures: {},
};
const SPIKE = { name: 'spike', error_rate: 0.49 };

/** @param {number | null} recovery_s */
const recovery = (recovery_s) => ({
  kind: 'recovery',
  phase: 'spike',
  confidence: 'high',
  figures: { recovery_s, observed_s: 12.5 },
  statement: '',
});

test('what limited the run, how far p99 went, what failed, and when all was normal again', () => {
  assert.equal(
    of('fail', ['recovered p99 < 85 ms: observed 910 ms'], [CAUSE, recovery(4)], [SPIKE]),
    'FAIL: the connection pool limited the run in spike. p99 40 ms -> 910 ms in spike, 49 % failed; normal again 4 s after spike',
  );
  assert.match(
    of('pass', ['8 thresholds held'], [CAUSE, recovery(null)], [SPIKE]),
    /^PASS: 8 thresholds held\. the connection pool limited .*; not normal again within 12\.5 s after spike$/,
  );
});

test('what is not known is not said', () => {
  const unknown = { ...CAUSE, confidence: 'not_enough_to_tell', statement: 'not enough to tell' };
  assert.equal(
    of('fail', ['baseline p99 < 85 ms: observed 910 ms'], [{ ...unknown, observations: [] }], [SPIKE]),
    'FAIL: baseline p99 < 85 ms: observed 910 ms',
  );
  const quiet = { ...recovery(null), confidence: 'not_enough_to_tell' };
  assert.equal(of('pass', ['8 thresholds held'], [quiet], [SPIKE]), 'PASS: 8 thresholds held');
  assert.equal(
    of('pass', ['8 thresholds held'], [{ ...CAUSE, kind: 'onset', phase: 'gone' }]),
    'PASS: 8 thresholds held',
  );
});

test('of a run that counts for nothing, why it does not, and no more', () => {
  assert.equal(
    of('invalid', ['k6 was short of CPU', 'more'], [CAUSE], [SPIKE]),
    'INVALID: k6 was short of CPU',
  );
  assert.equal(of('error', ['interrupted after 3 s'], [CAUSE]), 'ERROR: interrupted after 3 s');
});

test('it is short, whatever there is to say', () => {
  const text = of('error', ['word '.repeat(1000)]);
  assert.ok(text.length <= 240 && text.endsWith(' …'), text);
});

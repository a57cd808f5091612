import assert from 'node:assert/strict';
import { test } from 'node:test';
import { phases } from '../../../analysis/phases.js';
import { judgeRecovery, planRecovery } from '../../../analysis/recovery.js';
import { objective, STARTED_MS, summary } from './build.js';

const LIMIT = objective('baseline', 'p99_ms', '<', 85);

/** @param {number} baselineP99 @param {import('../../../analysis/summary.js').Objective[]} [objectives] */
function plan(baselineP99, objectives = [LIMIT]) {
  const all = phases(
    summary({
      phases: [
        { name: 'warm-up', measured: false, duration_s: 5 },
        { name: 'baseline', figures: { p99: baselineP99 } },
        { name: 'spike', offered_rps: 200, overload: true, figures: { p99: 900 } },
        { name: 'recovery', overload: true, figures: {} },
        { name: 'recovered', figures: {} },
      ],
    }),
  );
  const planned = planRecovery(all, objectives);
  assert.ok(planned);
  return planned;
}

test('what is asked: from the end of the spike to the end of the last phase', () => {
  assert.deepEqual(plan(50), {
    overload: 'spike',
    baseline: 'baseline',
    baseline_p99_ms: 50,
    band_ms: 85,
    phases: ['recovery', 'recovered'],
    fromS: STARTED_MS / 1000 + 45,
    toS: STARTED_MS / 1000 + 85,
  });
});

test('the band is the objective, or 1.3 x the baseline where that is more', () => {
  assert.equal(plan(50).band_ms, 85);
  assert.equal(plan(100).band_ms, 130);
  assert.equal(plan(50, []).band_ms, 65);
  assert.equal(
    plan(50, [objective('baseline', 'p99_ms', '<=', 3, { relative_to: { phase: 'x' } })]).band_ms,
    65,
  );
});

test('no overload, nothing before it or nothing after it: no finding', () => {
  const calm = { name: 'baseline', figures: {} };
  const spike = { name: 'spike', offered_rps: 99, overload: true, figures: {} };
  for (const shape of [[calm], [spike, calm], [calm, spike], [{ name: 'silent' }, spike, calm]]) {
    assert.equal(
      planRecovery(phases(summary({ phases: shape })), []),
      null,
      shape.map(({ name }) => name).join(),
    );
  }
});

/** @param {number[]} p99s every 2 s from 4 s after the spike on, as Prometheus has them */
const points = (p99s) => p99s.map((p99Ms, index) => ({ afterS: 4 + index * 2, p99Ms }));
const NORMAL = /** @type {number[]} */ (Array(15).fill(60));

test('recovered when p99 comes back and stays', () => {
  const { recovery_s, confidence } = judgeRecovery(plan(50), points([900, 400, 90, ...NORMAL]));
  assert.equal(recovery_s, 10);
  assert.equal(confidence, 'high');
});

test('a slow moment after the hold is not the spike any more', () => {
  const p99s = [900, ...NORMAL, 300, 60];
  assert.equal(judgeRecovery(plan(50), points(p99s)).recovery_s, 6);
});

test('a relapse starts the count anew', () => {
  assert.equal(judgeRecovery(plan(50), points([900, 60, 60, 300, ...NORMAL])).recovery_s, 12);
});

test('normal from the first figure on', () => {
  assert.equal(judgeRecovery(plan(50), points(NORMAL)).recovery_s, 4);
});

test('not recovered by the end of what was watched', () => {
  const { recovery_s, confidence, observed_s } = judgeRecovery(plan(50), points(Array(18).fill(300)));
  assert.deepEqual([recovery_s, confidence, observed_s], [null, 'high', 40]);
});

test('not enough to tell: hardly a figure, or normal for the last moment only', () => {
  assert.equal(judgeRecovery(plan(50), []).confidence, 'not_enough_to_tell');
  assert.equal(judgeRecovery(plan(50), points([60, 60])).confidence, 'not_enough_to_tell');
  const late = judgeRecovery(plan(50), points([...Array(16).fill(300), 60, 60]));
  assert.deepEqual([late.recovery_s, late.confidence], [null, 'not_enough_to_tell']);
});

test('few figures lower the confidence', () => {
  assert.equal(judgeRecovery(plan(50), points([300, 60, 60, 60, 60])).confidence, 'medium');
});

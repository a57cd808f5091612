import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultEffect } from '../../../analysis/findings/fault-effect.ts';
import { histogramOf } from './build.js';

/** A load of 100 requests/s: 6 s of baseline, 6 s of fault, 10 s after; ends of requests, in ms from 0. */
const TIMES = { fromMs: 0, injectedMs: 6000, liftedMs: 12_000, untilMs: 22_000 };

/**
 * @param {(at: number) => {failed?: boolean, refused?: boolean, ms?: number | null, lost?: boolean}} request what
 *   becomes of the one that ends then; lost: it does not end
 * @param {number} [every] ms
 * @returns {import('../../../analysis/findings/fault-effect.ts').Load}
 */
function load(request, every = 10) {
  const newCounts = () => ({
    requests: 0,
    failures: 0,
    refusals: 0,
    durations: /** @type {string[]} */ ([]),
  });
  const underFault = newCounts();
  const seconds = Array.from({ length: TIMES.untilMs / 1000 }, (_, at) => ({
    atMs: at * 1000,
    ...newCounts(),
  }));
  for (let at = 0; at < TIMES.untilMs; at += every) {
    const { failed = false, refused = false, ms = 4 + (at % 7), lost = false } = request(at);
    if (lost) continue;
    for (const counts of [seconds[Math.floor(at / 1000)], inFault(at) ? underFault : null]) {
      if (!counts) continue;
      counts.requests += 1;
      counts.failures += Number(failed || refused);
      counts.refusals += Number(refused);
      if (ms !== null && !refused) counts.durations.push(histogramOf(ms, 1));
    }
  }
  return { seconds, underFault };
}

/** @param {number} at */
const inFault = (at) => at >= TIMES.injectedMs && at < TIMES.liftedMs;

test('a fault that nobody notices: no recovery, and back where it was', () => {
  const effect = faultEffect(
    load(() => ({})),
    TIMES,
  );
  assert.equal(effect.state, 'unaffected');
  assert.equal(effect.recovery_s, null);
  assert.equal(effect.back, true);
  assert.deepEqual(effect.fault.success_share, 1);
  assert.equal(effect.fault.requests, 600);
});

for (const seconds of [0, 0.7, 2.8, 4.5]) {
  test(`requests that fail until ${seconds} s after the lifting: recovered at the latest in the next second`, () => {
    const until = TIMES.liftedMs + seconds * 1000;
    const effect = faultEffect(
      load((at) => ({ refused: at >= TIMES.injectedMs && at < until })),
      TIMES,
    );
    assert.equal(effect.state, 'recovered');
    assert.equal(effect.recovery_s, Math.ceil(seconds));
    assert.equal(effect.back, true);
    assert.equal(effect.fault.success_share, 0);
    assert.equal(effect.fault.refusals, 600);
    assert.equal(effect.after.failures, seconds * 100);
    assert.equal(effect.fault.latency.p50_ms, null, 'nothing was answered');
  });
}

test('answers that stay slow are no recovery, nor is a service that stands still', () => {
  const slow = faultEffect(
    load((at) => (at >= TIMES.injectedMs && at < TIMES.liftedMs + 2000 ? { ms: 200 } : {})),
    TIMES,
  );
  assert.equal(slow.state, 'recovered');
  assert.equal(slow.recovery_s, 2);
  assert.equal(slow.fault.success_share, 1);
  assert.equal(Math.round(slow.fault.latency.p95_ms ?? 0), 200);

  const still = faultEffect(
    load((at) => ({ lost: at >= TIMES.injectedMs && at < TIMES.liftedMs + 3000 })),
    TIMES,
  );
  assert.equal(still.recovery_s, 3);
  assert.equal(still.fault.success_share, null);
});

test('a relapse within the hold starts it anew; a later one shows in whether it came back', () => {
  const failing = (/** @type {number} */ from, /** @type {number} */ to) => (/** @type {number} */ at) => ({
    failed: inFault(at) || (at >= TIMES.liftedMs + from && at < TIMES.liftedMs + to),
  });
  const early = faultEffect(load(failing(1500, 2000)), TIMES);
  assert.equal(early.recovery_s, 2);
  assert.equal(early.back, true);
  const late = faultEffect(load(failing(6000, 7000)), TIMES);
  assert.equal(late.recovery_s, 0);
  assert.equal(late.back, false);
});

test('what is still broken at the end did not recover in the time that was watched', () => {
  const effect = faultEffect(
    load((at) => ({ failed: at >= TIMES.injectedMs })),
    TIMES,
  );
  assert.equal(effect.state, 'not_recovered');
  assert.equal(effect.recovery_s, null);
  assert.equal(effect.watched_s, 10);
  assert.equal(effect.back, false);
});

test('nothing is claimed of a baseline with too few requests, one that fails by itself, or an end that came too soon', () => {
  const few = faultEffect(
    load(() => ({}), 200),
    TIMES,
  );
  assert.equal(few.state, 'not_enough_to_tell');
  assert.equal(few.band, null);
  const bad = faultEffect(
    load((at) => ({ failed: at % 100 === 0 })),
    TIMES,
  );
  assert.equal(bad.state, 'not_enough_to_tell');
  const cut = faultEffect(
    load(() => ({})),
    { ...TIMES, untilMs: TIMES.liftedMs + 2000 },
  );
  assert.equal(cut.state, 'not_enough_to_tell');
});

test('what was made under fault and ends after it is its doing', () => {
  const late = load((at) => ({ failed: at >= TIMES.liftedMs && at < TIMES.liftedMs + 1000 }));
  const underFault = { requests: 100, failures: 100, refusals: 0, durations: [] };
  const effect = faultEffect({ ...late, underFault }, TIMES);
  assert.equal(effect.fault.requests, 100);
  assert.equal(effect.fault.success_share, 0);
  assert.equal(effect.failures, 100);
});

test('one failure among a hundred, or a few slow answers, is noise and not the fault', () => {
  const effect = faultEffect(
    load((at) => ({ failed: at % 1000 === 0, ms: at % 500 === 0 ? 90 : 5 })),
    TIMES,
  );
  assert.equal(effect.state, 'unaffected');
});

test('a fault between two seconds: the ones that it cuts are neither baseline nor recovery', () => {
  const times = { fromMs: 300, injectedMs: 6400, liftedMs: 12_660, untilMs: 21_900 };
  const effect = faultEffect(
    load((at) => ({ lost: at < times.fromMs, failed: at >= times.injectedMs && at < times.liftedMs + 200 })),
    times,
  );
  assert.deepEqual([effect.baseline.requests, effect.baseline.per_s], [570, 100]);
  assert.equal(effect.baseline.failures, 0);
  assert.deepEqual([effect.state, effect.recovery_s, effect.watched_s], ['recovered', 0.4, 8.3]);
});

test('three seconds of 20 requests/s are a baseline, wherever they are cut', () => {
  for (let cut = 0; cut < 1000; cut += 90) {
    const times = { fromMs: 2000 + cut, injectedMs: 5200 + cut, liftedMs: 8400 + cut, untilMs: 18_000 + cut };
    const request = (/** @type {number} */ at) => ({
      lost: at < times.fromMs,
      failed: at >= times.injectedMs && at < times.liftedMs,
    });
    const { state, recovery_s } = faultEffect(load(request, 50), times);
    assert.equal(state, 'recovered', `${cut}`);
    assert.ok(Number(recovery_s) >= 0 && Number(recovery_s) <= 1, `${cut}: ${recovery_s}`);
  }
});

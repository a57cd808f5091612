import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultEffect } from '../../../analysis/fault-effect.js';

/** A load of 100 requests/s: 6 s of baseline, 6 s of fault, 10 s after; ends of requests, in ms from 0. */
const TIMES = { fromMs: 0, injectedMs: 6000, liftedMs: 12_000, untilMs: 22_000 };

/**
 * @param {(at: number) => {failed?: boolean, refused?: boolean, ms?: number | null, lost?: boolean}} request what
 *   becomes of the one that ends then; lost: it does not end
 * @param {number} [every] ms
 */
function load(request, every = 10) {
  /** @type {import('../../../analysis/fault-effect.js').Series} */
  const series = { requests: [], failures: [], refusals: [], latencies: [] };
  for (let at = 0; at < TIMES.untilMs; at += every) {
    const { failed = false, refused = false, ms = 4 + (at % 7), lost = false } = request(at);
    if (lost) continue;
    series.requests.push(at);
    if (failed || refused) series.failures.push(at);
    if (refused) series.refusals.push(at);
    if (ms !== null && !refused) series.latencies.push({ timeMs: at, ms });
  }
  return series;
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
  test(`requests that fail until ${seconds} s after the lifting: recovered after ${seconds} s`, () => {
    const until = TIMES.liftedMs + seconds * 1000;
    const effect = faultEffect(
      load((at) => ({ refused: at >= TIMES.injectedMs && at < until })),
      TIMES,
    );
    assert.equal(effect.state, 'recovered');
    assert.ok(Math.abs(Number(effect.recovery_s) - seconds) <= 0.1, `${effect.recovery_s}`);
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
  assert.ok(Math.abs(Number(slow.recovery_s) - 2) <= 0.1, `${slow.recovery_s}`);
  assert.equal(slow.fault.success_share, 1);
  assert.equal(slow.fault.latency.p95_ms, 200);

  const still = faultEffect(
    load((at) => ({ lost: at >= TIMES.injectedMs && at < TIMES.liftedMs + 3000 })),
    TIMES,
  );
  // A window may lack half of its requests.
  assert.ok(Number(still.recovery_s) >= 2.5 && Number(still.recovery_s) <= 3, `${still.recovery_s}`);
  assert.equal(still.fault.success_share, null);
});

test('a relapse within the hold starts it anew; a later one shows in whether it came back', () => {
  const failing = (/** @type {number} */ from, /** @type {number} */ to) => (/** @type {number} */ at) => ({
    failed: inFault(at) || (at >= TIMES.liftedMs + from && at < TIMES.liftedMs + to),
  });
  const early = faultEffect(load(failing(1500, 2000)), TIMES);
  assert.ok(Math.abs(Number(early.recovery_s) - 2) <= 0.1, `${early.recovery_s}`);
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
  const under = load((at) => ({ lost: at < TIMES.liftedMs || at >= TIMES.liftedMs + 1000, failed: true }));
  const effect = faultEffect(late, TIMES, under);
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

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { align, isLive, moment, resolve, stepOf } from '../../../viewer/page/time-range.js';

const NOW = Date.parse('2026-03-01T12:00:00Z');

test('moments, relative and absolute', () => {
  assert.equal(moment('now', NOW), NOW);
  assert.equal(moment('now-15m', NOW), NOW - 900_000);
  assert.equal(moment('now+1h', NOW), NOW + 3_600_000);
  assert.equal(moment('1700000000000', NOW), 1_700_000_000_000);
  assert.equal(moment('2026-03-01T11:00:00Z', NOW), NOW - 3_600_000);
  for (const text of ['', 'yesterday', 'now-', 'now-15', 'now-15x', '-5', 'now-1h-1h']) {
    assert.equal(moment(text, NOW), null, text);
  }
});

test('a range has to end after its start', () => {
  assert.deepEqual(resolve({ from: 'now-1m', to: 'now' }, NOW), { fromS: NOW / 1000 - 60, toS: NOW / 1000 });
  assert.equal(resolve({ from: 'now', to: 'now-1m' }, NOW), null);
  assert.equal(resolve({ from: 'x', to: 'now' }, NOW), null);
  assert.ok(isLive({ from: 'now-1h', to: 'now' }));
  assert.ok(!isLive({ from: '1', to: '2' }));
});

test("steps are Grafana's: easy to read, no more points than pixels, never below the least", () => {
  /** @param {number} rangeS @param {number} pixels */
  const step = (rangeS, pixels) => stepOf({ fromS: 0, toS: rangeS }, pixels, 2);
  assert.equal(step(900, 600), 2);
  assert.equal(step(3600, 600), 5);
  assert.equal(step(3600, 290), 10);
  assert.equal(step(86_400, 600), 120);
  assert.equal(step(60, 600), 2);
  assert.equal(stepOf({ fromS: 0, toS: 900 }, 600, 60), 60);
  // However wide: Prometheus gives no more than 11,000 points.
  assert.ok(604_800 / step(604_800, 100_000) < 11_000);
});

test('ranges are moved to multiples of the step', () => {
  assert.deepEqual(align({ fromS: 1003, toS: 1907.4 }, 5), { fromS: 1000, toS: 1905 });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logNormal } from '../../target/log-normal.js';

test('the latency of the weather service has the mean and the 99th percentile that it should', () => {
  const samples = Array.from({ length: 200_000 }, () => logNormal(650, 0.12)).sort((a, b) => a - b);
  const mean = samples.reduce((sum, value) => sum + value, 0) / samples.length;
  assert.ok(Math.abs(mean - 650) < 3, `mean is ${mean}`);
  const p99 = Number(samples[samples.length * 0.99]);
  assert.ok(Math.abs(p99 - 853) < 10, `p99 is ${p99}`);
});

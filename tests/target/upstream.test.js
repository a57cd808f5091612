import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CertificateAuthority } from '../../target/certificate-authority.js';
import { logNormal } from '../../target/log-normal.js';

test('the latency of the weather service has the mean and the 99th percentile that it should', () => {
  const samples = Array.from({ length: 200_000 }, () => logNormal(650, 0.12)).sort((a, b) => a - b);
  const mean = samples.reduce((sum, value) => sum + value, 0) / samples.length;
  assert.ok(Math.abs(mean - 650) < 3, `mean is ${mean}`);
  const p99 = Number(samples[samples.length * 0.99]);
  assert.ok(Math.abs(p99 - 853) < 10, `p99 is ${p99}`);
});

const NOW = Date.UTC(2026, 0, 1);

test('the authority takes longer for a new certificate than for a renewal, with the spread that it should', () => {
  const authority = new CertificateAuthority({ latencyMs: 2200, perMinute: 0 });
  const quantiles = (/** @type {'issue' | 'renew'} */ order) => {
    const sorted = Array.from({ length: 50_000 }, () => authority.certify(['a.example'], order).latency);
    sorted.sort((a, b) => a - b);
    return { p50: Number(sorted[25_000]), p95: Number(sorted[47_500]) };
  };
  const renew = quantiles('renew');
  assert.ok(Math.abs(renew.p50 - 2121) < 40, `p50 is ${renew.p50}`);
  assert.ok(Math.abs(renew.p95 - 3307) < 80, `p95 is ${renew.p95}`);
  assert.ok(Math.abs(quantiles('issue').p50 - 1.5 * renew.p50) < 80);
});

test('the authority has so many certificates a minute for each domain, and says when there are more', () => {
  const authority = new CertificateAuthority({ latencyMs: 1, perMinute: 2 });
  const order = (/** @type {number} */ second, domain = 'a.example') =>
    authority.certify([domain], 'renew', NOW + second * 1000);
  assert.equal(order(0).status, 201);
  assert.equal(order(10).status, 201);
  assert.deepEqual(order(20.5), {
    status: 429,
    latency: 0,
    retryAfter: 40,
    body: { error: 'too many certificates for this domain' },
  });
  assert.equal(order(20.5, 'b.example').status, 201, 'another domain');
  assert.equal(
    authority.certify(['b.example', 'a.example'], 'renew', NOW + 21_000).status,
    429,
    'one of them has none left',
  );
  assert.equal(order(60).status, 201, 'the first one is a minute old');
  assert.equal(order(61).status, 429);
  assert.equal(order(200).status, 201);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { binomialTail } from '../../../../analysis/statistics/binomial.ts';
import { normalQuantile, normalShare } from '../../../../analysis/statistics/normal.ts';
import { studentTails } from '../../../../analysis/statistics/student-t.ts';
import { close, REFERENCE } from './reference.js';

test('quantiles of the normal distribution are those of SciPy, and lead back to their share', () => {
  for (const { share, z } of REFERENCE.normal ?? []) {
    assert.ok(close(normalQuantile(share), z, 1e-5), `${share}: ${normalQuantile(share)}, SciPy ${z}`);
    assert.ok(close(normalShare(normalQuantile(share)) / share, 1, 1e-6), String(share));
  }
});

test("the tails of Student's t are those of SciPy", () => {
  for (const { t, freedom, p } of REFERENCE.student ?? []) {
    const tails = studentTails(t, freedom);
    assert.ok(Math.abs(tails / p - 1) < 1e-9, `t ${t}, ${freedom}: ${tails}, SciPy ${p}`);
    assert.equal(studentTails(-t, freedom), tails);
  }
  assert.equal(studentTails(Number.POSITIVE_INFINITY, 3), 0);
});

test('the tail of a binomial distribution is the sum of its terms', () => {
  for (const [trials, share] of /** @type {const} */ ([
    [1, 0.5],
    [58, 0.01],
    [100, 0.01],
    [1000, 0.001],
    [400, 0.3],
  ])) {
    const terms = [(1 - share) ** trials];
    for (let k = 0; k < trials; k += 1)
      terms.push(((terms[k] ?? 0) * (trials - k) * share) / ((k + 1) * (1 - share)));
    for (let count = 0; count <= trials; count += Math.ceil(trials / 20)) {
      const sum = terms.slice(count).reduce((total, term) => total + term, 0);
      const tail = binomialTail(count, trials, share);
      assert.ok(Math.abs(tail - sum) <= 1e-9 * sum + 1e-14, `${count} of ${trials}: ${tail}, summed ${sum}`);
    }
  }
  // Nothing may fail, and something did.
  assert.deepEqual([binomialTail(1, 10, 0), binomialTail(0, 10, 0)], [0, 1]);
});

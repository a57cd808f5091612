import assert from 'node:assert/strict';
import { test } from 'node:test';
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

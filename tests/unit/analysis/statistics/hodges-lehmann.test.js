import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hodgesLehmann } from '../../../../analysis/statistics/hodges-lehmann.ts';
import { seededRandom } from '../../../../contract/seeded-random.js';
import { close, normal, REFERENCE } from './reference.js';

test('the worked example of Hollander & Wolfe (4.3, 4.4): -0.305, 96 % from -0.76 to 0.15', () => {
  const term = [0.8, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46];
  const { shift, low, high } = hodgesLehmann(term, [1.15, 0.88, 0.9, 0.74, 1.21], 0.96);
  assert.ok(close(shift, -0.305) && close(low, -0.76) && close(high, 0.15), `${shift} ${low} ${high}`);
});

test('the interval is what the exact test of SciPy does not reject', () => {
  for (const { a, b, confidence, ...expected } of REFERENCE.hodges_lehmann ?? []) {
    const found = hodgesLehmann(a, b, confidence);
    assert.ok(
      close(found.shift, expected.shift) &&
        close(found.low, expected.low) &&
        close(found.high, expected.high),
      `${a.length} and ${b.length}: ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`,
    );
  }
});

test('three a side have no interval of 95 %, and one of 90 %', () => {
  assert.deepEqual(hodgesLehmann([1, 2, 3], [11, 12, 13]), { shift: 10, low: null, high: null });
  assert.deepEqual(hodgesLehmann([1, 2, 3], [11, 12, 13], 0.9), { shift: 10, low: 8, high: 12 });
});

test('a side without values is an error', () => {
  assert.throws(() => hodgesLehmann([1], []), RangeError);
});

test('the true shift is inside 95 % of the intervals, also above a hundred values', () => {
  const random = seededRandom(3);
  for (const [n, m, rounds] of [
    [6, 7, 1000],
    [60, 60, 300],
  ]) {
    let inside = 0;
    for (let round = 0; round < Number(rounds); round += 1) {
      const a = Array.from({ length: Number(n) }, () => normal(random));
      const b = Array.from({ length: Number(m) }, () => 1 + normal(random));
      const { low, high } = hodgesLehmann(a, b);
      if (Number(low) <= 1 && Number(high) >= 1) inside += 1;
    }
    const share = inside / Number(rounds);
    assert.ok(share > 0.93 && share < 0.985, `${n} and ${m}: ${share}`);
  }
});

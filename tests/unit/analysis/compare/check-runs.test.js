import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkRuns } from '../../../../analysis/compare/check-runs.ts';
import { compare } from '../../../../analysis/compare/comparison.ts';
import { DEFAULTS, side } from './build.js';

/** @type {[head: number, base: number | undefined, allowSingle: boolean, refused: RegExp | null][]} */
const CASES = [
  [5, undefined, false, null],
  [4, undefined, false, /^RUNS is 4: 4 runs against 4 cannot .* valid: 5 or more, or RUNS=1 ALLOW_/],
  [1, undefined, false, /^RUNS is 1: 1 run against 1 cannot/],
  [1, undefined, true, null],
  [4, undefined, true, /^RUNS is 4/],
  [4, 5, false, null],
  [3, 5, false, /^RUNS is 3: 5 runs against 3 cannot show that anything is worse; valid: 4 or more$/],
  [3, 8, false, null],
  [1, 8, true, /^RUNS is 1: 8 runs against 1 cannot .* valid: 3 or more$/],
  [1, 1, true, null],
  [5, 0, false, /^BASE has no comparable run/],
];

for (const [head, base, allowSingle, refused] of CASES) {
  test(`${head} runs against ${base ?? 'as many'}${allowSingle ? ', one is allowed' : ''}`, () => {
    const check = () => checkRuns({ head, ...(base !== undefined && { base }), allowSingle });
    if (refused) assert.throws(check, { message: refused });
    else check();
  });
}

test('what is refused is what a comparison never calls worse, however much slower', async () => {
  for (const [head, worse] of /** @type {const} */ ([
    [3, false],
    [4, true],
  ])) {
    const slow = Array.from({ length: head }, (_, index) => 500 + index);
    const { verdict } = compare(
      'x',
      await side('old', [50, 51, 52, 53, 54]),
      await side('new', slow),
      DEFAULTS,
    );
    assert.equal(verdict.outcome === 'fail', worse, verdict.reasons.join());
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeOfInterrupted } from '../../../cli/run/load.ts';

test('k6 that the signal itself ended has k6’s code for it; all other ends keep their own', () => {
  for (const [code, expected] of [
    ...[
      [130, 105],
      [143, 105],
      [105, 105],
    ],
    ...[0, 99, 107, 108, 137].map((other) => [other, other]),
  ])
    assert.equal(codeOfInterrupted(code ?? 0), expected);
});

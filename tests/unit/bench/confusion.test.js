import assert from 'node:assert/strict';
import { test } from 'node:test';
import { confusion } from '../../../bench/confusion.js';
import { wilson } from '../../../bench/wilson.js';

test("Wilson's interval: as published, and inside of 0 and 1 for all and for none", () => {
  // Newcombe 1998, table I, method 3: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
  for (const [right, all, low, high] of /** @type {[number, number, number, number][]} */ ([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])) {
    const interval = wilson(right, all);
    assert.ok(Math.abs(interval.low - low) < 0.0001, `${right}/${all}: ${interval.low}`);
    assert.ok(Math.abs(interval.high - high) < 0.0001, `${right}/${all}: ${interval.high}`);
    assert.equal(interval.share, right / all);
  }
});

test('a confusion matrix counts what was said of each truth, with a column for what was never true', () => {
  const cases = [
    { truth: 'pool', said: 'pool' },
    { truth: 'pool', said: 'database' },
    { truth: 'none', said: 'none' },
    { truth: 'pool', said: 'weather' },
  ];
  assert.deepEqual(confusion(cases, ['none', 'pool', 'database', 'cache']), {
    columns: ['none', 'pool', 'database', 'weather'],
    rows: [
      { truth: 'none', counts: [1, 0, 0, 0] },
      { truth: 'pool', counts: [0, 1, 1, 1] },
    ],
  });
});

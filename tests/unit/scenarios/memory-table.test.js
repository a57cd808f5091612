import assert from 'node:assert/strict';
import { test } from 'node:test';
import { perOne } from '../../../scenarios/memory/table.ts';
import { runOf, summary } from '../analysis/build.js';
import { rowsOf } from './rows-of.js';

const MIB = 1024 ** 2;

test('what one more takes, with its error', () => {
  const points = /** @type {[number, number][]} */ ([
    [0, 1000],
    [100, 31_100],
    [200, 60_900],
    [300, 91_000],
  ]);
  assert.match(
    perOne('cached user', points),
    /^30\d B per cached user \(\+-\d+(\.\d+)? B, 95 % interval; 4 measurements\)$/,
  );
});

test('noise larger than the slope is inconclusive, and so are two points', () => {
  const noisy = /** @type {[number, number][]} */ ([
    [1, 260 * MIB],
    [25, 275 * MIB],
    [1, 280 * MIB],
    [25, 262 * MIB],
  ]);
  assert.match(
    perOne('pooled connection', noisy),
    /^memory per pooled connection is inconclusive: .* with an error of/,
  );
  assert.match(perOne('worker', noisy.slice(0, 2)), /^memory per worker is inconclusive: fewer than three/);
});

test('a row for each number of them, and a few of the many that the cache went through', async () => {
  const result = {
    runtime: 40 * MIB,
    workers: [
      [1, 240 * MIB],
      [2, 360 * MIB],
      [1, 242 * MIB],
    ],
    pool: [[2, 250 * MIB]],
    cache: Array.from({ length: 101 }, (_, index) => [10 * index, MIB + 3000 * index]),
  };
  const run = await runOf({
    summary: summary({ phases: [{ name: 'cache', figures: {} }], plan: { test: 'memory' } }),
    trials: { trials: [], error: null, result },
  });
  const [rest, pool, cache] = run.tables;
  assert.deepEqual(rowsOf(rest), [
    { workers: 'Node alone', starts: 1, median: 40 * MIB, least: 40 * MIB, most: 40 * MIB },
    { workers: '1', starts: 2, median: 241 * MIB, least: 240 * MIB, most: 242 * MIB },
    { workers: '2', starts: 1, median: 360 * MIB, least: 360 * MIB, most: 360 * MIB },
  ]);
  assert.match(pool?.notes.join(' ') ?? '', /inconclusive/);
  assert.deepEqual(
    rowsOf(cache).map((row) => row['cached users']),
    ['0', '250', '500', '750', '1000'],
  );
  assert.match(cache?.notes.join(' ') ?? '', /^300 B per cached user/);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LEAST_RUNS, trends } from '../../../../analysis/compare/trend.js';
import { renderTrends, sparkline } from '../../../../analysis/compare/trend-text.js';
import { seededRandom } from '../../../../experiments/seeded-random.js';
import { digest } from './build.js';

const OPTIONS = { metrics: null, operations: false, includeFailed: true };

/** @param {number[]} p99s @param {import('./build.js').Wanted} [rest] */
const history = (p99s, rest = {}) =>
  Promise.all(p99s.map((p99, index) => digest({ testid: `run-${index + 1}`, day: index + 1, p99, ...rest })));

/** @param {number} count @param {number} level @param {number} seed */
function around(count, level, seed) {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => level * (1 + 0.03 * (random() - 0.5)));
}

test('a change for good is found, with the run that it begins with', async () => {
  const digests = await history([...around(10, 50, 1), ...around(8, 60, 2)]);
  // In the order of time, whatever the order in which they were found.
  const [trend] = trends(digests.toReversed(), OPTIONS);
  const p99 = trend?.series.find(({ metric }) => metric === 'p99');
  assert.equal(p99?.changes.length, 1);
  const [change] = p99?.changes ?? [];
  assert.deepEqual([change?.testid, change?.last, change?.direction], ['run-11', 'run-10', 'worse']);
  assert.ok(Math.abs(Number(change?.change) - 0.2) < 0.02);
  assert.ok(Math.abs(Number(change?.before) - 50) < 1 && Math.abs(Number(change?.after) - 60) < 1);
  assert.deepEqual(trend?.series.find(({ metric }) => metric === 'memory')?.changes, []);
  const text = renderTrends(trends(digests, { ...OPTIONS, metrics: ['p99'] }));
  assert.match(text, /^p99 in calm +\S+ ms +[▁-█]{18} +1 change$/m);
  assert.match(
    text.replace(/\s+/g, ' '),
    /p99 in calm is worse from run-11 on \(the last before it is run-10\): /,
  );
  assert.ok(text.split('\n').every((line) => [...line].length <= 100));
});

test('what is too little to count, and what only scatters, is no change', async () => {
  const small = await history([...around(10, 50, 1), ...around(10, 53, 2)]);
  assert.ok(trends(small, OPTIONS)[0]?.series.every(({ changes }) => changes.length === 0));
  const odd = await history([...around(8, 50, 3), 90, ...around(8, 50, 4)]);
  assert.ok(trends(odd, OPTIONS)[0]?.series.every(({ changes }) => changes.length === 0));
});

test('too few runs say so; invalid ones are none; other loads are other histories', async () => {
  const few = await history(around(LEAST_RUNS - 1, 50, 1));
  assert.match(renderTrends(trends(few, OPTIONS)), /not enough runs: 8 are needed/);
  const invalid = await digest({ testid: 'odd', day: 30, verdict: { outcome: 'invalid', reasons: ['x'] } });
  assert.equal(trends([...few, invalid], OPTIONS)[0]?.runs.length, LEAST_RUNS - 1);
  const other = await digest({ testid: 'new', day: 30, rate: 7 });
  assert.deepEqual(
    trends([...few, other], OPTIONS).map(({ runs }) => runs.length),
    [1, LEAST_RUNS - 1],
  );
});

test('a line of bars is from the lowest to the highest', () => {
  assert.equal(sparkline([1, 2, 3, 8]), '▁▂▃█');
  assert.equal(sparkline([5, 5]), '▁▁');
});

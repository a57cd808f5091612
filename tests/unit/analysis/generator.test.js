import assert from 'node:assert/strict';
import { test } from 'node:test';
import { delayOf, generatorIn } from '../../../analysis/collect/generator.ts';
import { Within } from '../../../analysis/collect/seconds.ts';
import { SparseHistogram } from '../../../analysis/collect/sparse-histogram.ts';
import { histogramOf, near } from './build.js';

/** @param {[ms: number, count: number][]} ticks */
const lateness = (...ticks) => new SparseHistogram(...ticks.map(([ms, count]) => histogramOf(ms, count)));

test('the delay is the mean of the ticks; a tick that is late by more than a period stands for those that it left out', () => {
  assert.equal(delayOf(lateness()), null);
  near(delayOf(lateness([1, 20])), 1);
  near(delayOf(lateness([0, 10], [8, 10])), 4);
  // 120 ms late: what came 50 and 100 ms after the tick was due waited 70 and 20 ms.
  near(delayOf(lateness([120, 1])), 70);
  near(delayOf(lateness([0, 17], [120, 1])), 10.5);
});

test('what k6 used of what it may use, over the seconds that it wrote; nothing that it did not say', () => {
  const sums = new Within();
  const second = { at: 1, vus: 1, timerLateness: histogramOf(2, 20), cpuMicroseconds: 1_500_000 };
  sums.add(second, () => undefined);
  sums.add({ ...second, at: 2, cpuMicroseconds: 500_000 }, () => undefined);
  // A further line of a second, of calls that were answered late.
  sums.add({ at: 1, groups: {} }, () => undefined);
  near(generatorIn(sums, 4), { generator_delay: 2, generator_allowed: 0.25 });
  near(generatorIn(sums, null), { generator_delay: 2 });
  assert.deepEqual(generatorIn(new Within(), 4), {});
});

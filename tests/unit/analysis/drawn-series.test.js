import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawnSeries } from '../../../analysis/collect/drawn-series.ts';
import { Within } from '../../../analysis/collect/seconds.ts';
import { clientHalf } from '../../../analysis/collect/timeline.ts';
import { plotsOf } from '../../../analysis/report/plots.ts';
import { histogramOf, lineOf } from './build.js';
import { spikeRun, timelineOf } from './report-fixture.js';

const START_S = 1000;
/** @param {number} fromS @param {number} toS */
const phase = (fromS, toS, offered_rps = 20) =>
  /** @type {any} */ ({
    start: new Date((START_S + fromS) * 1000).toISOString(),
    end: new Date((START_S + toS) * 1000).toISOString(),
    offered_rps,
  });

/** @param {[ms: number, requests: number][]} steps of 2 s */
function drawn(steps, phases = [phase(0, 2 * steps.length)]) {
  const windows = steps.map(([ms, requests]) => {
    const sums = new Within();
    sums.add(
      /** @type {any} */ ({ vus: 1, groups: { 1: { requests, duration: histogramOf(ms, requests) } } }),
      () => undefined,
    );
    return sums;
  });
  const grid = { start_s: START_S, step_s: 2, count: steps.length, window_s: 6 };
  return drawnSeries(windows, grid, phases);
}
const rounded = (/** @type {any} */ series) =>
  series.values.map((/** @type {number | null} */ value) => value && Math.round(value));

test('an answer counts in the second in which it comes, in the drain as well', () => {
  const lines = [
    lineOf(START_S, 'a', { requests: 40, answered: { ok: 10 } }),
    lineOf(START_S + 2, 'a', { requests: 4, answered: {} }),
    lineOf(START_S + 4, 'a', { answered: { ok: 20, failed: 14 } }),
  ];
  const grid = { start_s: START_S, step_s: 2, count: 4, window_s: 6 };
  const { drawn: series } = clientHalf(lines, grid, [], null);
  assert.deepEqual(series?.answered?.values, [5, 0, 17, null]);
});

test('a point is the step that begins there: a burst of one step is in one point', () => {
  const { requests, offered } = drawn(
    [
      [10, 40],
      [10, 400],
      [10, 40],
    ],
    [phase(0, 2, 20), phase(2, 4, 200), phase(4, 6, 20)],
  );
  assert.deepEqual(requests?.values, [20, 200, 20]);
  assert.deepEqual(offered?.values, [20, 200, 20]);
});

test('p99 takes as many steps of a phase as have 100 answers; what is left at its end has none', () => {
  const { p99 } = drawn(
    [
      [10, 60],
      [20, 60],
      [30, 60],
      [500, 300],
      [40, 99],
    ],
    [phase(0, 6), phase(6, 8), phase(8, 10)],
  );
  assert.deepEqual(rounded(p99), [20, 20, null, 500, null]);
});

test('charts show what was drawn for them, and say what an average is of', async () => {
  const run = await spikeRun();
  const timeline = timelineOf(run);
  const averaged = plotsOf(run, timeline);
  const own = plotsOf(run, {
    ...timeline,
    drawn: {
      ...timeline.client,
      p99: { unit: 'milliseconds', values: timeline.client.p99?.values.map(() => 7) ?? [] },
    },
  });
  assert.equal(own.series['client.p99']?.[5], 7);
  const about = (/** @type {typeof own} */ { strip, charts }, /** @type {string} */ wanted) =>
    [...strip, ...charts].find(({ id }) => id === wanted)?.about;
  assert.equal(about(averaged, 'strip-load'), 'iterations a second, 6 s average');
  assert.equal(about(own, 'strip-load'), 'iterations a second');
  assert.match(about(own, 'strip-latency') ?? '', /^p99 \(at least 100 answers per phase\)/);
  assert.match(about(own, 'strip-cpu') ?? '', /6 s average$/);
  assert.match(about(own, 'chart-pool_wait') ?? '', /6 s average\.$/);
  assert.doesNotMatch(about(own, 'chart-pool_utilization') ?? '', /average/);
});

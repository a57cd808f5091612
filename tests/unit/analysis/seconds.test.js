import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readLines, sumsWithin } from '../../../analysis/collect/seconds.ts';
import { clientHalf } from '../../../analysis/collect/timeline.ts';

const folder = mkdtempSync(join(tmpdir(), 'seconds-'));
after(() => rmSync(folder, { recursive: true }));

/** 1 ms and 2 ms, as buckets in base 36. */
const [ONE, TWO] = [1023, 1024].map((exponent) => (exponent * 512).toString(36));
const LINES = [
  { group: 0, phase: 'load', operation: 'get' },
  {
    at: 1000,
    vus: 3,
    vusMax: 9,
    warmup: 0,
    groups: { 0: { requests: 4, iterations: 4, duration: `${ONE}*4` } },
  },
  { group: 1, phase: 'later', operation: 'get' },
  {
    ...{ at: 1001, vus: 5, vusMax: 9, warmup: 0 },
    groups: {
      0: { requests: 2, failed: 1, failures: { timeout: 1 }, iterations: 2, dropped: 3, duration: ONE },
      1: { requests: 6, iterations: 6, duration: `${TWO}*6` },
    },
  },
  { at: 1004, vus: 1, vusMax: 9, warmup: 0, groups: { 1: { requests: 1, iterations: 1, duration: TWO } } },
];

test('what was measured within spans of time, also of some phases alone', async () => {
  assert.deepEqual(await readLines(folder), []);
  // The last line was being written when k6 was ended.
  const text = LINES.map((line) => JSON.stringify(line)).join('\n');
  writeFileSync(join(folder, 'seconds.jsonl'), `${text}\n{"at":1005,"vu`);
  const [all, one, later, none] = sumsWithin(await readLines(folder), [
    { fromS: 999, toS: 1010 },
    // A second belongs to where its middle is.
    { fromS: 1000.6, toS: 1001.6 },
    { fromS: 1000, toS: 1010, phases: ['later'] },
    { fromS: 1002, toS: 1004 },
  ]);
  assert.deepEqual([all?.requests, all?.failed, all?.iterations, all?.dropped, all?.vus], [13, 1, 13, 3, 1]);
  assert.deepEqual([one?.requests, one?.vus, one?.latencies.all.count], [8, 5, 7]);
  assert.deepEqual([...(all?.failures ?? [])], [['timeout', 1]]);
  assert.deepEqual([later?.requests, later?.failed, later?.latencies.all.count], [7, 0, 7]);
  assert.deepEqual([none?.requests, none?.vus, none?.latencies.all.percentile(0.99)], [0, null, null]);
});

test('the series of a timeline: rates over the window, nothing where nothing was', async () => {
  const at = (/** @type {number} */ seconds) => new Date(seconds * 1000).toISOString();
  const phases = /** @type {any} */ ([
    { start: at(1000), end: at(1001), offered_rps: 10 },
    { start: at(1001), end: at(1005), offered_rps: 20 },
  ]);
  const grid = { start_s: 1000, step_s: 2, count: 4, window_s: 2 };
  const { client: series } = clientHalf(await readLines(folder), grid, phases, 2);
  const values = Object.fromEntries(Object.entries(series).map(([name, one]) => [name, one.values]));
  assert.deepEqual(values.requests, [null, 6, null, 0.5]);
  assert.deepEqual(values.iterations, [null, 6, null, 0.5]);
  assert.deepEqual(values.dropped, [null, 1.5, null, 0]);
  assert.deepEqual(values.failed, [null, 1 / 12, null, 0]);
  assert.deepEqual(values.failures_timeout, [null, 0.5, null, null]);
  assert.deepEqual(values.offered, [null, 15, 20, 20]);
  assert.deepEqual(values.vus, [null, 5, null, 1]);
  assert.deepEqual(
    values.p99?.map((value) => value && Math.round(value)),
    [null, 2, null, 2],
  );
  assert.equal(series.p99?.unit, 'milliseconds');
});

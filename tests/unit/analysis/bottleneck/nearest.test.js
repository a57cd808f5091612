import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resourcesOf } from '../../../../analysis/judge/resources.ts';
import { answering, facts } from './synthetic.js';

/** The last point of the baseline is the moment in which the next phase begins. */
const afterS = { busiest_thread: 2, pool_utilization: 2 };
const CAPACITY = [{ kind: /** @type {const} */ ('capacity'), phase: 'busy' }];

/** @param {import('./synthetic.js').Difference} difference */
const rowsOf = (difference, found = CAPACITY) => {
  const resources = resourcesOf(facts(difference), found);
  return Object.fromEntries((resources?.rows ?? []).map(({ series, ...row }) => [series, row]));
};

/** @param {number | null | undefined} value @param {number} expected */
const about = (value, expected) =>
  assert.ok(Math.abs(Number(value) / expected - 1) < 0.05, `${value}, expected about ${expected}`);

test('a resource is full at the rate divided by its utilization, at capacity and in the baseline', () => {
  const series = { 'client.p99': 400, busiest_thread: 0.8, pool_utilization: 0.5 };
  const normal = { pool_utilization: 0.01 };
  const known = facts({ series, normal, afterS, capacity: answering(200, 10) });
  const resources = resourcesOf(known, CAPACITY);
  assert.deepEqual([resources?.phase, resources?.answers_per_s], ['busy', 200]);
  const [first, second] = resources?.rows ?? [];
  assert.deepEqual([first?.series, first?.title], ['busiest_thread', 'Busiest thread']);
  about(first?.utilization, 0.8);
  about(first?.baseline_utilization, 0.2);
  about(first?.full_at_per_s, 250);
  // The baseline answers 100/s.
  about(first?.predicted_per_s, 500);
  assert.equal(second?.series, 'pool_utilization');
  about(second?.full_at_per_s, 400);
  assert.equal(second?.predicted_per_s, null, 'it was hardly used in the baseline');
});

test('the load does not fill what is used as much in the baseline', () => {
  const { db_connections: open } = rowsOf({ capacity: answering(200, 10) });
  about(open?.utilization, 0.3);
  assert.deepEqual([open?.full_at_per_s, open?.predicted_per_s], [null, null]);
});

test('a process of one core may seem to use slightly more; one of several cores has no limit at one', () => {
  const at = (/** @type {number} */ busiest_process) =>
    rowsOf({ series: { busiest_process }, capacity: answering(200, 10) }).busiest_process;
  about(at(1.02)?.full_at_per_s, 196);
  assert.equal(at(2), undefined);
});

test('without a capacity only the baseline predicts, without a baseline only the capacity', () => {
  const series = { 'client.p99': 400, busiest_thread: 0.8 };
  const bottleneck = [{ kind: /** @type {const} */ ('bottleneck'), phase: 'busy' }];
  const { busiest_thread: slow } = rowsOf({ series, afterS }, /** @type {any} */ (bottleneck));
  assert.equal(slow?.full_at_per_s, null);
  about(slow?.predicted_per_s, 500);
  const { busiest_thread: alone } = rowsOf({ series, alone: true, capacity: answering(200, 10) });
  about(alone?.full_at_per_s, 250);
  assert.deepEqual([alone?.baseline_utilization, alone?.predicted_per_s], [null, null]);
});

test('six rows at most, and none without a finding that names a phase', () => {
  const names = [
    'host_cpu',
    'disk_busy',
    'busiest_thread',
    'worker_cpu',
    'heap',
    'open_files',
    'accept_queue',
  ];
  const series = Object.fromEntries(names.map((name) => [name, 0.9]));
  const known = facts({ series, capacity: answering(200, 10) });
  assert.equal(resourcesOf(known, CAPACITY)?.rows.length, 6);
  assert.equal(resourcesOf(known, []), null);
  assert.equal(resourcesOf({ ...known, timeline: null }, CAPACITY), null);
});

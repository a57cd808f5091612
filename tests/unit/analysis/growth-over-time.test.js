import assert from 'node:assert/strict';
import { test } from 'node:test';
import { growthOverTime } from '../../../analysis/findings/growth-over-time.ts';
import { STARTED_MS } from './build.js';

const MIB = 2 ** 20;
const PHASES = [
  { name: 'baseline', fromS: 0, toS: 20, rps: 10 },
  { name: 'spike', fromS: 20, toS: 30, rps: 200 },
  { name: 'recovered', fromS: 30, toS: 50, rps: 10 },
];

/** @param {(second: number) => number} memoryAt MiB @param {Partial<typeof PHASES[number]>[]} [phases] */
function find(memoryAt, phases = PHASES) {
  const planned = phases.map((phase, index) => ({ ...PHASES[index], ...phase }));
  const timeline = {
    start_s: STARTED_MS / 1000,
    step_s: 1,
    count: 50,
    signals: { memory: { values: Array.from({ length: 50 }, (_, second) => memoryAt(second) * MIB) } },
  };
  const facts = {
    timeline,
    phases: planned.map(({ name, fromS = 0, toS = 0, rps }) => ({
      name,
      measured: true,
      start: new Date(STARTED_MS + fromS * 1000).toISOString(),
      end: new Date(STARTED_MS + toS * 1000).toISOString(),
      achieved_rps: rps,
    })),
  };
  return growthOverTime(/** @type {any} */ (facts));
}

test('memory that is kept whatever is asked grows with time', () => {
  const [found, ...others] = find((second) => 100 + 7.6 * second + (second % 3));
  assert.deepEqual(others, []);
  assert.match(
    found?.statement ?? '',
    /^memory grows by 7\.6\d? MiB\/s over time, independently of the calls: 7\.\d+ MiB\/s at 10\/s, 7\.\d+ MiB\/s at 200\/s$/,
  );
  assert.ok(Math.abs((found?.figures.bytes_per_second ?? 0) - 7.6 * MIB) < 0.3 * MIB);
});

test('what calls leave behind, a heap that settles, and one load say nothing of time', () => {
  const calls = (/** @type {number} */ second) =>
    10 * Math.min(second, 20) + 200 * Math.min(Math.max(0, second - 20), 10) + 10 * Math.max(0, second - 30);
  assert.deepEqual(
    find((second) => 100 + 0.05 * calls(second)),
    [],
  );
  assert.deepEqual(
    find((second) => 100 + 80 * Math.min(1, second / 15)),
    [],
  );
  assert.deepEqual(
    find((second) => 100 + 0.5 * second),
    [],
    'less than a heap may fill',
  );
  const alike = [{ rps: 10 }, { rps: 10 }, { rps: 10 }];
  assert.deepEqual(
    find((second) => 100 + 7.6 * second, alike),
    [],
  );
});

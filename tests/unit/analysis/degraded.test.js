import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bucketsOf } from '../../../analysis/episode.ts';
import { degraded } from '../../../analysis/findings/degraded.ts';
import { headline } from '../../../analysis/judge/headline.ts';
import { phases } from '../../../analysis/judge/phases.ts';
import { histogramOfValues, lineOf, near, STARTED_MS, summary } from './build.js';

const START_S = STARTED_MS / 1000;

/** @typedef {{slow?: number, failed?: number, late?: number, stallMs?: number}} Second */

/** @param {number} slow calls @param {number} stallMs from the beginning of the second on @returns {[ms: number, count: number][]} */
const latenciesOf = (slow, stallMs) =>
  Array.from({ length: 100 }, (_, index) => [index < slow ? 400 : Math.max(20, stallMs - 10 * index), 1]);

/**
 * 100 calls/s of 20 ms; slow ones take 400 ms.
 *
 * @param {Record<string, Second[]>} seconds by phase
 * @param {Partial<import('./build.js').PhaseSpec>} [last] of the last phase
 * @param {Partial<import('../../../analysis/findings/recovery.ts').Recovery>[]} [recoveries]
 */
function found(seconds, last = {}, recoveries = []) {
  const names = Object.keys(seconds);
  const made = summary({
    phases: names.map((name, index) => ({
      name,
      offered_rps: 100,
      duration_s: seconds[name]?.length ?? 0,
      figures: { iterations: 2000, p99: 20 },
      ...(index === names.length - 1 && last),
    })),
  });
  let at = START_S;
  const lines = names.flatMap((phase) =>
    (seconds[phase] ?? []).map(({ slow = 0, failed = 0, late = 0, stallMs = 0 }) => {
      const durations = { ok: histogramOfValues(latenciesOf(slow, stallMs)) };
      const timerLateness = histogramOfValues([[late, 1]]);
      return lineOf(at++, phase, { requests: 100, failed, durations }, { timerLateness });
    }),
  );
  const all = phases(made);
  const known = { plan: made.plan, phases: all, lines, buckets: bucketsOf(lines, all), recoveries };
  return degraded(/** @type {any} */ (known));
}

/** @param {number} count @param {Second} [second] @returns {Second[]} */
const times = (count, second = {}) => Array.from({ length: count }, () => second);

test('a part of a steady load that is slow, in its only phase or a later one', () => {
  const [finding, ...others] = found({ a: [...times(30), ...times(12, { slow: 60 }), ...times(40)] });
  assert.deepEqual(others, []);
  near(finding?.statement, 'degraded for 12 s in a: p99 20 ms -> 400 ms');
  assert.match(finding?.evidence.join('\n') ?? '', /from 0?0:30 for 12 s: p99 20 ms -> 400 ms/);
  assert.equal(finding?.observations?.[0]?.at, new Date((START_S + 30) * 1000).toISOString());
  const [later] = found({ a: times(20), b: [...times(10), ...times(3, { failed: 50 }), ...times(10)] });
  near([later?.phase, later?.statement], ['b', 'degraded for 3 s in b: 50 % failed']);
});

test('a stall: all calls wait for its end, once or again and again', () => {
  /** A stall of so many milliseconds in a second: calls are answered at its end. @param {number} ms @returns {Second} */
  const stall = (ms) => ({ stallMs: ms });
  const again = Array.from({ length: 8 }, () => [...times(5), stall(400)]).flat();
  const [finding] = found({ a: [...times(10), ...again, ...times(5)] });
  near(finding?.statement, 'stalled 8 times for 0.4 s every 6 s in a: p99 20 ms -> 390 ms');
  near([finding?.subject, finding?.figures.period_s, finding?.figures.episodes], ['stall', 6, 8]);
  const [once] = found({ a: [...times(20), stall(2000), { stallMs: 1000 }, ...times(20)] });
  near(once?.statement.replace(/: .*/, ''), 'stalled for 2 s in a');
  // Some calls that take long are none.
  near(found({ a: [...times(20), { slow: 30 }, ...times(20)] })[0]?.subject, 'degraded');
});

test('several are counted, and the longest is told', () => {
  const [finding] = found({
    a: [...times(20), ...times(2, { slow: 60 }), ...times(20), ...times(4, { slow: 60 }), ...times(20)],
  });
  near(finding?.statement, 'degraded 2 times, the longest for 4 s in a: p99 20 ms -> 400 ms');
  near([finding?.figures.episodes, finding?.figures.total_s], [2, 6]);
});

test('nothing is said of a healthy run, an overload, what it leaves, or a machine that stalled', () => {
  const slow = { a: times(20), b: [...times(8), ...times(6, { slow: 60 }), ...times(8)] };
  assert.equal(found(slow).length, 1);
  assert.deepEqual(found({ a: times(60, { slow: 1 }) }), []);
  assert.deepEqual(found(slow, { overload: true }), []);
  assert.deepEqual(found(slow, { offered_rps: 200 }), [], 'a heavier load is no degradation');
  const recovery = { ended_s: START_S + 20, recovery_s: 14, observed_s: 22 };
  assert.deepEqual(found(slow, {}, [recovery]), []);
  assert.deepEqual(found({ a: [...times(20), ...times(2, { slow: 60, late: 400 }), ...times(20)] }), []);
  assert.deepEqual(found({ a: times(20), b: [{ slow: 60 }, ...times(20)] }), [], 'connections and sessions');
});

test('the headline of a run that passes has it', () => {
  const findings = found({ a: [...times(30), ...times(12, { slow: 60 }), ...times(40)] });
  const facts = {
    verdict: { outcome: 'pass', exit_code: 0, reasons: ['1 threshold held'] },
    thresholds: [],
    findings,
    phases: [],
    operations: [],
  };
  near(
    headline(/** @type {any} */ (facts)),
    'PASS: 1 threshold held. Degraded for 12 s in a: p99 20 ms -> 400 ms.',
  );
});

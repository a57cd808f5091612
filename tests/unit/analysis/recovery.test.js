import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bucketsOf } from '../../../analysis/episode.ts';
import { recoveries } from '../../../analysis/findings/recovery.ts';
import { recovery } from '../../../analysis/findings/recovery-finding.ts';
import { phases } from '../../../analysis/judge/phases.ts';
import { histogramOf, lineOf, near, objective, STARTED_MS, summary } from './build.js';

const LIMIT = objective('baseline', 'p99_ms', '<', 85);
const ENDED_S = STARTED_MS / 1000 + 45;

/** @typedef {{ms?: number, failed?: number, requests?: number, dropped?: number, phase?: string}} Second */

/** @param {number} count @param {Second} [second] @returns {Second[]} */
const times = (count, second = {}) => Array.from({ length: count }, () => second);
const SLOW = { ms: 900 };
const FAILING = { failed: 20 };

/** @param {Second[]} seconds after the spike @param {number} firstS */
const linesOf = (seconds, firstS = ENDED_S) =>
  seconds.map(({ ms = 60, failed = 0, requests = 100, dropped = 0, phase = 'recovery' }, index) =>
    lineOf(firstS + index, phase, {
      requests,
      failed,
      dropped,
      durations: { ok: histogramOf(ms, requests) },
    }),
  );

/**
 * 100 requests/s for 20 s, a spike of 2,000 for 20 s, then 40 s at 100 again.
 *
 * @param {import('./build.js').PhaseFigures} [figures] of the baseline
 * @param {Partial<import('./build.js').PhaseSpec>} [last] of the last phase
 */
const ran = (figures = {}, last = {}) =>
  phases(
    summary({
      phases: [
        { name: 'warm-up', measured: false, duration_s: 5, offered_rps: 100 },
        { name: 'baseline', offered_rps: 100, figures: { iterations: 2000, ...figures } },
        { name: 'spike', offered_rps: 2000, overload: true, figures: { p99: 900 } },
        {
          name: 'recovery',
          offered_rps: 100,
          overload: true,
          figures: { iterations: 4000 },
          duration_s: 40,
          ...last,
        },
      ],
    }),
  );

/** @param {ReturnType<typeof phases>} all @param {ReturnType<typeof linesOf>} lines */
const found = (all, lines) => recoveries(all, [LIMIT], bucketsOf(lines, all));

/** @param {Second[]} seconds after the spike @param {Parameters<typeof ran>} how */
function after(seconds, ...how) {
  const spike = linesOf(times(20, { ...SLOW, requests: 2000, phase: 'spike' }), ENDED_S - 20);
  const [first] = found(ran(...how), [...spike, ...linesOf(seconds)]);
  assert.ok(first);
  return first;
}

/** @param {Second[]} seconds */
const timesOf = (seconds) => {
  const { recovery_s, latency_recovery_s, failures_recovery_s } = after(seconds);
  return [recovery_s, latency_recovery_s, failures_recovery_s];
};

test('until the end of the last second that the overload spoiled, by latency and by failures', () => {
  assert.deepEqual(timesOf(times(40)), [0, 0, 0]);
  assert.deepEqual(timesOf([...times(6, SLOW), ...times(34)]), [6, 6, 0]);
  assert.deepEqual(timesOf([...times(4, FAILING), ...times(36)]), [4, 0, 4]);
  assert.deepEqual(
    timesOf([...times(3, { ...SLOW, ...FAILING }), ...times(3, SLOW), ...times(34)]),
    [6, 6, 3],
  );
  // What the spike left in the queue is the spike's.
  const queued = linesOf(times(40, { ms: 5000, failed: 100, phase: 'spike' }));
  assert.equal(found(ran(), [...linesOf(times(40)), ...queued])[0]?.recovery_s, 0);
});

test('a call here and there is no episode; seconds that are bad again soon after are the same one', () => {
  assert.equal(after(times(40, { failed: 1 })).recovery_s, 0);
  assert.deepEqual(timesOf([...times(4, SLOW), ...times(5), ...times(2, SLOW), ...times(29)]), [11, 11, 0]);
  // Twenty seconds later it is something else.
  assert.equal(after([...times(4, SLOW), ...times(20), ...times(3, FAILING), ...times(13)]).recovery_s, 4);
});

test('a server that answers nothing has not recovered, whether load is dropped or no call is made', () => {
  for (const second of [{ requests: 0, dropped: 100 }, { requests: 0 }, { requests: 40 }, SLOW])
    assert.equal(after([...times(3), ...times(37, second)]).recovery_s, null, JSON.stringify(second));
  assert.equal(after([...times(12, SLOW), ...times(28, { requests: 60 })]).recovery_s, 12);
});

test('normal is normal for as long as it was seen', () => {
  const found = after([...times(35, SLOW), ...times(5)]);
  assert.deepEqual(
    [found.recovery_s, found.normal_for_s, found.calls, found.confidence],
    [35, 5, 500, 'high'],
  );
  assert.equal(after([...times(38, SLOW), ...times(2)]).recovery_s, null);
  const few = after([...times(37, SLOW), ...times(3)]);
  assert.deepEqual([few.recovery_s, few.calls, few.confidence], [37, 300, 'medium']);
});

test('inconclusive without a baseline, without seconds, and if it was hardly watched', () => {
  const reasonOf = (/** @type {ReturnType<typeof after>} */ { recovery_s, confidence, reason }) => {
    assert.deepEqual([recovery_s, confidence], [null, 'inconclusive']);
    return reason;
  };
  assert.match(reasonOf(after(times(40), { answered: 99 })) ?? '', /^baseline has too few answers/);
  assert.match(reasonOf(after(times(40), { failures: { tool: 200 } })) ?? '', /or too many failures/);
  assert.match(reasonOf(after(times(2), {}, { duration_s: 2 })) ?? '', /^it was observed for only 2 s$/);
  const [unknown] = found(ran(), []);
  assert.ok(unknown);
  assert.equal(reasonOf(unknown), 'there are no figures per second');
});

test('without a baseline before the overload, or with a heavier load after it, there is none', () => {
  const loads = (/** @type {number[]} */ ...rates) =>
    phases(
      summary({
        phases: rates.map((offered_rps, index) => ({
          name: `p${index}`,
          offered_rps,
          overload: offered_rps > 100,
          figures: {},
        })),
      }),
    );
  const count = (/** @type {number[]} */ ...rates) => recoveries(loads(...rates), [], []).length;
  assert.deepEqual(
    [count(100, 2000, 100), count(2000, 100), count(100, 2000), count(100, 200, 2000, 100)],
    [1, 0, 0, 1],
  );
});

/** @param {import('../../../analysis/findings/recovery.ts').Recovery} found */
function findingOf(found) {
  const [finding] = recovery(/** @type {any} */ ({ phases: ran(), recoveries: [found] }));
  assert.ok(finding);
  return finding;
}

test('the finding: when, that it was not, and that it is inconclusive', () => {
  const at = findingOf(after([...times(4, SLOW), ...times(5, FAILING), ...times(31)]));
  near(
    [at.kind, at.phase, at.confidence, at.statement],
    [
      'recovery',
      'spike',
      'high',
      'recovered 9 s after spike: p99 <= 85 ms, failures <= 1 %, observed for 31 s',
    ],
  );
  const evidence = at.evidence.join('\n');
  assert.match(
    evidence,
    /its objective, more than 1\.3 x its p99 of 50 ms\); failures <= 1 % \(its 0 % plus 1 %\)/,
  );
  assert.match(evidence, /p99 recovered after 4 s, failures after 9 s/);
  near(
    at.observations?.map(({ series, from, to, threshold, at: time }) => [series, from, to, threshold, time]),
    [
      ['client.p99', 50, 900, 85, new Date((ENDED_S + 4) * 1000).toISOString()],
      ['client.failed', 0, 0, 0.01, new Date((ENDED_S + 9) * 1000).toISOString()],
    ],
  );
  near(
    findingOf(after(times(40))).statement,
    'recovered immediately after spike: p99 <= 85 ms, failures <= 1 %, observed for 40 s',
  );
  const never = findingOf(after(times(40, FAILING)));
  near(never.statement, 'did not recover within 40 s after spike: not back to p99 <= 85 ms, failures <= 1 %');
  near([never.figures.recovery_s, never.figures.latency_recovery_s], [null, 0]);
  const [unknown] = found(ran(), []);
  assert.ok(unknown);
  const inconclusive = findingOf(unknown);
  assert.match(
    inconclusive.statement,
    /^the recovery time after spike is inconclusive: there are no figures per second/,
  );
  near(inconclusive.observations, []);
});

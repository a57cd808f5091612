import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeRecovery, planRecoveries, recoveries } from '../../../analysis/findings/recovery.ts';
import { recovery } from '../../../analysis/findings/recovery-finding.ts';
import { phases } from '../../../analysis/judge/phases.ts';
import { histogramOf, near, objective, STARTED_MS, summary } from './build.js';

const LIMIT = objective('baseline', 'p99_ms', '<', 85);
const START_S = STARTED_MS / 1000;

/** @typedef {import('./build.js').PhaseSpec} PhaseSpec */
/** @typedef {import('../../../analysis/findings/recovery.ts').Window} Window */

/** @param {PhaseSpec[]} shape @param {import('../../../analysis/collect/plan.ts').Objective[]} [objectives] */
const plansOf = (shape, objectives = []) => planRecoveries(phases(summary({ phases: shape })), objectives);

/**
 * 100 requests/s for 20 s, a spike of 2,000, then two phases of 20 s at 100 again.
 *
 * @param {import('./build.js').PhaseFigures} [figures] of the baseline
 * @param {import('../../../analysis/collect/plan.ts').Objective[]} [objectives]
 * @param {number} [rate]
 */
function plan(figures = {}, objectives = [LIMIT], rate = 100) {
  const normal = { offered_rps: rate, figures: { iterations: 20 * rate, ...figures } };
  const [planned] = plansOf(
    [
      { name: 'warm-up', measured: false, duration_s: 5, offered_rps: rate },
      { ...normal, name: 'baseline' },
      { name: 'spike', offered_rps: 20 * rate, overload: true, figures: { p99: 900 } },
      { ...normal, name: 'recovery', overload: true },
      { ...normal, name: 'recovered' },
    ],
    objectives,
  );
  assert.ok(planned);
  return planned;
}

test('what is asked: from the end of the spike to the end of the last phase', () => {
  const { band, ...rest } = plan();
  assert.deepEqual(rest, {
    overload: 'spike',
    baseline: 'baseline',
    phases: ['recovery', 'recovered'],
    fromS: START_S + 45,
    toS: START_S + 85,
    per_s: 100,
    answered: 4000,
    window_s: 6,
    step_s: 1,
    hold_s: 10,
    problem: null,
  });
  near(band, {
    baseline: 'baseline',
    baseline_p99_ms: 50,
    baseline_failure_share: 0,
    p99_ms: 85,
    failure_share: 0.01,
  });
});

test('the band: the objective, or a stated margin over the baseline where that is more', () => {
  const p99 = (/** @type {number} */ ms, /** @type {typeof LIMIT[]} */ ...limits) =>
    plan({ p99: ms }, limits).band?.p99_ms;
  near(p99(50, LIMIT), 85);
  near(p99(100, LIMIT), 130);
  near(p99(50), 65);
  near(p99(50, objective('baseline', 'p99_ms', '<=', 3, { relative_to: { phase: 'x' } })), 65);
  const failures = (/** @type {number} */ count, /** @type {typeof LIMIT[]} */ ...limits) =>
    plan({ failures: { tool: count } }, limits).band?.failure_share;
  near(failures(0), 0.01);
  near(failures(60), 0.04);
  near(failures(0, objective('baseline', 'failure_share', '<', 0.001)), 0.01);
  near(failures(0, objective('baseline', 'failure_share', '<', 0.1)), 0.1);
});

test('a baseline that hardly answers, or fails, shows nothing that is normal', () => {
  const limit = objective('baseline', 'failure_share', '<', 0.5);
  for (const [figures, objectives] of /** @type {const} */ ([
    [{ answered: 99 }, []],
    [{ failures: { tool: 400 } }, []],
    [{ failures: { tool: 1200 } }, [limit]],
  ])) {
    const planned = plan(figures, [...objectives]);
    assert.match(planned.problem ?? '', /^baseline has too few answers, or too many failures/);
    assert.equal(judgeRecovery(planned, normal(30)).confidence, 'not_enough_to_tell');
  }
  assert.equal(plan({ failures: { tool: 400 } }, [limit]).problem, null);
});

test('no overload, nothing before it or nothing after it: nothing to find', () => {
  const calm = { name: 'baseline', figures: {} };
  const spike = { name: 'spike', offered_rps: 99, overload: true, figures: {} };
  for (const shape of [[calm], [spike, calm], [calm, spike], [{ name: 'silent' }, spike, calm]])
    assert.deepEqual(plansOf(shape), [], shape.map(({ name }) => name).join());
});

test('each overload has a recovery of its own; overloads without a rest between them are one', () => {
  const calm = (/** @type {string} */ name) => ({ name, figures: {} });
  const spike = (/** @type {string} */ name, rate = 99) => ({
    name,
    offered_rps: rate,
    overload: true,
    figures: {},
  });
  const found = plansOf([
    ...[
      calm('before'),
      spike('one'),
      calm('between'),
      spike('two'),
      spike('three', 50),
      calm('after'),
      calm('later'),
    ],
  ]);
  assert.deepEqual(
    found.map(({ overload, baseline, phases }) => [overload, baseline, ...phases]),
    [
      ['one', 'before', 'between'],
      ['three', 'before', 'after', 'later'],
    ],
  );
});

test('watched is what can be compared: no more load than before the spike, and no pause', () => {
  const calm = { figures: {}, offered_rps: 10 };
  const spike = { name: 'spike', offered_rps: 99, overload: true, figures: {} };
  const after = (/** @type {PhaseSpec} */ next) =>
    plansOf([{ ...calm, name: 'before' }, spike, { ...calm, name: 'a' }, next])[0]?.phases;
  assert.deepEqual(after({ ...calm, name: 'b' }), ['a', 'b']);
  assert.deepEqual(after({ ...calm, name: 'b', offered_rps: 20 }), ['a']);
  assert.deepEqual(after({ ...calm, name: 'b', start_s: 70 }), ['a']);
  assert.deepEqual(after({ ...calm, name: 'b', offered_rps: null, vus: 5 }), ['a']);
  assert.deepEqual(after({ ...calm, name: 'b', measured: false }), ['a']);
});

test('the fewer requests, the longer the windows: each must be able to show a p99', () => {
  const windowAt = (/** @type {number} */ rate) => {
    const { window_s, hold_s, problem } = plan({}, [LIMIT], rate);
    return problem ? problem : [window_s, hold_s];
  };
  assert.deepEqual(windowAt(2000), [6, 10]);
  assert.deepEqual(windowAt(33.3), [6, 10]);
  assert.deepEqual(windowAt(20), [10, 10]);
  assert.deepEqual(windowAt(10), [20, 20]);
  assert.deepEqual(windowAt(5), [60, 60]);
  assert.equal(plan({ iterations: 100 }, [LIMIT], 5).window_s, 60);
  assert.match(
    String(
      plansOf([
        { name: 'a', duration_s: 100, offered_rps: 1, figures: { iterations: 100 } },
        { name: 'spike', offered_rps: 99, overload: true, figures: {} },
        { name: 'b', duration_s: 100, offered_rps: 1, figures: { iterations: 100 } },
      ])[0]?.problem,
    ),
    /^a p99 needs 100 answers, and at 1\/s 1 min hold too few$/,
  );
});

/** What a window of 6 s of 100 requests/s looks like. */
const GOOD = { requests: 600, p99Ms: 60, failureShare: 0 };
const SLOW = { ...GOOD, p99Ms: 900 };
const FAILING = { ...GOOD, failureShare: 0.2 };
const DEAD = { requests: 0, p99Ms: null, failureShare: 0 };

/** @param {Omit<Window, 'afterS'>[]} windows @returns {Window[]} one a second */
const series = (windows) => windows.map((window, index) => ({ afterS: index, ...window }));
/** @param {number} count @param {Omit<Window, 'afterS'>} [window] */
const times = (count, window = GOOD) => /** @type {Omit<Window, 'afterS'>[]} */ (Array(count).fill(window));
/** @param {number} count */
const normal = (count) => series(times(count));

/** @param {Omit<Window, 'afterS'>[]} windows */
const judged = (...windows) => judgeRecovery(plan(), series(windows));

test('recovered from the first window on from which all is normal for the hold', () => {
  const found = judged(...times(8, SLOW), ...times(27));
  assert.deepEqual([found.recovery_s, found.confidence, found.late_s], [8, 'high', 3]);
  assert.equal(judged(...times(35)).recovery_s, 0);
});

test('p99 and failures have to be normal, each by itself is told', () => {
  const found = judged(...times(4, SLOW), ...times(5, FAILING), ...times(26));
  assert.deepEqual([found.recovery_s, found.latency_recovery_s, found.failures_recovery_s], [9, 4, 9]);
  const failing = judged(...times(35, FAILING));
  assert.deepEqual([failing.recovery_s, failing.latency_recovery_s, failing.confidence], [null, 0, 'high']);
});

test('a histogram may read a p99 a bucket too high, and no more', () => {
  assert.equal(judged(...times(35, { ...GOOD, p99Ms: 85 * 1.09 })).recovery_s, 0);
  assert.equal(judged(...times(35, { ...GOOD, p99Ms: 85 * 1.1 })).recovery_s, null);
});

test('failures at the limit are in the band', () => {
  assert.equal(judged(...times(35, { ...GOOD, failureShare: 0.01 })).recovery_s, 0);
  assert.equal(judged(...times(35, { ...GOOD, failureShare: 0.0101 })).recovery_s, null);
});

test('a service that stands still is not normal, however fast the few answers are', () => {
  assert.equal(judged(...times(5, { ...GOOD, requests: 299 }), ...times(30)).recovery_s, 5);
  assert.equal(judged(...times(35, { ...GOOD, requests: 300 })).recovery_s, 0);
});

test('a dead server did not recover: no request was answered', () => {
  const found = judgeRecovery({ ...plan(), answered: 0 }, series(times(35, DEAD)));
  assert.deepEqual([found.recovery_s, found.confidence, found.reason], [null, 'high', null]);
});

test('answers that nobody kept by the second: not enough to tell', () => {
  const { confidence, reason } = judged(...times(35, DEAD));
  assert.deepEqual(
    [confidence, reason],
    ['not_enough_to_tell', 'none of the 4,000 answers after it was kept second by second'],
  );
});

test('a bad moment within the hold starts it anew, one after it is not the spike any more', () => {
  // The windows that lie in the 10 s from the third on are those that begin until the seventh.
  assert.equal(judged(...times(3, SLOW), ...times(4), SLOW, ...times(27)).recovery_s, 8);
  assert.equal(judged(...times(3, SLOW), ...times(5), SLOW, ...times(26)).recovery_s, 3);
});

test('not enough to tell: watched too shortly, or normal for the last moments only', () => {
  const short = { ...plan(), toS: START_S + 45 + 9.5 };
  const brief = judgeRecovery(short, normal(4));
  assert.deepEqual(
    [brief.confidence, brief.reason],
    ['not_enough_to_tell', 'it was watched for 9.5 s, and all has to stay in the band for 10 s'],
  );
  assert.equal(judgeRecovery(plan(), []).confidence, 'not_enough_to_tell');
  const late = judged(...times(31, SLOW), ...times(4));
  assert.deepEqual([late.recovery_s, late.confidence], [null, 'not_enough_to_tell']);
  assert.match(late.reason ?? '', /^all was normal at the end/);
  assert.equal(judged(...times(30, SLOW), ...times(5)).recovery_s, 30);
});

test('longer windows, or few of them, lower the confidence', () => {
  const wide = plan({}, [LIMIT], 20);
  assert.equal(judgeRecovery(wide, series(times(31, { ...GOOD, requests: 200 }))).confidence, 'medium');
  const short = { ...plan(), toS: START_S + 45 + 12 };
  assert.equal(judgeRecovery(short, normal(7)).confidence, 'medium');
});

/**
 * What windows show of a service that is slow, or fails, until some moment: what ended in them, with the pushes of k6 two
 * seconds apart, so that a window begins up to two seconds early.
 *
 * @param {number} until
 * @param {number} pushAt when the first push is, 0 to 2
 * @param {'latency' | 'failures'} kind
 * @param {number} bad share of the requests that are
 */
function windowsOf(until, pushAt, kind, bad) {
  const pushed = (/** @type {number} */ s) => Math.max(0, Math.floor((s - pushAt) / 2) * 2 + pushAt);
  return Array.from({ length: 35 }, (_, start) => {
    const [from, to] = [pushed(start), pushed(start + 6)];
    const share = (bad * Math.max(0, Math.min(until, to) - from)) / (to - from);
    return {
      afterS: start,
      requests: Math.round((to - from) * 100),
      p99Ms: kind === 'latency' && share > 0.01 ? 900 : 60,
      failureShare: kind === 'failures' ? share : 0,
    };
  });
}

test('whenever it recovers and whenever k6 pushes: never found too early, at most as late as is said', () => {
  for (let until = 0; until < 25; until += 0.7) {
    for (const pushAt of [0, 0.3, 0.9, 1.5, 1.99]) {
      for (const kind of /** @type {const} */ (['latency', 'failures'])) {
        for (const bad of [1, 0.2]) {
          const { recovery_s, late_s } = judgeRecovery(plan(), windowsOf(until, pushAt, kind, bad));
          const told = `bad until ${until}, pushes at ${pushAt}, ${kind} ${bad}: ${recovery_s}`;
          assert.ok(recovery_s !== null, told);
          // What is bad in so small a part of a window that the band allows it does no harm.
          const allowed = (0.01 / bad) * 8;
          assert.ok(recovery_s >= until - allowed, told);
          assert.ok(recovery_s <= until + late_s, told);
        }
      }
    }
  }
});

/** @param {number} afterS seconds after the spike @param {number} ms @param {number} failed @param {string} [phase] */
const line = (afterS, ms, failed, phase = 'recovery') => ({
  second: {
    at: START_S + 45 + afterS,
    vus: 1,
    groups: { 0: { requests: 100, failed, durations: { ok: histogramOf(ms, 100) } } },
  },
  groups: new Map([['0', { phase, operation: 'a' }]]),
});

test('read from the seconds of the phases after the spike, in whole windows', () => {
  const shape = [
    { name: 'warm-up', measured: false, duration_s: 5, offered_rps: 100 },
    { name: 'baseline', offered_rps: 100, figures: { iterations: 2000 } },
    { name: 'spike', offered_rps: 2000, overload: true, figures: { p99: 900 } },
    { name: 'recovery', offered_rps: 100, overload: true, figures: { iterations: 4000 }, duration_s: 40 },
  ];
  const all = phases(summary({ phases: shape }));
  const lines = Array.from({ length: 40 }, (_, afterS) =>
    line(afterS, afterS < 6 ? 900 : 60, afterS < 3 ? 50 : 0),
  );
  const queued = Array.from({ length: 40 }, (_, afterS) => line(afterS, 5000, 100, 'spike'));
  const [found, ...others] = recoveries(all, [LIMIT], [...lines, ...queued]);
  assert.deepEqual(others, []);
  assert.deepEqual([found?.recovery_s, found?.failures_recovery_s, found?.overload], [6, 3, 'spike']);
  const [silent] = recoveries(all, [LIMIT], lines.slice(0, 12));
  assert.deepEqual([silent?.recovery_s, silent?.confidence], [null, 'high']);
  const [unknown] = recoveries(all, [LIMIT], []);
  assert.match(unknown?.reason ?? '', /^none of the 4,000 answers after it was kept second by second$/);
});

/** @param {import('../../../analysis/findings/recovery.ts').Recovery} found */
function findingOf(found) {
  const all = phases(
    summary({
      phases: [
        { name: 'baseline', figures: {} },
        { name: 'spike', overload: true, figures: { p99: 900 } },
      ],
    }),
  );
  const [finding] = recovery(/** @type {any} */ ({ phases: all, recoveries: [found] }));
  assert.ok(finding);
  return finding;
}

test('the finding: when, that it was not, and that it can not be told', () => {
  const at = findingOf(judged(...times(4, SLOW), ...times(5, FAILING), ...times(26)));
  near(
    [at.kind, at.phase, at.confidence, at.statement],
    [
      'recovery',
      'spike',
      'high',
      'recovered 9 s after the end of spike: p99 <= 85 ms, failures <= 1 % from then on, for 10 s at least',
    ],
  );
  near(at.figures.recovery_s, 9);
  assert.match(
    at.evidence.join('\n'),
    /its objective, for 1\.3 x its p99 of 50 ms is less; failures <= 1 % is its 0 % and 1 % more/,
  );
  assert.match(
    at.evidence.join('\n'),
    /p99 by itself was so after 4 s, the share of failures was so after 9 s/,
  );
  assert.match(at.evidence.join('\n'), /windows of 6 s.*300 requests.*9 % too high.*up to 3 s late/);
  near(at.observations, [
    {
      series: 'client.p99',
      unit: 'milliseconds',
      from: 50,
      to: 900,
      threshold: 85,
      at: new Date(STARTED_MS + 49_000).toISOString(),
    },
    {
      series: 'client.failed',
      unit: 'ratio',
      from: 0,
      to: 0,
      threshold: 0.01,
      at: new Date(STARTED_MS + 54_000).toISOString(),
    },
  ]);

  near(
    findingOf(judged(...times(35))).statement,
    'all was normal right after spike: p99 <= 85 ms, failures <= 1 %, for 10 s at least',
  );

  const never = findingOf(judged(...times(35, FAILING)));
  near(never.statement, 'did not recover within 40 s after spike: not back to p99 <= 85 ms, failures <= 1 %');
  near(never.figures.recovery_s, null);
  assert.match(never.evidence.join('\n'), /in the last 6 s: 600 requests, p99 60 ms, 20 % failed/);
  near(
    never.observations?.map(({ at }) => at),
    [new Date(STARTED_MS + 45_000).toISOString(), null],
  );

  const unknown = findingOf(judgeRecovery(plan(), []));
  near(unknown.confidence, 'not_enough_to_tell');
  assert.match(
    unknown.statement,
    /^not enough to tell when all was normal again after spike: it was watched for 40 s/,
  );
  near(unknown.observations, []);
});

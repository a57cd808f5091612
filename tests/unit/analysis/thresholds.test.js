import assert from 'node:assert/strict';
import { test } from 'node:test';
import { phases } from '../../../analysis/judge/phases.ts';
import { thresholdName } from '../../../analysis/judge/threshold-words.ts';
import { judgeThresholds } from '../../../analysis/judge/thresholds.ts';
import { histogramOf, near, objective, summary, trend } from './build.js';

/** @param {import('./build.js').Spec} spec */
function judge(spec) {
  const made = summary(spec);
  return judgeThresholds({ ...made, phases: phases(made) });
}

/** @param {import('./build.js').Spec} spec */
function first(spec) {
  const [threshold] = judge(spec);
  assert.ok(threshold);
  return threshold;
}

const P99 = objective('baseline', 'p99_ms', '<', 85, {
  k6: { metric: 'mcp_request_duration{phase:baseline}', expression: 'p(99)<85' },
});

test('an objective that holds', () => {
  const threshold = first({ phases: [{ name: 'baseline', figures: { p99: 84.5 } }], objectives: [P99] });
  near(threshold, {
    scope: { phase: 'baseline' },
    metric: 'p99_ms',
    expression: 'p99_ms < 85',
    op: '<',
    limit: 85,
    relative_to: null,
    observed: 84.5,
    samples: 200,
    ok: true,
    outcome: 'pass',
    reason: null,
    k6: { metric: 'mcp_request_duration{phase:baseline}', expression: 'p(99)<85', ok: true },
    disputed: false,
  });
  assert.equal(thresholdName(threshold), 'baseline p99 < 85 ms');
});

test('an objective that is missed says so with its numbers', () => {
  const threshold = first({
    phases: [{ name: 'baseline', figures: { p99: 132, iterations: 480 } }],
    objectives: [{ ...P99, k6: undefined }],
  });
  assert.equal(threshold.ok, false);
  assert.equal(threshold.outcome, 'fail');
  assert.equal(threshold.reason, 'baseline p99 was 132 ms, objective < 85 ms (480 samples)');
});

test('the figures of a sentence have the digits that tell them apart', () => {
  const threshold = first({
    phases: [{ name: 'baseline', figures: { failures: { tool: 2 } } }],
    objectives: [objective('baseline', 'failure_rate', '<=', 0.0099996)],
  });
  assert.match(threshold.reason ?? '', /was 1 %, objective <= 0\.99996 %/);
});

test('the bound itself: < misses it, <= and >= hold', () => {
  /** @param {import('../../../analysis/collect/plan.ts').Objective['op']} op */
  const at = (op) =>
    first({
      phases: [{ name: 'a', figures: { failures: { tool: 2 } } }],
      objectives: [objective('a', 'failure_rate', op, 0.01)],
    }).ok;
  assert.deepEqual(
    ['<', '<=', '>', '>='].map((op) => at(/** @type {'<'} */ (op))),
    [false, true, false, true],
  );
});

test('failure rate, operation, class and the whole run', () => {
  const thresholds = judge({
    phases: [{ name: 'a', figures: { failures: { tool: 4 } } }],
    objectives: [
      objective('a', 'failure_rate', '<', 0.01),
      { scope: { operation: 'get_user' }, metric: 'p95_ms', op: '<', limit: 10 },
      { scope: { class: 'read' }, metric: 'p95_ms', op: '<', limit: 50 },
      { scope: {}, metric: 'p99_ms', op: '<', limit: 5 },
    ],
    metrics: {
      'mcp_request_duration{operation:get_user}': { values: trend(100, 50) },
      'mcp_request_duration{class:read}': { values: trend(10, 70) },
      'mcp_request_duration{operation:search}': { values: trend(20, 1) },
    },
  });
  near(
    thresholds.map(({ reason }) => reason),
    [
      'a failure rate was 2 %, objective < 1 % (200 samples)',
      'get_user p95 was 90 ms, objective < 10 ms (50 samples)',
      null,
      'the whole run p99 was 87 ms, objective < 5 ms (321 samples)',
    ],
  );
  near(thresholds.map(thresholdName), [
    'a failure rate < 1 %',
    'get_user p95 < 10 ms',
    'class read p95 < 50 ms',
    'the whole run p99 < 5 ms',
  ]);
});

test('without a sample nothing holds, though k6 lets it pass', () => {
  const threshold = first({ phases: [{ name: 'baseline' }], objectives: [P99] });
  assert.equal(threshold.k6?.ok, true);
  assert.deepEqual([threshold.ok, threshold.outcome, threshold.observed], [null, 'invalid', null]);
  assert.equal(threshold.reason, 'baseline p99 could not be judged: no samples');
});

test('requests that all failed without an answer are the failure of the server, not a gap', () => {
  const threshold = first({
    phases: [{ name: 'baseline', figures: { iterations: 300, answered: 0, failures: { connect: 300 } } }],
    objectives: [P99],
  });
  assert.equal(threshold.outcome, 'fail');
  assert.equal(threshold.reason, 'baseline p99 has no value, objective < 85 ms: all 300 requests failed');
});

test('too few samples to hold are enough to miss once no server that meets the objective would show them', () => {
  /** @param {number} calls @param {number} slow */
  const judged = (calls, slow) => {
    const durations = { ok: histogramOf(20, calls - slow), unanswered: histogramOf(2000, slow) };
    const { plan } = summary({ phases: [{ name: 'baseline' }] });
    const [threshold] = judgeThresholds({
      plan: { ...plan, objectives: [{ ...P99, k6: undefined, min_samples: 100 }] },
      phases: [],
      groups: [{ phase: 'baseline', operation: 'a', requests: calls, failed: slow, durations }],
      vusMax: 1,
      thresholds: [],
    });
    assert.ok(threshold);
    return threshold;
  };
  const dead = judged(58, 58);
  assert.deepEqual([dead.ok, dead.outcome], [false, 'fail']);
  assert.match(dead.reason ?? '', /^baseline p99 was > 2,001 ms, objective < 85 ms \(58 samples\)$/);
  // One of 58 is 1.7 %: chance in four runs of ten.
  assert.equal(judged(58, 1).outcome, 'invalid');
  assert.equal(judged(58, 4).outcome, 'invalid');
  assert.equal(judged(58, 6).outcome, 'fail');
  assert.equal(judged(3, 3).outcome, 'fail');
});

test('a percentile of too few calls is not judged, however many requests a handshake adds; a failed call counts', () => {
  /** @param {Record<string, any>} figures */
  const judged = (figures) =>
    first({ phases: [{ name: 'baseline', figures }], objectives: [{ ...P99, min_samples: 100 }] });
  const few = judged({ iterations: 34, answered: 34 });
  assert.deepEqual([few.ok, few.outcome], [null, 'invalid']);
  assert.equal(few.reason, 'baseline p99 was not judged: 34 samples, 100 needed');
  assert.notEqual(judged({ iterations: 100, answered: 100, failures: { connect: 40 } }).outcome, 'invalid');
});

test('a percentile that too few calls were answered for is missed, whatever they waited', () => {
  const measured = (/** @type {Record<string, [number, number]>} */ byOutcome) => ({
    vusMax: 1,
    thresholds: [],
    groups: [
      {
        ...{ phase: 'baseline', operation: 'a', requests: 100 },
        durations: Object.fromEntries(
          Object.entries(byOutcome).map(([outcome, [ms, count]]) => [outcome, histogramOf(ms, count)]),
        ),
      },
    ],
  });
  /** @param {Record<string, [number, number]>} byOutcome */
  const judged = (byOutcome) => {
    const { plan, phases } = { plan: summary({ phases: [{ name: 'baseline' }] }).plan, phases: [] };
    const facts = { plan: { ...plan, objectives: [objective('baseline', 'p99_ms', '<', 500)] }, phases };
    const [threshold] = judgeThresholds({ ...facts, ...measured(byOutcome) });
    assert.ok(threshold);
    return threshold;
  };
  const hung = judged({ ok: [5, 90], unanswered: [10_000, 10] });
  assert.deepEqual([hung.outcome, hung.at_least], ['fail', true]);
  assert.match(hung.reason ?? '', /baseline p99 was > 10,0\d\d ms, objective < 500 ms/);
  // Connections that are refused at once.
  const refused = judged({ ok: [5, 90], unanswered: [0.2, 10] });
  assert.deepEqual([refused.outcome, refused.at_least], ['fail', true]);
  assert.equal(judged({ ok: [5, 100] }).outcome, 'pass');
});

const RELATIVE = objective('soak-02', 'p99_ms', '<=', 1.3, { relative_to: { phase: 'soak-01' } });

test('relative to another phase', () => {
  const threshold = first({
    phases: [
      { name: 'soak-01', figures: { p99: 100 } },
      { name: 'soak-02', figures: { p99: 152, iterations: 300 } },
    ],
    objectives: [RELATIVE],
  });
  near(threshold.observed, 1.52);
  near(threshold.samples, 200);
  near(
    threshold.reason,
    'soak-02 p99 was 1.52 x soak-01, objective <= 1.3 x (152 ms vs. 100 ms, 200 samples)',
  );
  near(thresholdName(threshold), 'soak-02 p99 <= 1.3 x soak-01');
});

test('relative throughput', () => {
  const threshold = first({
    phases: [
      { name: 'soak-01', figures: { iterations: 8000 } },
      { name: 'soak-02', figures: { iterations: 7280 } },
    ],
    objectives: [objective('soak-02', 'throughput', '>=', 0.955, { relative_to: { phase: 'soak-01' } })],
  });
  assert.equal(threshold.ok, false);
  assert.match(threshold.reason ?? '', /was 0\.91 x soak-01, objective >= 0\.955 x \(364\/s vs\. 400\/s,/);
});

test('a comparison of too few samples is not made, and does not spoil the run', () => {
  const threshold = first({
    phases: [
      { name: 'soak-01', figures: { p99: 100, iterations: 5000 } },
      { name: 'soak-02', figures: { p99: 500, iterations: 999 } },
    ],
    objectives: [{ ...RELATIVE, min_samples: 1000 }],
  });
  assert.deepEqual([threshold.ok, threshold.outcome], [null, 'unjudged']);
  assert.match(threshold.reason ?? '', /not compared with soak-01: 999 samples, 1,000 needed/);
  const enough = first({
    phases: [
      { name: 'soak-01', figures: { p99: 100, iterations: 1000 } },
      { name: 'soak-02', figures: { p99: 500, iterations: 1000 } },
    ],
    objectives: [{ ...RELATIVE, min_samples: 1000 }],
  });
  assert.equal(enough.outcome, 'fail');
});

test('a comparison with a phase that has no figure is invalid', () => {
  const threshold = first({
    phases: [{ name: 'soak-01' }, { name: 'soak-02', figures: {} }],
    objectives: [RELATIVE],
  });
  assert.equal(threshold.outcome, 'invalid');
});

/** @param {import('./build.js').PhaseFigures} figures @param {Partial<import('./build.js').PhaseSpec>} [phase] */
function delivered(figures, phase = {}) {
  return first({
    phases: [{ name: 'a', offered_rps: 100, duration_s: 10, max_vus: 100, ...phase, figures }],
    objectives: [objective('a', 'delivered_share', '>=', 0.95)],
  });
}

test('delivered load: half an arrival is none', () => {
  assert.equal(delivered({ iterations: 950 }).ok, true);
  assert.equal(delivered({ iterations: 949 }).ok, false);
  assert.equal(delivered({ iterations: 28 }, { offered_rps: 3 }).ok, true);
  assert.equal(delivered({ iterations: 27 }, { offered_rps: 3 }).ok, false);
});

test('load not delivered while the users waited for answers is the failure of the server', () => {
  const threshold = delivered({ iterations: 600, dropped: 400, avg: 1200 });
  assert.deepEqual([threshold.ok, threshold.outcome], [false, 'fail']);
  near(
    threshold.reason,
    'a delivered 60 % of its load (600 of 1,000 iterations, 400 dropped), objective >= 95 %: ' +
      'the server was slow, a mean latency of 1,200 ms kept 72 of 100 VUs busy',
  );
});

test('users who wait for a session are busy, too', () => {
  const handshakes = { 'mcp_session_duration{phase:a}': { values: trend(2000, 600, 1000) } };
  const threshold = first({
    phases: [
      {
        name: 'a',
        offered_rps: 100,
        duration_s: 10,
        max_vus: 100,
        figures: { iterations: 600, dropped: 400, avg: 100 },
      },
    ],
    objectives: [objective('a', 'delivered_share', '>=', 0.95)],
    metrics: handshakes,
  });
  assert.equal(threshold.outcome, 'fail');
  assert.match(
    threshold.reason ?? '',
    /the server was slow, a mean latency of 100 ms, and \d+ min( \d+ s)? for opening sessions, kept 6\d(\.\d)? of 100 VUs busy/,
  );
});

test('load not delivered because requests were never answered, too', () => {
  const threshold = delivered({
    iterations: 500,
    answered: 480,
    failures: { timeout: 20 },
    dropped: 500,
    avg: 5,
  });
  assert.equal(threshold.outcome, 'fail');
  assert.match(threshold.reason ?? '', /: 20 requests got no answer$/);
});

test('load not delivered though the server was quick makes the run invalid', () => {
  const threshold = delivered({ iterations: 600, dropped: 400, avg: 12 });
  assert.deepEqual([threshold.ok, threshold.outcome], [false, 'invalid']);
  assert.match(
    threshold.reason ?? '',
    /the server was not the cause: a mean latency of 12 ms kept 0\.72 of 100 VUs busy/,
  );
});

test('without the number of users in the plan, that of k6 counts', () => {
  const threshold = delivered({ iterations: 600, dropped: 400, avg: 200 }, { max_vus: null });
  assert.match(threshold.reason ?? '', /kept 12 of 20 VUs busy/);
  assert.equal(threshold.outcome, 'fail');
});

test('where k6 saw a failure and we do not, the failure counts', () => {
  const document = { phases: [{ name: 'baseline', figures: { p99: 50 } }], objectives: [P99] };
  const failedByK6 = {
    'mcp_request_duration{phase:baseline}': {
      values: trend(50, 200),
      thresholds: { 'p(99)<85': { ok: false } },
    },
  };
  const threshold = first({ ...document, metrics: failedByK6 });
  assert.deepEqual([threshold.ok, threshold.outcome], [false, 'fail']);
  assert.match(threshold.reason ?? '', /k6 judged it as failed$/);
});

test('where k6 saw none and we do, the failure counts', () => {
  const threshold = first({ phases: [{ name: 'baseline', figures: { p99: 90 } }], objectives: [P99] });
  assert.deepEqual([threshold.k6?.ok, threshold.ok], [true, false]);
});

test("k6's thresholds that no objective is behind are judged by k6; those that can't fail are none", () => {
  const thresholds = judge({
    phases: [{ name: 'a', figures: {} }],
    metrics: {
      'checks{phase:a}': {
        values: { rate: 0.5, passes: 5, fails: 5 },
        thresholds: { 'rate>0.9': { ok: false } },
      },
      vus: {
        values: { value: 3, min: 1, max: 3 },
        thresholds: { 'value<10': { ok: true }, 'value>=0': { ok: true } },
      },
    },
  });
  assert.deepEqual(
    thresholds.map(({ metric, op, limit, observed, ok, outcome, samples }) => ({
      metric,
      op,
      limit,
      observed,
      ok,
      outcome,
      samples,
    })),
    [
      {
        metric: 'checks{phase:a}',
        op: '>',
        limit: 0.9,
        observed: 0.5,
        ok: false,
        outcome: 'fail',
        samples: 10,
      },
      { metric: 'vus', op: '<', limit: 10, observed: 3, ok: true, outcome: 'pass', samples: 0 },
    ],
  );
  assert.equal(thresholds[0]?.reason, 'checks{phase:a} was 0.5, threshold rate>0.9');
});

test('objectives that are off are not judged at all', () => {
  const spec = {
    phases: [{ name: 'baseline', figures: { p99: 900 } }],
    objectives: [P99],
    plan: { objectives_off: true },
  };
  assert.deepEqual(judge(spec), []);
});

test('a metric that the analysis does not know is not a pass', () => {
  const threshold = first({
    phases: [{ name: 'a', figures: {} }],
    objectives: [objective('a', 'happiness', '>=', 1)],
  });
  assert.equal(threshold.outcome, 'invalid');
  assert.equal(threshold.ok, null);
});

test('a threshold that k6 passed without samples is no pass', () => {
  const { plan } = summary({ phases: [{ name: 'baseline', figures: {} }] });
  const never = { metric: 'mcp_slow{class:read}', threshold: 'rate<=0.01', passed: true, hasSamples: false };
  const [threshold] = judgeThresholds({ plan, groups: [], vusMax: 0, thresholds: [never], phases: [] });
  assert.deepEqual(
    [threshold?.ok, threshold?.outcome, threshold?.reason],
    [null, 'invalid', 'mcp_slow{class:read} rate<=0.01 could not be judged: no samples'],
  );
});

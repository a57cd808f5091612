import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bucketsOf } from '../../../analysis/episode.ts';
import { onset } from '../../../analysis/findings/onset.ts';
import { phases } from '../../../analysis/judge/phases.ts';
import { histogramOf, lineOf, NO_SERVER, near, objective, STARTED_MS, signal, summary } from './build.js';

/** @typedef {import('./build.js').PhaseSpec} PhaseSpec */

/**
 * @param {PhaseSpec[]} shape
 * @param {{objectives?: import('../../../analysis/collect/plan.ts').Objective[], lines?: import('../../../analysis/collect/seconds.ts').Line[],
 *   signals?: import('../../../analysis/collect/signals.ts').Signal[]}} [more]
 */
function find(shape, { objectives = [], lines = [], signals = [] } = {}) {
  const { plan, ...rest } = summary({ phases: shape, objectives });
  const all = phases({ plan, ...rest });
  return onset(
    /** @type {any} */ ({
      plan,
      phases: all,
      buckets: bucketsOf(lines, all),
      server: { ...NO_SERVER, signals },
    }),
  );
}

/**
 * @param {number} rate
 * @param {import('./build.js').PhaseFigures} [figures]
 * @param {Partial<PhaseSpec>} [rest]
 * @returns {PhaseSpec} 20 s at so many requests/s
 */
const step = (rate, figures = {}, rest = {}) => ({
  name: `step-${rate}`,
  offered_rps: rate,
  max_vus: 100,
  // As the shape has it: a profile scales the rate alone.
  labels: { rate: 10 * rate },
  figures: { iterations: 20 * rate, p99: 50, ...figures },
  ...rest,
});

/** @param {Parameters<typeof find>} args the one finding that there is */
function only(...args) {
  const found = find(...args);
  assert.equal(found.length, 1, JSON.stringify(found));
  return /** @type {import('../../../analysis/findings/finding.ts').Finding} */ (found[0]);
}

/** @param {import('../../../analysis/findings/finding.ts').Finding} finding */
const interval = ({ figures }) => [figures.last_good_rps, figures.first_bad_rps];

test('an interval: the last load without harm and the first with it', () => {
  const found = only([step(50), step(100), step(200, { p99: 66 }), step(400, { p99: 900 })]);
  assert.deepEqual(interval(found), [100, 200]);
  assert.deepEqual(
    [found.kind, found.subject, found.phase, found.confidence],
    ['onset', 'load', 'step-200', 'high'],
  );
  near(
    found.statement,
    'degrades between 100/s (normal) and 200/s: latency (p99 66 ms) left the normal range',
  );
  assert.match(
    found.evidence.join('\n'),
    /based on step-50: p99 <= 65 ms \(1\.3 x its p99 of 50 ms\); failures/,
  );
  assert.match(found.evidence.join('\n'), /100\/s \(step-100\): p99 50 ms, 0 % failed, 100 % delivered/);
});

test('the objective of the lightest load widens the normal range', () => {
  const objectives = [objective('step-50', 'p99_ms', '<', 320)];
  const shape = [step(50), step(100, { p99: 300 }), step(200, { p99: 321 })];
  assert.deepEqual(interval(only(shape, { objectives })), [100, 200]);
  assert.deepEqual(interval(only(shape)), [50, 100]);
});

test('failures and delivery are told next to latency', () => {
  const failing = only([step(50), step(100, { failures: { rate_limited: 21 } })]);
  assert.match(failing.statement, /and 100\/s: failures \(1\.05 %\) left the normal range$/);
  const at = only([step(50), step(100, { failures: { rate_limited: 20 } })]);
  assert.deepEqual(interval(at), [100, null]);
  // Little's law: 90 of 100 users are busy, so the server did not take the rest.
  const undelivered = only([
    step(50, { p99: 900 }),
    step(100, { iterations: 1800, dropped: 200, p99: 1100, avg: 1000 }),
  ]);
  assert.match(undelivered.statement, /: delivery \(90 % of the load\) left the normal range$/);
  assert.deepEqual(undelivered.observations?.[2], {
    series: 'client.dropped',
    unit: 'rate',
    from: 0,
    to: 10,
    threshold: 5,
    at: null,
  });
});

test('a load that the generator did not make says nothing of the server', () => {
  const slack = { iterations: 5000, dropped: 3000, avg: 1 };
  const found = only([step(50), step(100), step(400, slack)]);
  assert.deepEqual(interval(found), [100, null]);
  assert.match(found.evidence.join('\n'), /400\/s \(step-400\) is ignored: its load was not delivered/);
  const saturated = only([step(50), step(100, { p99: 900 })], {
    signals: [signal('generator_cpu', 'step-100', 0.95)],
  });
  assert.equal(saturated.confidence, 'low');
  assert.match(saturated.evidence.join('\n'), /used 95 % of the CPU in step-100, which may be the cause/);
});

test('nothing left the normal range', () => {
  const found = only([step(50), step(100), step(200, { p99: 60 })]);
  assert.equal(found.statement, 'nothing left the normal range up to 200/s: p99 <= 65 ms, failures <= 1 %');
  assert.deepEqual([interval(found), found.phase], [[200, null], null]);
  near(
    found.observations?.map(({ series, from, to, threshold, at }) => [series, from, to, threshold, at]),
    [
      ['client.p99', 50, 60, 65, null],
      ['client.failed', 0, 0, 0.01, null],
    ],
  );
});

test('already at the least load', () => {
  const found = only([step(50, { iterations: 500, dropped: 500, avg: 4000 }), step(100)]);
  assert.deepEqual(interval(found), [null, 50]);
  assert.match(found.statement, /^already degraded at 50\/s, the lowest load: delivery \(50 % /);
});

test('users instead of arrivals', () => {
  const level = (/** @type {number} */ vus, /** @type {number} */ p99) => ({
    name: `u${vus}`,
    offered_rps: null,
    vus,
    iterations: 1000,
    figures: { iterations: 1000, p99, endS: 0 },
  });
  const found = only([level(10, 20), level(50, 22), level(100, 45)]);
  assert.match(found.statement, /^degrades between 50 VUs \(normal\) and 100 VUs: latency/);
  assert.deepEqual([found.figures.last_good_users, found.figures.first_bad_users], [50, 100]);
});

test('where the load was not varied, or something else was, there is nothing to find', () => {
  const same = (/** @type {string} */ name, rest = {}) => step(100, {}, { name, labels: {}, ...rest });
  assert.deepEqual(find([same('a'), same('b')]), []);
  assert.deepEqual(find([same('a')]), []);
  assert.deepEqual(find([same('a', { operation: 'x' }), step(200, {}, { operation: 'y' })]), []);
  assert.deepEqual(find([same('a', { weights: [100] }), step(200)]), []);
  assert.deepEqual(
    find([same('a', { labels: { instances: 1 } }), step(200, {}, { labels: { instances: 2 } })]),
    [],
  );
  const few = (/** @type {number} */ vus) => ({
    name: `u${vus}`,
    offered_rps: null,
    vus,
    iterations: 50,
    figures: { iterations: 50 },
  });
  assert.deepEqual(find([few(1), few(50)]), []);
});

test('each operation of a test has its own', () => {
  const of = (/** @type {string} */ operation, /** @type {number} */ rate, /** @type {number} */ p99) =>
    step(rate, { p99 }, { name: `${operation}-${rate}`, operation });
  const found = find([of('list', 50, 50), of('list', 100, 90), of('add', 50, 50), of('add', 100, 50)]);
  assert.deepEqual(
    found.map((one) => [one.subject, ...interval(one)]),
    [
      ['list', 50, 100],
      ['add', 100, null],
    ],
  );
});

test('after an overload without a rest what is bad is its doing, what is good is not', () => {
  const spike = (/** @type {number} */ later) => [
    step(50, {}, { name: 'baseline' }),
    step(1000, { p99: 900 }, { name: 'spike' }),
    step(50, { p99: 900 }, { name: 'recovery' }),
    step(200, { p99: later }, { name: 'later' }),
  ];
  assert.deepEqual(interval(only(spike(900))), [50, 1000]);
  assert.deepEqual(interval(only(spike(50))), [200, 1000]);
});

test('after a new warm-up a lower load speaks for itself: a search that narrows down', () => {
  const warmUp = { name: 'warm-up', measured: false, figures: {} };
  const trials = (/** @type {PhaseSpec[]} */ ...steps) => steps.flatMap((one) => [warmUp, one]);
  const found = only(
    trials(step(50), step(100), step(200), step(400, { p99: 900 }), step(300, { p99: 300 }), step(250)),
  );
  assert.deepEqual(interval(found), [250, 300]);
});

test('a higher load that was normal again is said, and lowers the confidence', () => {
  const found = only([step(50), step(100, { p99: 90 }), step(200)]);
  assert.deepEqual([interval(found), found.confidence], [[50, 100], 'medium']);
  assert.match(found.evidence.join('\n'), /200\/s was normal again, so the degradation may be partly chance/);
});

test('of several phases of one load most decide', () => {
  const rounds = (/** @type {number[]} */ ...p99s) => [
    step(50),
    ...p99s.map((p99, index) =>
      step(100, { p99 }, { name: `r${index}`, labels: { rate: 100, repetition: index } }),
    ),
  ];
  assert.deepEqual(interval(only(rounds(50, 90, 50))), [100, null]);
  assert.deepEqual(interval(only(rounds(90, 50, 90))), [50, 100]);
});

test('too little to tell by', () => {
  const silent = only([step(50, { answered: 20 }), step(100)]);
  assert.equal(silent.confidence, 'inconclusive');
  assert.match(silent.statement, /step-50 \(50\/s\) has too few answers/);
  const failing = only([step(50, { failures: { tool: 900 } }), step(100)]);
  assert.equal(failing.confidence, 'inconclusive');
  const short = only([step(50), step(100, { requests: 50, answered: 50 })]);
  assert.match(short.statement, /inconclusive: no load above 50\/s was delivered with the 100 answers/);
  // 50 answers say nothing of p99, but that they are all of 2,000 that were due does.
  const dead = only([step(50), step(100, { iterations: 50, answered: 0, failures: { timeout: 50 } })]);
  assert.deepEqual(interval(dead), [50, 100]);
});

/**
 * The seconds of step-100, which begins after 20 s.
 *
 * @param {(second: number) => {ms?: number, failed?: number, dropped?: number}} secondOf
 * @returns {import('../../../analysis/collect/seconds.ts').Line[]}
 */
const linesOf = (secondOf) =>
  Array.from({ length: 20 }, (_, index) => {
    const { ms = 50, failed = 0, dropped = 0 } = secondOf(20 + index);
    const requests = 100 - dropped;
    const counts = { requests, failed, dropped, durations: { ok: histogramOf(ms, requests) } };
    return lineOf(STARTED_MS / 1000 + 20 + index, 'step-100', counts);
  });

test('what left the normal range first, and when, is read from the seconds', () => {
  const broken = { p99: 900, failures: { rate_limited: 400 } };
  const foundIn = (/** @type {number} */ slowFromS, /** @type {number} */ failingFromS) =>
    only([step(50), step(100, broken)], {
      lines: linesOf((second) => ({
        ...(second >= slowFromS && { ms: 900 }),
        ...(second >= failingFromS && { failed: 20 }),
      })),
    });
  const found = foundIn(30, 24);
  assert.match(
    found.statement,
    /100\/s: failures \(20 %\) left the normal range first, then latency \(p99 900 ms\)$/,
  );
  assert.match(found.evidence.join('\n'), /failures 4 s after step-100 began, latency 10 s after/);
  assert.deepEqual(
    found.observations?.map(({ at }) => at),
    [30, 24].map((second) => new Date(STARTED_MS + second * 1000).toISOString()),
  );
  assert.match(
    foundIn(24, 24).statement,
    /100\/s: latency \(p99 900 ms\) and failures \(20 %\) left the normal range$/,
  );
});

test('without seconds it is not known when', () => {
  const found = only([step(50), step(100, { p99: 900 })]);
  assert.equal(found.observations?.[0]?.at, null);
  assert.match(found.statement, /latency \(p99 900 ms\) left the normal range$/);
});

test('delivery is lost when arrivals are dropped', () => {
  const found = only([step(50), step(100, { iterations: 1800, dropped: 200, avg: 1000, p99: 60 })], {
    lines: linesOf((second) => ({ dropped: second >= 28 ? 30 : 5 })),
  });
  assert.equal(found.observations?.[2]?.at, new Date(STARTED_MS + 28_000).toISOString());
});

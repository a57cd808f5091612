/** Every query of the dashboards, executed on real runs of spike, soak and batch. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dashboards } from '../../dashboards/build.ts';
import { overview } from '../../dashboards/overview.ts';
import { runTest } from '../lab.js';
import { ownStack } from '../own-stack.js';
import { MAY_BE_EMPTY } from './may-be-empty.js';
import { execute, hasData, prometheusUrl, runs } from './panel-queries.js';

await ownStack();

/** A phase is seen with its first push, two seconds after it began, or somewhat later when k6 is busy. */
const LATE_S = 4;
/** k6's own percentiles are exact; a native histogram is as exact as its buckets, each 9% wider than the one below. */
const TOLERANCE = 1.2;
/** Samples above a percentile that it takes for both to mean the same one. */
const MIN_ABOVE = 20;

/** What the first push of a phase, which Prometheus 2.42 leaves out of percentiles, does not change. */
const MIN_PHASE_S = 10;

const TESTS = ['spike', 'soak', 'batch'];

/** Which tests' runs a dashboard is for, where it is not for any. */
const FOR = /** @type {Record<string, string[]>} */ ({
  // Of which there is another to compare with.
  'mcp-compare': ['spike'],
});

// The second spike is what the first is compared with.
for (const test of ['spike', ...TESTS]) await runTest(test, { PROFILE: 'smoke' });
const url = prometheusUrl();
const all = runs();
/** @param {string} test */
const newest = (test) => {
  const run = all.find((one) => one.test === test);
  if (!run) throw new Error(`there is no run of ${test}; make one with: ./scripts/run ${test} PROFILE=smoke`);
  return run;
};
const made = dashboards.map((build) => build());

/** What each query of each dashboard answered, before the first test begins. */
const executed = [];
for (const test of TESTS) {
  const run = newest(test);
  /** Of the same test and target. */
  const base = all.find((one) => one.test === test && one.testid !== run.testid);
  for (const dashboard of made) {
    if (!(FOR[dashboard.uid ?? ''] ?? TESTS).includes(test)) continue;
    executed.push({
      run,
      dashboard,
      answers: await execute(url, dashboard, run, base && { base: base.testid }),
    });
  }
}
const run = newest('spike');
const answers = await execute(url, overview(), run);
const isExact = await hasData(
  url,
  'histogram_count(last_over_time(k6_mcp_request_duration_seconds{testid="$testid"}[1h]))',
  run,
);

it('every dashboard that is for one test alone exists', () => {
  const uids = made.map(({ uid }) => uid);
  for (const uid of Object.keys(FOR)) assert.ok(uids.includes(uid), uid);
});

it('every query that may be empty exists', () => {
  for (const { dashboard: uid, title, refIds = [] } of MAY_BE_EMPTY) {
    const queries = made
      .filter((one) => uid === undefined || one.uid === uid)
      .flatMap((one) => titled(one, title));
    assert.ok(queries.length > 0, `${uid ?? 'any dashboard'} has no "${title}"`);
    for (const refId of refIds) assert.ok(queries.includes(refId), `"${title}" has no query ${refId}`);
  }
});

/**
 * @param {import('@grafana/grafana-foundation-sdk/dashboard').Dashboard} dashboard
 * @param {string} title
 * @returns {string[]} the queries of what is called so
 */
function titled({ panels = [], annotations, templating }, title) {
  /** @type {any[]} */
  const holders = [...panels, ...(annotations?.list ?? []), ...(templating?.list ?? [])];
  return holders
    .filter((holder) => (holder.title ?? holder.name) === title)
    .flatMap(({ targets }) => targets?.map((/** @type {any} */ { refId }) => refId) ?? ['']);
}

for (const { run, dashboard, answers } of executed) {
  const facts = { run, has: (/** @type {string} */ expr) => hasData(url, expr, run) };
  describe(`the dashboard "${dashboard.title}" after ${run.testid}`, () => {
    for (const { panel, title, refId, expr, samples } of answers) {
      it(`${panel} "${title}" ${refId} has data`, async () => {
        const listed = MAY_BE_EMPTY.filter(
          (one) =>
            (one.dashboard ?? dashboard.uid) === dashboard.uid &&
            one.title === title &&
            (one.refIds ?? [refId]).includes(refId),
        );
        for (const { reason, when, either } of listed) {
          if (!(await when(facts))) continue;
          if (!either) assert.equal(samples, 0, `expected nothing: ${reason}`);
          return;
        }
        assert.ok(samples > 0, expr);
      });
    }

    it('offers the run', () => {
      const offered =
        answers.find(({ panel, title }) => panel === 'variable' && title === 'testid')?.series ?? [];
      assert.ok(offered.some(({ labels }) => labels.testid === run.testid));
    });
  });
}

const measured = run.phases.filter((phase) => phase.measured);

/**
 * @param {(answer: import('./panel-queries.js').Answer) => boolean} which
 * @returns {Record<string, number>} by phase, the last value
 */
const byPhase = (which) =>
  Object.fromEntries(
    (answers.find(which)?.series ?? []).map(({ labels, points }) => [
      labels.phase,
      points.at(-1)?.[1] ?? NaN,
    ]),
  );

describe(`the overview and the run document of ${run.testid}`, () => {
  it('count the same requests in every phase', () => {
    const requests = byPhase(({ title, refId }) => title === 'Phases' && refId === 'E');
    const counted = measured.filter((phase) => phase.requests);
    assert.deepEqual(requests, Object.fromEntries(counted.map((phase) => [phase.name, phase.requests])));
  });

  for (const [refId, name, quantile] of /** @type {const} */ ([
    ['G', 'p50', 0.5],
    ['H', 'p95', 0.95],
    ['I', 'p99', 0.99],
  ])) {
    it(`agree on ${name}`, () => {
      const seconds = byPhase((answer) => answer.title === 'Phases' && answer.refId === refId);
      for (const { name: phase, answered, latency_ms, duration_s } of measured) {
        if (!isExact && (duration_s ?? 0) < MIN_PHASE_S) continue;
        if (!latency_ms || (answered ?? 0) * (1 - quantile) < MIN_ABOVE) continue;
        const ratio = ((seconds[phase] ?? NaN) * 1000) / latency_ms[name];
        assert.ok(ratio < TOLERANCE && ratio > 1 / TOLERANCE, `${phase}: ${ratio} x what k6 measured`);
      }
    });
  }

  it('mark the start of every phase, the warm-up too', () => {
    const starts = byPhase(({ panel, title }) => panel === 'annotation' && title === 'Phases');
    assert.deepEqual(Object.keys(starts).sort(), run.phases.map(({ name }) => name).sort());
    for (const { name, start, end } of run.phases) {
      const [late, length] = [starts[name] ?? NaN, Date.parse(end ?? '')].map(
        (time) => (time - Date.parse(start ?? '')) / 1000,
      );
      // On a busy machine k6 may be later: its last push comes after the phase, and after the run.
      const most = (length ?? 0) + LATE_S;
      assert.ok((late ?? NaN) >= 0 && (late ?? NaN) <= most, `${name} is marked ${late} s after its start`);
    }
  });

  it('draw the objective of the phases that have one, while they run', () => {
    const limits = run.thresholds.filter(({ metric, scope }) => metric === 'p99_ms' && scope.phase);
    assert.ok(limits.length > 0);
    const drawn = answers.find(({ title, expr }) => title === 'Latency' && /objective="p99"/.test(expr));
    const starts = byPhase(({ panel, title }) => panel === 'annotation' && title === 'Phases');
    const points = drawn?.series.flatMap((series) => series.points) ?? [];
    for (const { scope, limit } of limits) {
      const phase = measured.find(({ name }) => name === scope.phase);
      const [start, end] = [Date.parse(phase?.start ?? '') / 1000, Date.parse(phase?.end ?? '') / 1000];
      // From the first push on, to the end of the phase; or later, where k6 had no time to push before.
      const pushed = Math.max(start, (starts[scope.phase ?? ''] ?? NaN) / 1000);
      const during = points.filter(([time]) => time > pushed && time <= Math.max(end, pushed + LATE_S));
      assert.ok(during.length > 0, scope.phase);
      for (const [time, value] of during)
        assert.equal(value, (limit ?? NaN) / 1000, `${scope.phase} at ${time}`);
    }
  });

  it('know whose signals are those of the run', () => {
    const server =
      answers.find(({ panel, title }) => panel === 'variable' && title === 'server')?.series ?? [];
    assert.deepEqual(
      server.map(({ labels }) => labels.server),
      ['reference'],
    );
  });
});

/**
 * The dashboards against a real run: needs a running stack (PROMETHEUS_URL, or RUN_DIR/stack.env) and a finished run
 * of the reference target (RESULTS_DIR/latest).
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dashboards } from '../../dashboards/build.js';
import { loadTest } from '../../dashboards/load-test.js';
import { execute, lastRun, queriesOf } from './panel-queries.js';

/** A phase is seen with its first push, two seconds after it began, or somewhat later when k6 is busy. */
const LATE_S = 4;
/** k6's own percentiles are exact; a native histogram is as exact as its buckets, each 9% wider than the one below. */
const TOLERANCE = 1.2;
/** Samples above a percentile that it takes for both to mean the same one. */
const MIN_ABOVE = 20;

const { prometheusUrl, run } = lastRun();
const measured = run.phases.filter((phase) => phase.measured);

/** Queries that a healthy run leaves empty, and when: the run document has to say the same. */
const MAY_BE_EMPTY = [
  {
    title: 'Failures by kind',
    refId: 'A',
    reason: 'k6 exports no failures where there were none',
    when: measured.every(({ failed }) => !failed),
  },
  {
    title: 'Offered and achieved rate',
    refId: 'A',
    reason: 'phases of a fixed number of users offer no rate',
    when: run.phases.every(({ offered_rps }) => offered_rps === null),
  },
];

for (const build of dashboards) {
  const dashboard = build();
  const answers = await execute(prometheusUrl, queriesOf(dashboard), run);

  describe(`the dashboard "${dashboard.title}" after ${run.testid}`, () => {
    for (const { panel, title, refId, expr, samples } of answers) {
      it(`${panel} "${title}" ${refId} has data`, () => {
        const empty = MAY_BE_EMPTY.find((one) => one.title === title && one.refId === refId && one.when);
        if (empty) assert.equal(samples, 0, `expected nothing: ${empty.reason}`);
        else assert.ok(samples > 0, expr);
      });
    }

    it('offers the run', () => {
      const runs =
        answers.find(({ panel, title }) => panel === 'variable' && title === 'testid')?.series ?? [];
      assert.ok(runs.some(({ labels }) => labels.testid === run.testid));
    });
  });
}

const answers = await execute(prometheusUrl, queriesOf(loadTest()), run);

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
    const requests = byPhase(({ title, refId }) => title === 'Phases' && refId === 'B');
    const counted = measured.filter((phase) => phase.requests);
    assert.deepEqual(requests, Object.fromEntries(counted.map((phase) => [phase.name, phase.requests])));
  });

  for (const [refId, name, quantile] of /** @type {const} */ ([
    ['D', 'p50', 0.5],
    ['E', 'p95', 0.95],
    ['F', 'p99', 0.99],
  ])) {
    it(`agree on ${name}`, () => {
      const seconds = byPhase((answer) => answer.title === 'Phases' && answer.refId === refId);
      for (const { name: phase, answered, latency_ms } of measured) {
        if (!latency_ms || (answered ?? 0) * (1 - quantile) < MIN_ABOVE) continue;
        const ratio = ((seconds[phase] ?? NaN) * 1000) / latency_ms[name];
        assert.ok(ratio < TOLERANCE && ratio > 1 / TOLERANCE, `${phase}: ${ratio} x what k6 measured`);
      }
    });
  }

  it('mark the start of every phase, the warm-up too', () => {
    const starts = byPhase(({ panel }) => panel === 'annotation');
    assert.deepEqual(Object.keys(starts).sort(), run.phases.map(({ name }) => name).sort());
    for (const { name, start } of run.phases) {
      const late = ((starts[name] ?? NaN) - Date.parse(start ?? '')) / 1000;
      assert.ok(late >= 0 && late <= LATE_S, `${name} is marked ${late} s after its start`);
    }
  });
});

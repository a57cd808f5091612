import assert from 'node:assert/strict';
import { test } from 'node:test';
import { figuresOf } from '../../../analysis/report/figures.ts';
import { plotsOf } from '../../../analysis/report/plots.ts';
import { near } from './build.js';
import { spikeRun, timelineOf } from './report-fixture.js';

/** @param {import('../../../page/model.ts').Chart[]} charts */
const drawnIn = (charts) => charts.flatMap(({ lines }) => lines.map(({ series }) => series));

/** @param {string} id @param {import('../../../page/model.ts').Plots} plots */
const lane = (id, { strip }) => strip.find((chart) => chart.id === `strip-${id}`);

test('every series that moved has a chart, one that was zero throughout has none, and each line has all points', async () => {
  const run = await spikeRun();
  const timeline = timelineOf(run);
  const { strip, charts, series } = plotsOf(run, timeline);
  const drawn = drawnIn([...strip, ...charts]);
  for (const name of Object.keys(timeline.client)) assert.ok(drawn.includes(`client.${name}`), name);
  const { cache_cpu, deadlocks, redis_evictions, ...moved } = timeline.signals;
  const single = charts.filter(({ id }) => id.startsWith('chart-')).map(({ lines }) => lines[0]?.series);
  for (const name of Object.keys(moved))
    assert.equal(single.filter((other) => other === name).length, 1, name);
  for (const name of ['cache_cpu', 'deadlocks', 'redis_evictions']) assert.ok(!drawn.includes(name), name);
  for (const name of drawn) assert.equal(series[name]?.length, timeline.count, name);
  assert.equal(charts.find(({ id }) => id === 'chart-never_heard_of')?.title, 'Never heard of');
});

test('requests are drawn with the answers by their second, and with the capacity', async () => {
  const run = await spikeRun();
  const requests = (/** @type {import('../../../analysis/findings/finding.ts').Finding[]} */ findings) =>
    plotsOf({ ...run, findings }, timelineOf(run)).charts.find(({ id }) => id === 'chart-client-requests');
  const capacity = { ...run.findings[0], kind: 'capacity', figures: { answers_per_s: 1100 } };
  const chart = requests(/** @type {any[]} */ ([capacity]));
  assert.deepEqual(
    chart?.lines.map(({ name }) => name),
    ['requests', 'answered'],
  );
  assert.deepEqual(chart?.limits, [1100]);
  assert.match(String(chart?.about), /; dashed line: capacity 1,100\/s$/);
  assert.equal(requests([])?.limits, undefined);
});

test('limits of objectives are drawn where they hold, findings at their second, phases as what they are', async () => {
  const run = await spikeRun();
  const { series, phases, marks, charts, stepS, fromS } = plotsOf(run, timelineOf(run));
  const middles = phases.map((span) => Math.round(((span.fromS + span.toS) / 2 - fromS) / stepS));
  const limits = (/** @type {string} */ metric) => middles.map((index) => series[`limit.${metric}`]?.[index]);
  assert.deepEqual(limits('p99_ms'), [null, 85, null, null, 85]);
  assert.deepEqual(limits('failure_rate'), [null, 0.001, null, null, 0.001]);
  assert.deepEqual(
    phases.map(({ name, kind, toS }) => [name, kind, toS]),
    [
      ['warm-up', 'unmeasured', 20],
      ['baseline', 'measured', 80],
      ['spike', 'overload', 120],
      ['recovery', 'overload', 160],
      ['recovered', 'measured', 180],
    ],
  );
  // Three observations of one finding, all at the same second.
  assert.deepEqual(marks, [{ finding: 1, atS: 94 }]);
  const [chart] = charts.filter(({ id }) => id.startsWith('finding-'));
  assert.deepEqual(
    [chart?.id, chart?.unit, chart?.limits, chart?.lines[0]?.series],
    ['finding-1-chart', 'ratio', [0.98], 'pool_utilization'],
  );
});

test('the resource lane begins with what a finding names, then has what was used the most', async () => {
  const run = await spikeRun();
  const timeline = timelineOf(run, [
    ['heap', 'ratio', 0.1, 0.9],
    ['db_connections', 'ratio', 0.1, 0.7],
    ['worker_cpu', 'ratio', 0.1, 0.6],
    ['accept_queue', 'ratio', 0.1, 0.4],
    ['open_files', 'ratio', 0.1, 0.2],
    ['pool_wait', 'seconds', 0, 9],
  ]);
  const observations = ['pool_wait', 'open_files'].map((series) => ({ series, unit: 'ratio', at: null }));
  const findings = /** @type {any[]} */ ([{ ...run.findings[0], observations }]);
  assert.deepEqual(
    lane('resources', plotsOf({ ...run, findings }, timeline))?.lines.map(({ series }) => series),
    ['open_files', 'heap', 'db_connections', 'worker_cpu'],
  );
});

test('the CPU lane: others are what the host has beyond the server and the load generator', async () => {
  const run = await spikeRun();
  const ratio = (/** @type {(number | null)[]} */ ...values) => ({ unit: 'ratio', values });
  const signals = {
    host_cpu: ratio(0.9, null, 0.2),
    cpu: ratio(0.3, 0.1, 0.2),
    generator_cpu: ratio(0.2, 0.1, 0.1),
  };
  const plots = plotsOf(run, { ...timelineOf(run), count: 3, client: {}, signals });
  const names = lane('cpu', plots)?.lines.map(({ name, series }) => [name, plots.series[series]]);
  assert.deepEqual(names, [
    ['server', [0.3, 0.1, 0.2]],
    ['load generator', [0.2, 0.1, 0.1]],
    ['others', [0.4, null, 0]],
  ]);
  // A lane with nothing to show is not there.
  assert.deepEqual(
    plots.strip.map(({ id }) => id),
    ['strip-cpu'],
  );
});

test('figures: goodput next to the rate, p99 next to its limit, failures of the phase that failed the most', async () => {
  const run = await spikeRun();
  near(figuresOf(run), [
    { name: 'Goodput, in spike', value: '1,174/s', next: 'of 1,200/s requests, target 2,000/s' },
    { name: 'p99, in recovered', value: '91 ms', next: 'limit < 85 ms', tone: 'fail' },
    { name: 'Failure rate, in spike', value: '2.21 %', next: '1,060 of 48,000 requests; no limit' },
  ]);
  const recovery = {
    kind: /** @type {const} */ ('recovery'),
    subject: 'p99',
    phase: 'spike',
    confidence: /** @type {const} */ ('high'),
    statement: 'p99 came back',
    evidence: [],
    figures: { recovery_s: 12, observed_s: 60, normal_p99_ms: 40 },
  };
  const [threshold] = run.thresholds;
  assert.ok(threshold);
  const judged = (/** @type {string} */ metric, /** @type {Partial<typeof threshold>} */ rest) => ({
    ...threshold,
    metric,
    ...rest,
  });
  const thresholds = [
    judged('delivered_share', {
      scope: { phase: 'spike' },
      op: '>=',
      limit: 0.95,
      observed: 0.6,
      outcome: 'fail',
    }),
    judged('recovery_s', { scope: {}, op: '<=', limit: 30, observed: 12, outcome: 'pass' }),
    judged('p95_ms', { op: '<', limit: 70, observed: 60, outcome: 'invalid' }),
  ];
  const [peak, p95, , recovered] = figuresOf({ ...run, thresholds, findings: [recovery] });
  assert.deepEqual([peak?.tone, p95?.tone, p95?.next], ['fail', 'invalid', 'limit < 70 ms']);
  assert.deepEqual(recovered, {
    name: 'Time to recover, after spike',
    value: '12 s',
    next: 'limit 30 s',
    tone: 'pass',
  });
});

test('figures without a limit are those of the worst phase, never the last, and say so', async () => {
  const { phases, findings } = await spikeRun();
  const recovery = {
    .../** @type {typeof findings[0]} */ (findings[0]),
    kind: /** @type {const} */ ('recovery'),
    figures: { recovery_s: null, observed_s: 60, normal_p99_ms: 40 },
  };
  assert.deepEqual(figuresOf({ phases, findings: [recovery], thresholds: [] }).slice(1), [
    { name: 'p99, in spike', value: '1,935 ms', next: 'the highest of all phases; no limit' },
    { name: 'Failure rate, in spike', value: '2.21 %', next: '1,060 of 48,000 requests; no limit' },
    {
      name: 'Time to recover, after spike',
      value: '> 1 min',
      next: 'to p99 <= 40 ms; no limit',
      tone: 'fail',
    },
  ]);
  assert.deepEqual(figuresOf({ phases: [], findings: [], thresholds: [] }), []);
});

test('figures: a failure rate that is judged in its worst phase is next to its limit; without a failure the nearest limit is', async () => {
  const { phases, findings, thresholds } = await spikeRun();
  const judged = thresholds.find(({ metric }) => metric === 'failure_rate');
  assert.ok(judged);
  const inSpike = /** @type {const} */ ({
    ...judged,
    scope: { phase: 'spike' },
    observed: 0.022,
    outcome: 'fail',
  });
  const failures = (/** @type {any} */ run) => figuresOf({ findings, ...run })[2];
  assert.deepEqual(failures({ phases, thresholds: [judged, inSpike] }), {
    name: 'Failure rate, in spike',
    value: '2.2 %',
    next: 'limit < 0.1 %',
    tone: 'fail',
  });
  const without = phases.map((phase) => ({ ...phase, failure_rate: phase.measured ? 0 : null }));
  assert.equal(failures({ phases: without, thresholds })?.name, 'Failure rate, in baseline');
});

test("a finding's chart has its own marks only", async () => {
  const run = await spikeRun();
  const { charts } = plotsOf(run, timelineOf(run));
  const owners = charts.map(({ id, finding }) => [id.startsWith('finding-1'), finding]);
  for (const [isOwn, finding] of owners) assert.equal(finding, isOwn ? 1 : undefined);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measurements } from '../../../analysis/judge/measurements.ts';
import { phases } from '../../../analysis/judge/phases.ts';
import { near, runOf, summary } from './build.js';

const SUMMARY = summary({
  phases: [
    { name: 'warm-up', measured: false },
    { name: 'steady', figures: { requests: 1000, answered: 990, p99: 12.3456 } },
    { name: 'silent', figures: { requests: 10, answered: 0 } },
    { name: 'cut-off' },
  ],
  ranS: 60,
});

test('each measured phase in messages a second and microseconds, with what it takes to compare them', () => {
  near(measurements(SUMMARY.plan, phases(SUMMARY)), [
    {
      workload_id: 'spike/reference/steady',
      transport: 'streamable_http',
      duration_s: 20,
      scope: 'service',
      precision: 'within 0.1 %',
      throughput_msg_per_s: 49.5,
      latency_p50_us: 6173,
      latency_p95_us: 11111,
      latency_p99_us: 12346,
    },
    {
      workload_id: 'spike/reference/silent',
      transport: 'streamable_http',
      duration_s: 20,
      scope: 'service',
      precision: 'within 0.1 %',
      throughput_msg_per_s: 0,
      latency_p50_us: null,
      latency_p95_us: null,
      latency_p99_us: null,
    },
  ]);
});

test("the transport is the dialect's, and the precision that of the percentiles", () => {
  const { plan } = SUMMARY;
  for (const [dialect, transport] of [
    ['mcp', 'streamable_http'],
    ['jsonrpc', 'http_jsonrpc'],
    ['rest', 'http_rest'],
  ]) {
    const of = { ...plan, target: { ...plan.target, dialect: dialect ?? '' } };
    const [first] = measurements(of, phases(SUMMARY));
    assert.deepEqual([first?.transport, first?.precision], [transport, 'within 0.1 %']);
  }
});

test('they are in the run document', async () => {
  const run = await runOf({ summary: SUMMARY });
  assert.deepEqual(
    run.measurements.map(({ workload_id }) => workload_id),
    ['spike/reference/steady', 'spike/reference/silent'],
  );
  assert.deepEqual((await runOf({ summaryProblem: 'no summary' })).measurements, []);
});

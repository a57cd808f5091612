import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { phases } from '../../../analysis/phases.js';
import { PrometheusError } from '../../../analysis/prometheus.js';
import { leaveSummary, streamedSummary } from '../../../analysis/streamed-summary.js';
import { readSummary } from '../../../analysis/summary.js';
import { judgeThresholds } from '../../../analysis/thresholds.js';
import { objective, runOf, STARTED_MS, summaryDocument } from './build.js';

const directory = mkdtempSync(join(tmpdir(), 'mcp-load-lab-streamed-'));
after(() => rmSync(directory, { recursive: true }));

/** @typedef {import('../../../analysis/prometheus.js').Sample} Sample */

const STARTED_S = STARTED_MS / 1000;
const READ = { operation: 'get_user', method: 'tools/call', class: 'read' };
const WRITE = { operation: 'update_user', method: 'tools/call', class: 'write' };

/** Two phases of 20 s after a warm-up of 20. */
const PHASES = [{ name: 'warm-up', measured: false }, { name: 'one' }, { name: 'two' }];

/** @param {any[]} [objectives] @returns {import('../../../analysis/summary.js').Plan} */
const planOf = (objectives = []) =>
  summaryDocument({ phases: PHASES, objectives, plan: { operations: [READ, WRITE] } }).plan;

/** @param {string} name @param {Record<string, string>} labels @param {number} value @returns {Sample} */
const series = (name, labels, value) => ({
  labels: { __name__: `k6_${name}`, testid: 'x', ...labels },
  value,
  histogram: null,
});

const START = series(
  'mcp_started_seconds',
  { era: 'legacy', protocol_version: '2025-06-18', server_name: 'echo', server_version: '1.2' },
  STARTED_S,
);

/** The bucket from 64 to 70 ms and the one from 83 to 91, where k6 has them. */
const [FAST, SLOW] = [64, 64 * 2 ** (3 / 8)].map((left) => ({ left, right: left * 2 ** (1 / 8) }));

/**
 * What k6 sends of one operation in one phase.
 *
 * @param {string} phase
 * @param {Record<string, string>} operation
 * @param {{fast: number, slow?: number, failed?: Record<string, number>, limits?: Record<string, number>}} what
 * @returns {Sample[]}
 */
function requests(phase, operation, { fast, slow = 0, failed = {}, limits = {} }) {
  const tags = { phase, scenario: phase, ...operation };
  const all = fast + slow;
  const failures = Object.values(failed).reduce((sum, count) => sum + count, 0);
  const buckets = [
    { .../** @type {any} */ (FAST), count: fast },
    { .../** @type {any} */ (SLOW), count: slow },
  ].filter(({ count }) => count > 0);
  return [
    series('iterations_total', { phase, scenario: phase, part: operation.operation ?? '' }, all),
    series('mcp_requests_total', tags, all),
    series('mcp_request_failed_rate', tags, failures / all),
    ...Object.entries(failed).map(([kind, count]) => series('mcp_failures_total', { ...tags, kind }, count)),
    ...Object.entries(limits).map(([limit, count]) =>
      series('mcp_slow_rate', { ...tags, limit }, count / all),
    ),
    series('data_sent_total', tags, 100 * all),
    series('data_received_total', tags, 700 * all),
    {
      ...series('mcp_request_duration_seconds', tags, Number.NaN),
      histogram: {
        count: all,
        sum: (66 * fast + 87 * slow) / 1000,
        buckets: buckets.map(({ left, right, count }) => ({ left: left / 1000, right: right / 1000, count })),
      },
    },
  ];
}

/** @param {Sample[]} last @param {Record<string, Sample[]>} [gauges] by the function and the name */
function prometheus(last, gauges = {}) {
  return {
    /** @type {[string, number][]} */
    asked: [],
    /** @param {string} query @param {number} timeS */
    async query(query, timeS) {
      this.asked.push([query, timeS]);
      const [, which = '', names = ''] = /^(\w+)_over_time\(\{__name__=~"k6_\((.+)\)",/.exec(query) ?? [];
      return which === 'last' ? last : (gauges[`${which} ${names}`] ?? []);
    },
  };
}

const UNTIL_S = STARTED_S + 61.5;

/** @param {Sample[]} last @param {any[]} [objectives] @param {number[]} [failedPushesS] */
async function read(last, objectives, failedPushesS = []) {
  const source = prometheus([START, ...last]);
  const document = await streamedSummary(source, planOf(objectives), { untilS: UNTIL_S, failedPushesS });
  writeFileSync(join(directory, 'summary.json'), JSON.stringify(document));
  const { summary, problem } = readSummary(directory);
  assert.equal(problem, null);
  assert.ok(summary);
  return summary;
}

/** @param {import('../../../analysis/summary.js').Summary} summary */
const judge = (summary) => judgeThresholds({ ...summary, phases: phases(summary) });

const BOTH = [
  ...requests('one', READ, { fast: 900, failed: { tool: 3 } }),
  ...requests('one', WRITE, { fast: 90, slow: 10, failed: { tool: 1, timeout: 2 } }),
  ...requests('two', READ, { fast: 50 }),
];

test('counts of a phase, an operation, a class and the whole run', async () => {
  const { metrics } = await read(BOTH);
  for (const [tags, count] of /** @type {const} */ ([
    [{}, 1050],
    [{ phase: 'one' }, 1000],
    [{ phase: 'two' }, 50],
    [{ operation: 'get_user' }, 950],
    [{ class: 'write' }, 100],
  ])) {
    assert.equal(metrics.count('mcp_requests', tags), count);
    assert.equal(metrics.latency(tags).count, count);
    assert.equal(metrics.failed(tags).total, count);
    assert.equal(metrics.count('data_received', tags), 700 * count);
  }
  assert.equal(metrics.count('iterations', { phase: 'one' }), 1000);
  assert.deepEqual(metrics.failed({ phase: 'one' }), { failed: 6, total: 1000 });
  assert.deepEqual(metrics.failures({ phase: 'one' }), { timeout: 2, tool: 4 });
  assert.deepEqual(metrics.failures({ operation: 'get_user' }), { tool: 3 });
  assert.deepEqual(metrics.failures({ phase: 'two' }), {});
});

test('latencies: the mean is exact, percentiles lie in their bucket, which the report says', async () => {
  const { metrics, streamed } = await read(BOTH);
  const { latency } = metrics.latency({ operation: 'update_user' });
  assert.ok(latency);
  assert.equal(latency.avg, (90 * 66 + 10 * 87) / 100);
  assert.equal(latency.min, FAST?.left);
  assert.equal(latency.max, SLOW?.right);
  assert.ok(latency.p50 > 64 && latency.p50 < 70);
  assert.ok(latency.p99 > 83 && latency.p99 < 91);
  assert.deepEqual(metrics.latency({ phase: 'three' }), { count: 0, latency: null });
  assert.equal(streamed?.percentile_error, 2 ** (1 / 8) - 1);
});

test('the target, the start and the end', async () => {
  const { plan, startedMs, ranS } = await read(BOTH);
  assert.equal(plan.target.era, 'legacy');
  assert.equal(plan.target.protocol_version, '2025-06-18');
  assert.deepEqual(plan.target.server, { name: 'echo', version: '1.2' });
  assert.equal(startedMs, STARTED_MS);
  assert.equal(ranS, 61.5);
});

test('Prometheus is asked for the whole run, and for nothing but this run', async () => {
  const source = prometheus([START]);
  await streamedSummary(source, planOf(), { untilS: UNTIL_S, failedPushesS: [] });
  for (const [query, timeS] of source.asked) {
    assert.match(query, /,testid="spike-20260102T030405-ab12"}\[3660s\]\)$/);
    assert.equal(timeS, UNTIL_S);
  }
});

test('gauges: when a phase was done, how many users there were', async () => {
  /** @param {Record<string, string>} labels @param {number} value */
  const gauge = (labels, value) => ({ labels, value, histogram: null });
  const source = prometheus([START, series('dropped_iterations_total', { scenario: 'two' }, 7)], {
    'max mcp_phase_end_seconds': [gauge({ phase: 'one' }, 38.5)],
    'max vus_max': [gauge({}, 50)],
  });
  const { k6 } = await streamedSummary(source, planOf(), { untilS: UNTIL_S, failedPushesS: [] });
  assert.deepEqual(k6.metrics['mcp_phase_end_seconds{phase:one}'].values, { max: 38.5 });
  assert.deepEqual(k6.metrics['dropped_iterations{scenario:two}'].values, { count: 7 });
  assert.deepEqual(k6.metrics.vus_max.values, { max: 50 });
});

const P99 = objective('one', 'p99_ms', '<', 85);

test('an objective is judged by the exact count, on whichever side of its limit the bucket begins', async () => {
  // 1,000 requests, all slow ones in the bucket from 83 to 91 ms: no quantile of it could tell.
  const of = (/** @type {number} */ over) =>
    read(requests('one', READ, { fast: 900, slow: 100, limits: { 85: over } }), [P99]);
  const [held] = judge(await of(10));
  assert.deepEqual([held?.ok, held?.outcome], [true, 'pass']);
  assert.ok((held?.observed ?? 99) < 85);
  const [missed] = judge(await of(11));
  assert.deepEqual([missed?.ok, missed?.outcome], [false, 'fail']);
  assert.match(
    missed?.reason ?? '',
    /^one p99 was about 85.*, objective < 85 ms: 1\.1 % of 1,000 requests took that long \(11\)$/,
  );
});

test('limits of several objectives, each within its own scope', async () => {
  const summary = await read(
    [
      ...requests('one', READ, { fast: 95, slow: 5, limits: { 85: 2, 90: 1 } }),
      ...requests('two', READ, { fast: 90, slow: 10, limits: { 85: 10, 90: 9 } }),
    ],
    [
      P99,
      objective('one', 'p95_ms', '<', 90),
      objective('two', 'p95_ms', '<', 85),
      objective('two', 'p90_ms', '<', 85),
    ],
  );
  assert.deepEqual(
    judge(summary).map(({ ok }) => ok),
    [false, true, false, true],
  );
  assert.equal(summary.metrics.slow({ phase: 'one' }, 85), 2);
  assert.equal(summary.metrics.slow({ phase: 'one' }, 70), null);
});

test('an objective that no slow request came near', async () => {
  const { metrics, streamed } = await read(requests('one', READ, { fast: 100 }), [P99]);
  assert.equal(metrics.slow({ phase: 'one' }, 85), 0);
  assert.deepEqual(streamed?.problems, []);
});

test('counts of slow requests that got lost: judged where the histogram alone is enough, invalid where not', async () => {
  const between = requests('one', READ, { fast: 900, slow: 100 });
  // Pushes failed, so that "none was slow" may be wrong: anything from 0 to 100 of 1,000 were.
  const lost = await read(between, [P99], [STARTED_S + 25]);
  assert.equal(lost.streamed?.problems.length, 1);
  assert.match(lost.streamed?.problems[0] ?? '', /^one p99 can't be told from 85 ms: /);
  // 100 of 1,000 took more than 83 ms, so more than 1 % took 80, whatever the counter says.
  const far = await read(between, [objective('one', 'p99_ms', '<', 80)], [STARTED_S + 25]);
  assert.deepEqual(far.streamed?.problems, []);
  assert.equal(judge(far)[0]?.ok, false);
  const fine = await read(between, [objective('one', 'p99_ms', '<', 100)], [STARTED_S + 25]);
  assert.deepEqual(fine.streamed?.problems, []);
  assert.equal(judge(fine)[0]?.ok, true);
});

test('failures whose push was lost are counted all the same, as of a kind that is not known', async () => {
  const kept = requests('one', READ, { fast: 1000, failed: { tool: 3, connect: 4 } });
  const { metrics } = await read(
    kept.filter(({ labels }) => labels.kind !== 'connect'),
    [],
    [STARTED_S + 25],
  );
  assert.deepEqual(metrics.failed({ phase: 'one' }), { failed: 7, total: 1000 });
  assert.deepEqual(metrics.failures({ phase: 'one' }), { tool: 3, unknown: 4 });
});

test('a push that failed at the end of a phase makes the run invalid, one in its midst does not', async () => {
  const problems = async (/** @type {number} */ secondsIn) =>
    (await read(BOTH, [], [STARTED_S + secondsIn])).streamed?.problems;
  assert.deepEqual(await problems(5), [], 'in the warm-up');
  assert.deepEqual(await problems(37), []);
  assert.match((await problems(39))?.join() ?? '', /^the end of one is missing: /);
  assert.match((await problems(61))?.join() ?? '', /the end of one.*,the end of two/);
  assert.match((await problems(85))?.join() ?? '', /^the end of two is missing: /);
});

const OVER = requests('one', READ, { fast: 900, slow: 100, limits: { 85: 11 } });
const UNDER = requests('one', READ, { fast: 900, slow: 100, limits: { 85: 10 } });
const SECOND = requests('two', READ, { fast: 1000 });

test('a missed objective is exit code 99 though k6 ended with 0; kept 0; a phase without data 98', async () => {
  const codes = [];
  for (const last of [[...OVER, ...SECOND], [...UNDER, ...SECOND], UNDER]) {
    codes.push((await runOf({ summary: await read(last, [P99]) })).verdict.exit_code);
  }
  assert.deepEqual(codes, [99, 0, 98]);
});

test('what is missing is exit code 98, and in the verdict', async () => {
  const summary = await read([...UNDER, ...SECOND], [P99], [STARTED_S + 60]);
  const { verdict } = await runOf({ summary });
  assert.equal(verdict.exit_code, 98);
  assert.match(verdict.reasons.join('\n'), /the end of two is missing/);
});

test("k6's own errors outweigh it all", async () => {
  const summary = await read([...OVER, ...SECOND], [P99], [STARTED_S + 60]);
  assert.equal((await runOf({ summary, k6Exit: 105 })).verdict.exit_code, 105);
  assert.equal((await runOf({ lost: 'Prometheus is gone', k6Exit: 107 })).verdict.exit_code, 107);
});

test('figures that are lost: exit code 98 and why', async () => {
  const { verdict } = await runOf({
    lost: "Prometheus can't be reached",
    summaryProblem: 'k6 left no summary.json',
  });
  assert.equal(verdict.exit_code, 98);
  assert.deepEqual(verdict.reasons, [
    "what the generators wrote to Prometheus can't be read: Prometheus can't be reached",
  ]);
});

test('the summary is left once: Prometheus is not asked for a run that has one', async () => {
  const folder = mkdtempSync(join(directory, 'run-'));
  writeFileSync(join(folder, 'plan.json'), JSON.stringify(planOf()));
  const ended = { untilS: UNTIL_S, failedPushesS: [] };
  const none = /** @type {any} */ (prometheus([]));
  assert.match((await leaveSummary(folder, none, ended)) ?? '', /knows nothing of the run spike-2026/);
  const source = /** @type {any} */ (prometheus([START, ...BOTH]));
  assert.equal(await leaveSummary(folder, source, ended), null);
  const written = readFileSync(join(folder, 'summary.json'), 'utf8');
  const dead = /** @type {any} */ ({
    query() {
      throw new PrometheusError('asked again');
    },
  });
  assert.equal(await leaveSummary(folder, dead, ended), null);
  assert.equal(readFileSync(join(folder, 'summary.json'), 'utf8'), written);
  assert.equal(readSummary(folder).problem, null);
});

test('a count that is none is no summary, and said', async () => {
  for (const value of [Number.NaN, -1, Number.POSITIVE_INFINITY]) {
    const broken = BOTH.map((one) =>
      one.labels.__name__ === 'k6_mcp_requests_total' ? { ...one, value } : one,
    );
    await assert.rejects(read(broken), PrometheusError);
  }
  const never = { ...START, value: Number.NaN };
  const source = /** @type {any} */ (prometheus([never, ...BOTH]));
  await assert.rejects(
    streamedSummary(source, planOf(), { untilS: UNTIL_S, failedPushesS: [] }),
    PrometheusError,
  );
});

test('a plan.json that is none is said', async () => {
  const folder = mkdtempSync(join(directory, 'run-'));
  const ended = { untilS: UNTIL_S, failedPushesS: [] };
  for (const text of ['{"phases":[', '{}']) {
    writeFileSync(join(folder, 'plan.json'), text);
    assert.equal(
      await leaveSummary(folder, /** @type {any} */ (prometheus([START])), ended),
      'plan.json is no plan of a test',
    );
  }
});

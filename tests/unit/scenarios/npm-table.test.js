/** The tables of crud, concurrency, bulk and scale. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderTerminal } from '../../../analysis/render/terminal.ts';
import { countedIn, near, runOf, summary, trend } from '../analysis/build.js';
import { rowsOf } from './rows-of.js';

const COUNTERS = ['sum', 'count'].map(
  (figure) => `authority_request_duration_seconds_${figure}{job="target",order="issue"}`,
);

const STEP = { start_s: 0, duration_s: 0, offered_rps: null, vus: 1 };

/**
 * A run of steps: each began when the one before ended.
 *
 * @param {string} test
 * @param {{name: string, operation: string, labels: Record<string, string | number>, calls: number, seconds: number,
 *   p99?: number, items?: number, failures?: Record<string, number>}[]} steps
 * @param {(selector: string) => number} [risen] of a counter, in each phase
 */
function runOfSteps(test, steps, risen = () => 0) {
  let now = 0;
  /** @type {Record<string, any>} */
  const metrics = {};
  const phases = steps.map(
    ({ name, operation, labels, calls, seconds, p99 = 10, items = 0, failures = {} }) => {
      metrics[`mcp_phase_start_seconds{phase:${name}}`] = {
        type: 'gauge',
        values: { value: now, min: now, max: now },
      };
      metrics[`mcp_step_iterations{phase:${name}}`] = { type: 'counter', values: { count: calls } };
      const key = `mcp_request_duration{operation:${operation}}`;
      const all = (metrics[key]?.values.count ?? 0) + calls;
      metrics[key] = { type: 'trend', values: trend(p99, all) };
      now += seconds;
      const figures = { iterations: 0, requests: calls, p99, items, failures, endS: now };
      return { ...STEP, name, operation, labels, iterations: calls, figures };
    },
  );
  const plan = { test, sequence: true };
  const increases = countedIn(
    phases,
    Object.fromEntries(COUNTERS.map((selector) => [selector, risen(selector)])),
  );
  return runOf({ summary: summary({ phases, metrics, plan }) }, { increases });
}

/** @param {string} operation @param {string} suite @param {number} repetition @param {number} p99 @param {object} [more] */
const step = (operation, suite, repetition, p99, more = {}) => ({
  name: `${operation}-${repetition}`,
  operation,
  labels: { suite, repetition },
  calls: 50,
  seconds: 1,
  p99,
  ...more,
});

/** @param {Awaited<ReturnType<typeof runOfSteps>>} run @param {string} title */
const rowsUnder = (run, title) => rowsOf(run.tables.find((table) => table.title === title));

test('crud: the median of the repetitions is judged, not the worst of them', async () => {
  const run = await runOfSteps('crud', [
    // p95 is nine tenths of p99.
    ...[40, 45, 200].map((p99, index) => step('list_proxy_hosts', 'list', index + 1, p99)),
    ...[300, 250, 20].map((p99, index) => step('create_stream', 'create', index + 1, p99)),
  ]);
  const [list, create] = rowsUnder(run, 'Operations');
  near(list, {
    ...{ suite: 'list', operation: 'list_proxy_hosts', calls: 150, 'ops/s': 50 },
    ...{ p50: 22.5, p95: 40.5, p99: 200, max: 240, budget: 50, within: 'yes' },
  });
  near([create?.p95, create?.budget, create?.within], [225, 200, 'no']);
  const judged = run.thresholds.filter(({ metric }) => metric === 'median_p95_ms');
  near(
    judged.map(({ scope, outcome, observed }) => [scope.operation, outcome, observed]),
    [
      ['list_proxy_hosts', 'pass', 40.5],
      ['create_stream', 'fail', 225],
    ],
  );
  assert.equal(run.verdict.exit_code, 99);
  assert.match(
    run.verdict.reasons.join(),
    /create_stream p95 \(median of 3\) was 22\d ms, objective < 200 ms/,
  );
  near(
    rowsUnder(run, 'Performance budget (p95)').map((row) => [
      row['operation type'],
      row.achieved,
      row.status,
    ]),
    [
      ['List operations', 40.5, 'within'],
      ['Create operations', 225, 'over'],
      ['Update operations', null, 'inconclusive'],
      ['Bulk operations (10)', null, 'inconclusive'],
    ],
  );
  assert.match(renderTerminal(run, { directory: 'x', colours: false }), /PERFORMANCE BUDGET/i);
});

test('crud: a certificate has no budget, and few calls no percentile', async () => {
  const authority = { labels: { suite: 'create', repetition: 1, authority: 'yes' }, calls: 20, p99: 5000 };
  const run = await runOfSteps(
    'crud',
    [
      step('create_certificate', 'create', 1, 5000, { ...authority, seconds: 60 }),
      step('list_streams', 'list', 1, 10, { calls: 5 }),
      step('bulk_toggle_hosts', 'bulk', 1, 20, { calls: 50, items: 500 }),
    ],
    (selector) => (selector.includes('_sum') ? 49 : 20),
  );
  const [certificate, streams, toggle] = rowsUnder(run, 'Operations');
  const { p95, p99, max, budget, within } = certificate ?? {};
  near([p95, p99, max, budget, within], [4500, null, 6000, null, null]);
  near([streams?.p50, streams?.p95, streams?.within], [5, null, null]);
  assert.equal(toggle?.['ops/s'], 500, 'resources a second');
  assert.equal(run.verdict.exit_code, 0);
  const [finding] = run.findings.filter(({ subject }) => subject === 'create_certificate');
  assert.match(
    finding?.statement ?? '',
    /9\d(\.\d)? % of its time is spent in the certificate authority, which takes 2,450 ms/,
  );
});

test('concurrency: the fewest users that are as good as the best', async () => {
  const level = (
    /** @type {number} */ users,
    /** @type {number} */ seconds,
    /** @type {number} */ repetition,
  ) => ({
    name: `list-${users}-${repetition}`,
    operation: 'list',
    labels: { users, repetition },
    calls: 50,
    seconds,
  });
  const run = await runOfSteps(
    'concurrency',
    [1, 2, 3].flatMap((n) => [
      level(50, 0.12, n),
      level(10, n === 3 ? 0.9 : 0.125, n),
      level(5, 0.2, n),
      level(1, 0.5, n),
    ]),
  );
  const rows = rowsUnder(run, 'Concurrent calls of list (50 in all)');
  assert.deepEqual(
    rows.map((row) => [row.concurrency, row.throughput, row['speed-up']]),
    [
      ['1', 100, 1],
      ['5', 250, 2.5],
      ['10', 400, 4],
      ['50', 416.667, 4.16667],
    ],
  );
  assert.deepEqual([rows[2]?.from, rows[2]?.to], [55.556, 400], 'the slowest and the fastest repetition');
  assert.match(
    run.findings[0]?.statement ?? '',
    /list: 10 concurrent is best, with 400\/s or 4 x one VU \(rule: the fewest VUs within 10 %/,
  );
});

test('concurrency: where calls failed at every level no number is named', async () => {
  const run = await runOfSteps(
    'concurrency',
    [1, 5].map((users) => ({
      name: `list-${users}-1`,
      operation: 'list',
      labels: { users, repetition: 1 },
      calls: 50,
      seconds: 1,
      failures: { tool: 1 },
    })),
  );
  assert.match(run.findings[0]?.statement ?? '', /list: the best concurrency is inconclusive/);
});

test('bulk: the smallest batch that is as good as the best, of those that did not fail', async () => {
  const batch = (
    /** @type {number} */ items,
    /** @type {number} */ seconds,
    failures = /** @type {Record<string, number>} */ ({}),
  ) => ({
    name: `toggle-${items}-1`,
    operation: 'bulk_toggle_hosts',
    labels: { items, what: 'toggle', repetition: 1 },
    calls: 100 / items,
    items: 100,
    seconds,
    failures,
  });
  const run = await runOfSteps('bulk', [
    batch(1, 1),
    batch(10, 0.21),
    batch(20, 0.2),
    batch(50, 0.1, { tool: 1 }),
  ]);
  const [one, ten, , fifty] = rowsUnder(run, 'Batch size: proxy hosts enabled or disabled');
  assert.deepEqual(one, {
    ...{ 'batch size': '1 (sequential)', operations: 100, calls: 100, duration: 1 },
    ...{ throughput: 100, 'per 10': 100, 'speed-up': 1, failed: 0 },
  });
  assert.deepEqual([ten?.['batch size'], ten?.throughput, fifty?.failed], ['10', 476.19, 0.5]);
  assert.match(
    run.findings[0]?.statement ?? '',
    /10 in a batch is best, with 476\/s or 4.76 x one at a time/,
  );
});

test('scale: the growth is named, and from where on a page is the better choice', async () => {
  const lists = (/** @type {number} */ resources, /** @type {number} */ repetition) =>
    ['all', 'page'].map((what) => ({
      name: `${what}-${resources}-${repetition}`,
      operation: 'list_proxy_hosts',
      labels: { what, resources, repetition, ...(what === 'page' && { limit: 50 }) },
      calls: 30,
      seconds: 1,
      p99: what === 'all' ? 8 + 0.2 * resources + repetition / 10 : 9 + repetition / 10,
    }));
  const run = await runOfSteps(
    'scale',
    [1, 2, 3].flatMap((n) => [10, 100, 1000, 5000].flatMap((resources) => lists(resources, n))),
  );
  const statements = run.findings.map(({ statement }) => statement);
  assert.match(
    statements[0] ?? '',
    /a list of all resources goes from 5\.1 ms with 10 resources to 504 ms with 5,000: 100 ms per 1,000 resources/,
  );
  assert.match(
    statements[1] ?? '',
    /a page of 50 goes from .* with 10 resources to .* with 5,000: the increase per 1,000 resources is inconclusive$/,
  );
  assert.match(statements[2] ?? '', /with 100 or more resources, a page takes less than half the time/);
  assert.equal(rowsUnder(run, 'List operations: pages of 50').length, 4);
  const [first] = rowsUnder(run, 'Bulk operations at scale: 1,000 proxy hosts, one call');
  near(first, { operation: 'List all', 'duration (p50)': 104.1, throughput: null });
});

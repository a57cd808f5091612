import assert from 'node:assert/strict';
import { test } from 'node:test';
import { phases } from '../../../analysis/judge/phases.ts';
import { makeTables, tableModuleOf } from '../../../analysis/tables/report-tables.ts';
import { MACHINE, near, objective, runOf, summary, trend } from '../analysis/build.js';
import { rowsOf } from './rows-of.js';

const OPERATIONS = ['guest_user/git_log', 'denied/guest_user/list_users'];

/**
 * @param {{iterations?: number, p99?: number, unexpected?: number, http_4xx?: number, denials?: number, off?: boolean}} [figures]
 *   of the denial, but for iterations and p99
 */
function rbac({
  iterations = 2000,
  p99 = 44,
  unexpected = 0,
  http_4xx = 0,
  denials = 500,
  off = false,
} = {}) {
  const denied = OPERATIONS[1];
  /** @param {number} count */
  const counter = (count) => ({ type: 'counter', contains: 'default', values: { count, rate: 1 } });
  const failed = unexpected + http_4xx;
  return summary({
    phases: [
      { name: 'warm-up', measured: false },
      { name: 'benchmark', offered_rps: 100, figures: { iterations, p99 } },
      {
        name: 'denials',
        offered_rps: 50,
        figures: { iterations: 1000, failures: { unexpected, http_4xx } },
      },
    ],
    objectives: off ? [] : [objective('benchmark', 'p95_ms', '<', 40)],
    plan: {
      test: 'rbac',
      objectives_off: off,
      operations: OPERATIONS.map((operation) => ({ operation, method: 'tools/call', class: 'read' })),
    },
    metrics: {
      [`mcp_requests{operation:${denied}}`]: counter(denials),
      [`mcp_request_failed{operation:${denied}}`]: {
        type: 'rate',
        contains: 'default',
        values: { rate: failed / denials || 0, passes: failed, fails: denials - failed },
      },
      [`mcp_request_duration{operation:${denied}}`]: {
        type: 'trend',
        contains: 'time',
        values: trend(9, denials),
      },
      [`mcp_failures{operation:${denied},kind:unexpected}`]: counter(unexpected),
      [`mcp_failures{operation:${denied},kind:http_4xx}`]: counter(http_4xx),
    },
  });
}

/** @param {Parameters<typeof rbac>[0]} [figures] */
const run = (figures) => runOf({ summary: rbac(figures) });

/** @param {import('../../../analysis/judge/run.ts').Run} run @param {string} title */
const rows = ({ tables }, title) => rowsOf(tables.find((table) => table.title === title));

test("the document's results and its goals, with the limits that the run is judged by", async () => {
  const fine = await run();
  near(rows(fine, 'Benchmark results'), [
    {
      ...{ duration: 20, 'total requests': 2000, successful: 2000 },
      ...{ errors: 0, 'error rate': 0, RPS: 100 },
    },
  ]);
  near(rows(fine, 'Latency'), [
    {
      ...{ min: 4.4, average: 22, median: 22 },
      ...{ '95th percentile': 39.6, '99th percentile': 44, max: 52.8 },
    },
  ]);
  near(
    rows(fine, 'Performance goals').map(({ goal }) => goal),
    ['✓ RPS >= 100: PASS', '✓ 95p latency < 40ms: PASS', '✓ Error rate < 1%: PASS'],
  );
});

test('100 requests/s are whole ones, as in the document; fewer are not enough', async () => {
  const goal = async (/** @type {number} */ iterations) =>
    rows(await run({ iterations }), 'Performance goals')[0]?.goal;
  assert.equal(await goal(1992), '✓ RPS >= 100: PASS', '99.6/s');
  assert.equal(await goal(1980), '✗ RPS >= 100: FAIL', '99/s');
  const slow = await run({ iterations: 1960 });
  assert.equal(slow.verdict.exit_code, 99);
  assert.match(slow.verdict.reasons.join(), /RPS >= 100 was 98\/s/);
});

test('without objectives the goals are shown and not judged', async () => {
  const slow = await run({ iterations: 1960, off: true });
  assert.match(String(rows(slow, 'Performance goals')[0]?.goal), /FAIL/);
  assert.match(String(rows(slow, 'Performance goals')[1]?.goal), /< 100ms/);
  assert.equal(slow.verdict.exit_code, 0);
});

test('one wrong allow fails the run, and says whose; refused for another reason is no allow', async () => {
  const wrong = await run({ unexpected: 1 });
  assert.equal(wrong.verdict.exit_code, 99);
  assert.match(wrong.verdict.reasons.join(), /wrongly allowed calls of list_users by guest_user was 1 call/);
  const denial = { user: 'guest_user', tool: 'list_users', calls: 500, p95: 8.1 };
  near(rows(wrong, 'Denials'), [{ ...denial, 'refused with 403': 499, 'wrongly allowed': 1, other: 0 }]);
  const limited = await run({ http_4xx: 3 });
  assert.equal(limited.verdict.exit_code, 0);
  near(rows(limited, 'Denials'), [{ ...denial, 'refused with 403': 497, 'wrongly allowed': 0, other: 3 }]);
});

test('denials that nobody answered were not tried: invalid, not a pass', async () => {
  const silent = await run({ denials: 0 });
  assert.equal(silent.verdict.exit_code, 98);
});

test("the CSV has the document's columns", async () => {
  const of = rbac();
  const { files } = makeTables(await tableModuleOf('rbac'), {
    ...{ plan: of.plan, phases: phases(of), operations: [], groups: of.groups, thresholds: [], signals: [] },
    ...{ environment: MACHINE, trials: null, increases: new Map(), seconds: new Map() },
    streams: [],
  });
  const [head, row, ...rest] = files['rbac_benchmark.csv']?.split('\n') ?? [];
  assert.equal(
    head,
    'duration_sec,total_requests,successful,errors,error_rate_pct,rps,avg_latency_ms,median_latency_ms,' +
      'min_latency_ms,max_latency_ms,p95_latency_ms,p99_latency_ms',
  );
  near(row?.split(',').map(Number), [20, 2000, 2000, 0, 0, 100, 22, 22, 4.4, 52.8, 39.6, 44]);
  assert.deepEqual(rest, ['']);
});

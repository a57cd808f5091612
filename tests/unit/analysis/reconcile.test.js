import assert from 'node:assert/strict';
import { test } from 'node:test';
import { phases } from '../../../analysis/judge/phases.ts';
import { ledger, reconcile } from '../../../analysis/judge/reconcile.ts';
import { judgeThresholds } from '../../../analysis/judge/thresholds.ts';
import { objective, runOf, summary } from './build.js';

const EVEN = { iterations: 100, requests: 100, further: 0, cached: 0, exceptions: 0, vus: 5 };
const NOTHING = { lost: 0, unexplained: 0, surplus: 0 };
/** @param {Partial<typeof EVEN>} counts */
const of = (counts) => reconcile({ ...EVEN, ...counts });

test('each iteration ends in a request, or in a result from the cache', () => {
  assert.deepEqual(of({}), { calls: 100, ...NOTHING });
  assert.deepEqual(of({ requests: 310, further: 210 }), { calls: 100, ...NOTHING }, 'with handshakes');
  assert.deepEqual(of({ requests: 30, cached: 70 }), { calls: 100, ...NOTHING });
  assert.deepEqual(of({ iterations: 0, requests: 0 }), { calls: 0, ...NOTHING });
});

test('an exception explains an iteration without a request, and another one does not', () => {
  assert.deepEqual(of({ requests: 60, exceptions: 40 }), {
    ...{ calls: 60, lost: 40, unexplained: 0, surplus: 0 },
  });
  assert.deepEqual(of({ requests: 60, exceptions: 10 }), {
    ...{ calls: 60, lost: 40, unexplained: 30, surplus: 0 },
  });
  // Thrown by what looks at a result: the request was made.
  assert.deepEqual(of({ exceptions: 100 }), { calls: 100, ...NOTHING });
  // Further requests hide nothing.
  assert.deepEqual(of({ requests: 260, further: 200 }).unexplained, 40);
});

test('what the end of a phase cuts off is a request without an iteration, at most one of each VU', () => {
  assert.deepEqual(of({ iterations: 95 }), { calls: 100, ...NOTHING });
  assert.deepEqual(of({ iterations: 94 }), { calls: 100, ...NOTHING, surplus: 1 });
});

/**
 * @param {import('./build.js').Spec} spec
 * @param {Partial<Parameters<typeof runOf>[0]>} [collected]
 */
const runIt = (spec, collected) => runOf({ summary: summary(spec), ...collected });

/** @param {number} count */
const counter = (count) => ({ type: 'counter', contains: 'default', values: { count } });
const READ = { operation: 'read', method: 'tools/call', class: 'read' };
const THREW = {
  phases: [
    { name: 'warm-up', measured: false },
    { name: 'a', figures: { iterations: 200, requests: 140 } },
  ],
  plan: { operations: [READ] },
  metrics: {
    'mcp_exceptions{phase:a,operation:read}': counter(60),
    'mcp_exceptions{phase:warm-up,operation:read}': counter(15),
    'iterations{phase:warm-up}': counter(50),
  },
};
const LOG = {
  lastLine: null,
  failedPushesS: [],
  exceptions: { read: { function: 'args', message: 'Error: no id left' } },
  uncaught: null,
  samples: {},
};

test('iterations that vanished are not delivered', () => {
  const made = summary({ ...THREW, objectives: [objective('a', 'delivered_share', '>=', 0.95)] });
  const all = phases(made);
  assert.deepEqual([all[1]?.iterations, all[1]?.lost, all[1]?.achieved_rps], [140, 60, 7]);
  const [threshold] = judgeThresholds({ ...made, phases: all });
  assert.deepEqual([threshold?.observed, threshold?.outcome === 'pass'], [0.7, false]);
});

test('exceptions make a run invalid, with the operation, how often, and the first', async () => {
  const { verdict, findings } = await runIt(THREW, { log: LOG });
  assert.equal(verdict.exit_code, 98);
  assert.deepEqual(verdict.reasons, [
    'args() of read threw 75 exceptions in 250 iterations, the first: Error: no id left; correct args() in the workload',
  ]);
  assert.deepEqual(findings.filter(({ subject }) => subject === 'exceptions').length, 1);
  // In Kubernetes there is no log.
  const unlogged = await runIt(THREW, { log: { ...LOG, exceptions: {} } });
  assert.match(unlogged.verdict.reasons[0] ?? '', /^read threw 75 exceptions in 250 iterations; correct/);
});

test('what a server made an exception say reaches no terminal as it is', async () => {
  const exceptions = {
    read: { function: 'received', message: 'Error: \u001b]0;x\u0007 Bearer abcdefghijkl' },
  };
  const { verdict } = await runIt(THREW, { log: { ...LOG, exceptions } });
  assert.match(verdict.reasons[0] ?? '', /the first: Error: \]0;x Bearer \*\*\*; correct/);
});

test('an exception that k6 logged, and nobody counted', async () => {
  const log = { ...LOG, exceptions: {}, uncaught: { count: 3, first: 'Uncaught (in promise) Error: x' } };
  const { verdict } = await runIt({ phases: [{ name: 'a', figures: {} }] }, { log });
  assert.match(
    verdict.reasons[0] ?? '',
    /^the script threw 3 exceptions in 200 iterations, the first: Uncaught/,
  );
  assert.equal(verdict.exit_code, 98);
});

test('iterations that left no trace make a run invalid, with the numbers', async () => {
  const { verdict } = await runIt({
    phases: [
      { name: 'a', figures: { iterations: 200, requests: 190 } },
      { name: 'b', figures: { iterations: 200, requests: 120 } },
    ],
  });
  assert.equal(verdict.exit_code, 98);
  assert.match(
    verdict.reasons[0] ?? '',
    /^iterations and requests do not add up in b and 1 other phase: 200 iterations ended, 120 calls and 0 exceptions were counted, so 80 iterations left no trace;/,
  );
});

test('more calls than iterations', async () => {
  const { verdict } = await runIt({ phases: [{ name: 'a', figures: { iterations: 200, requests: 260 } }] });
  assert.match(
    verdict.reasons[0] ?? '',
    /so 40 calls were more than 20 VUs can have had in flight at the end;/,
  );
});

test('the steps of a sequence are reconciled one by one; k6 counts them as one iteration', () => {
  const made = summary({
    phases: [{ name: 'a', iterations: 10, vus: 1, figures: { iterations: 1, requests: 8, endS: 5 } }],
    plan: { sequence: true, operations: [READ] },
    metrics: { 'mcp_step_iterations{phase:a}': counter(10), 'mcp_exceptions{phase:a}': counter(1) },
  });
  const { phases: found, iterations } = ledger([made], phases(made));
  assert.deepEqual([found[0]?.lost, found[0]?.unexplained, iterations], [2, 1, 10]);
});

test('each trial of a test by itself', () => {
  const [one, other] = ['a', 'b'].map((name) =>
    summary({
      phases: [{ name, figures: { iterations: 200, requests: name === 'a' ? 200 : 150 } }],
      plan: { operations: [READ] },
      metrics: {
        'mcp_exceptions{operation:read}': counter(25),
      },
    }),
  );
  assert.ok(one && other);
  const all = ledger(
    [one, other],
    [one, other].flatMap((each) => phases(each)),
  );
  assert.deepEqual(
    all.phases.map(({ phase, unexplained }) => [phase, unexplained]),
    [
      ['a', 0],
      ['b', 50],
    ],
  );
  assert.deepEqual([all.iterations, all.exceptions, all.exceptionsOf], [400, 50, { read: 50 }]);
});

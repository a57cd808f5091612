import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judged } from '../../../analysis/judge/judged.ts';
import { phases } from '../../../analysis/judge/phases.ts';
import { judgeThresholds } from '../../../analysis/judge/thresholds.ts';
import { verdict } from '../../../analysis/judge/verdict.ts';
import { objective, QUIET_LOG, summary } from './build.js';

const TRUSTED = { figures: [], load: [] };

/**
 * @param {import('./build.js').Spec} spec
 * @param {Partial<import('../../../analysis/judge/verdict.ts').Judged>} [rest]
 */
function judge(spec, rest = {}) {
  const made = summary(spec);
  const { plan } = made;
  const all = phases(made);
  return verdict({
    trialsError: null,
    k6Exit: 0,
    partial: null,
    log: QUIET_LOG,
    summaryProblem: null,
    plan,
    phases: all,
    thresholds: judgeThresholds({ ...made, phases: all }),
    distrust: TRUSTED,
    ...rest,
  });
}

const GOOD = { phases: [{ name: 'a', figures: {} }], objectives: [objective('a', 'p99_ms', '<', 85)] };
const SLOW = { ...GOOD, objectives: [objective('a', 'p99_ms', '<', 10)] };
const BUSY = { distrust: { figures: ['the load generator was short of CPU in a; give it more'], load: [] } };
const ABORT = { abort: { code: /** @type {const} */ (3), reason: 'no MCP server answers' } };

test('pass', () => {
  assert.deepEqual(judge(GOOD), { outcome: 'pass', exit_code: 0, reasons: ['1 threshold held'] });
});

test('what discovery left out because the server failed is a reason of any outcome, and changes no exit code', () => {
  const left_out = [
    { operation: 'broken', reason: 'call failed (http_5xx): HTTP 500', failed: 'HTTP 500' },
    { operation: 'writes', reason: 'destructive' },
    { operation: 'mended', reason: 'no answer within 5 s', failed: 'no answer within 5 s' },
  ];
  const operations = [{ operation: 'mended', method: 'tools/call', class: 'read' }];
  const said = '1 operation failed in discovery and was left out: broken (HTTP 500)';
  const plan = { left_out, operations };
  assert.deepEqual(judge({ ...GOOD, plan }), {
    outcome: 'pass',
    exit_code: 0,
    reasons: ['1 threshold held', said],
  });
  const failed = judge({ ...SLOW, plan }, { k6Exit: 99 });
  assert.deepEqual([failed.exit_code, failed.reasons.at(-1)], [99, said]);
  const invalid = judge({ ...GOOD, plan }, BUSY);
  assert.deepEqual([invalid.exit_code, invalid.reasons.at(-1)], [98, said]);
  assert.equal(judge({ ...GOOD, plan }, { k6Exit: 107 }).reasons.length, 1);
});

test('interrupted; the results cover the time until then', () => {
  const partial = { ran_s: 10.5, planned_s: 39 };
  assert.deepEqual(judge(SLOW, { k6Exit: 105, partial }), {
    outcome: 'error',
    exit_code: 105,
    reasons: ['interrupted after 10.5 s of 39 s; the results cover the time until then'],
  });
  assert.match(judge(GOOD, { k6Exit: 105 }).reasons[0] ?? '', /^k6 exited with code 105/);
  assert.match(judge(GOOD, { k6Exit: 137, partial }).reasons[0] ?? '', /\(killed, for example/);
});

test('fail', () => {
  assert.deepEqual(judge(SLOW, { k6Exit: 99 }), {
    outcome: 'fail',
    exit_code: 99,
    reasons: ['a p99 was 50 ms, objective < 10 ms (200 samples)'],
  });
});

test('what only the analysis judges fails a run that k6 passed', () => {
  assert.equal(judge(SLOW, { k6Exit: 0 }).exit_code, 99);
});

test('k6 reports a failed threshold that can not be seen: still a fail', () => {
  const { outcome, reasons } = judge(GOOD, { k6Exit: 99 });
  assert.equal(outcome, 'fail');
  assert.deepEqual(reasons, ['k6 reports a failed threshold (exit code 99) that its summary does not show']);
});

test('invalid: what the rules of trust say is the reason, word for word', () => {
  const { outcome, exit_code, reasons } = judge(GOOD, BUSY);
  assert.deepEqual([outcome, exit_code, reasons], ['invalid', 98, BUSY.distrust.figures]);
});

test('invalid: a phase without a request is said once, not for each of its objectives, too', () => {
  const silent = {
    phases: [{ name: 'a', figures: {} }, { name: 'b' }],
    objectives: [objective('b', 'p99_ms', '<', 85), objective('b', 'delivered_share', '>=', 0.95)],
  };
  const { outcome, reasons } = judge(silent, { distrust: { figures: [], load: ['b saw no request'] } });
  assert.equal(outcome, 'invalid');
  assert.deepEqual(reasons, ['b saw no request']);
});

test('invalid: too few samples to hold, and too few to miss', () => {
  const figures = { iterations: 58, answered: 58, avg: 5, p99: 9 };
  const few = {
    phases: [{ name: 'a', figures }],
    objectives: [objective('a', 'p99_ms', '<', 85, { min_samples: 100 })],
  };
  assert.deepEqual(judge(few, { k6Exit: 99 }), {
    outcome: 'invalid',
    exit_code: 98,
    reasons: ['a p99 was not judged: 58 samples, 100 needed'],
  });
});

test('a miss that is proven outranks too few samples in another phase, and a doubt about the load', () => {
  const spec = {
    phases: [
      { name: 'a', figures: {} },
      { name: 'b', figures: { iterations: 58, answered: 58 } },
    ],
    objectives: [objective('a', 'p99_ms', '<', 10), objective('b', 'p99_ms', '<', 85, { min_samples: 100 })],
  };
  const few = judge(spec);
  assert.deepEqual(few, {
    outcome: 'fail',
    exit_code: 99,
    reasons: [
      'a p99 was 50 ms, objective < 10 ms (200 samples)',
      'b p99 was not judged: 58 samples, 100 needed',
    ],
  });
  assert.equal(judge(SLOW, { distrust: { figures: [], load: ['b saw no request'] } }).outcome, 'fail');
  assert.equal(judge(SLOW, BUSY).outcome, 'invalid');
});

test('a miss that may be chance does not outrank missing load, and fails without it', () => {
  const spec = {
    phases: [{ name: 'a', figures: { failures: { tool: 1 } } }],
    objectives: [objective('a', 'failure_rate', '<', 0.001, { min_samples: 1 })],
  };
  assert.equal(judge(spec).outcome, 'fail');
  const missing = { figures: [], load: ['b saw no request'] };
  assert.equal(judge(spec, { distrust: missing }).outcome, 'invalid');
});

test('failures that no generator can cause fail a run whose figures can not be trusted', () => {
  const failing = (/** @type {string} */ kind, count = 150) =>
    judge(
      {
        phases: [{ name: 'a', figures: { failures: { [kind]: count } } }],
        objectives: [objective('a', 'failure_rate', '<', 0.01, { min_samples: 1 })],
      },
      BUSY,
    ).outcome;
  assert.equal(failing('connect'), 'fail');
  assert.equal(failing('timeout'), 'invalid');
  // 3 of 200 can still be chance.
  assert.equal(failing('connect', 3), 'invalid');
});

test('invalid: load not delivered by the generator, where an objective asks for it', () => {
  const phase = { name: 'a', offered_rps: 100, figures: { iterations: 1000, dropped: 1000, avg: 5 } };
  const judged = judge({ phases: [phase], objectives: [objective('a', 'delivered_share', '>=', 0.95)] });
  assert.equal(judged.exit_code, 98);
  assert.match(judged.reasons[0] ?? '', /the load generator fell short.*; give the generator more CPU/);
});

test('fail, not invalid: load not delivered because the server was slow', () => {
  const phase = {
    name: 'a',
    offered_rps: 100,
    figures: { iterations: 1000, dropped: 1000, avg: 900, p99: 1000 },
  };
  const judged = judge({ phases: [phase], objectives: [objective('a', 'delivered_share', '>=', 0.95)] });
  assert.equal(judged.exit_code, 99);
  assert.match(judged.reasons[0] ?? '', /the server was slow/);
});

test('objectives off: measured, not judged, but an untrustworthy run stays one', () => {
  const off = { ...SLOW, plan: { objectives_off: true } };
  assert.deepEqual(judge(off), {
    outcome: 'pass',
    exit_code: 0,
    reasons: ['measured, not judged: objectives are off'],
  });
  assert.equal(judge(off, { k6Exit: 99 }).outcome, 'pass');
  assert.equal(judge(off, BUSY).outcome, 'invalid');
  assert.equal(judge(off, { ...ABORT, k6Exit: 108 }).exit_code, 3);
});

test('comparisons left out are counted, and do not change the verdict', () => {
  const { outcome, reasons } = judge({
    phases: [
      { name: 'a', figures: {} },
      { name: 'b', figures: {} },
    ],
    objectives: [
      objective('a', 'p99_ms', '<', 85),
      objective('b', 'p99_ms', '<=', 1, { relative_to: { phase: 'a' }, min_samples: 1000 }),
    ],
  });
  assert.equal(outcome, 'pass');
  assert.deepEqual(reasons, ['1 threshold held, 1 could not be judged']);
});

test('error: an abort on purpose has its own code, not that of k6', () => {
  assert.deepEqual(judge(GOOD, { ...ABORT, k6Exit: 108 }), {
    outcome: 'error',
    exit_code: 3,
    reasons: ['no MCP server answers'],
  });
  assert.equal(judge(GOOD, { ...ABORT, k6Exit: 99 }).exit_code, 3);
});

test('it is none where k6 ended well', () => {
  assert.equal(judge(GOOD, { ...ABORT, k6Exit: 0 }).outcome, 'pass');
});

test("error: k6 died, with k6's own code and its last words", () => {
  const log = { ...QUIET_LOG, lastLine: 'Error: boom' };
  assert.deepEqual(judge(GOOD, { k6Exit: 107, log }).reasons, [
    'k6 exited with code 107 (exception in the script); last output: Error: boom',
  ]);
  assert.deepEqual(judge(GOOD, { k6Exit: 105 }).reasons, [
    'k6 exited with code 105 (interrupted by a signal)',
  ]);
  assert.deepEqual(judge(GOOD, { k6Exit: 42 }), {
    outcome: 'error',
    exit_code: 42,
    reasons: ['k6 exited with code 42'],
  });
});

test('error: no summary, whatever k6 says; the code is never that of another outcome', () => {
  const lost = { summaryProblem: 'k6 left no summary.json', plan: null, phases: [], thresholds: [] };
  for (const k6Exit of [0, 99]) {
    const { outcome, exit_code, reasons } = judge(GOOD, { ...lost, k6Exit });
    assert.deepEqual([outcome, exit_code], ['error', 1]);
    assert.deepEqual(reasons, [`k6 left no summary.json, although k6 exited with code ${k6Exit}`]);
  }
  assert.equal(judge(GOOD, { ...lost, k6Exit: 137 }).exit_code, 137);
});

test('an error outweighs invalid, invalid outweighs fail, and names both', () => {
  assert.equal(judge(SLOW, { ...BUSY, ...ABORT, k6Exit: 108 }).outcome, 'error');
  const { outcome, reasons } = judge(SLOW, { ...BUSY, k6Exit: 99 });
  assert.equal(outcome, 'invalid');
  assert.equal(reasons.length, 2);
  assert.match(reasons[0] ?? '', /load generator/);
  assert.match(reasons[1] ?? '', /p99 was 50 ms/);
});

test("an exit code of 98 from k6 itself is an error that can't be told from invalid by its code alone", () => {
  assert.equal(judge(GOOD, { k6Exit: 98 }).outcome, 'error');
});

test('what one observation proves fails the run, though its other figures are not to be trusted', () => {
  const wrongAllow = judged({
    scope: { operation: 'denial' },
    metric: 'wrong_allows',
    op: '<',
    limit: 1,
    observed: 2,
    samples: 500,
    what: 'wrong allows',
    format: String,
    proof: true,
  });
  const { outcome, exit_code, reasons } = judge(GOOD, { ...BUSY, thresholds: [wrongAllow] });
  assert.deepEqual([outcome, exit_code, reasons.length], ['fail', 99, 2]);
  assert.equal(reasons[0], 'wrong allows was 2, objective < 1 (500 samples)');
});

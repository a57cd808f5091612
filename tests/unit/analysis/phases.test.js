import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failures } from '../../../analysis/judge/failures.ts';
import { operations } from '../../../analysis/judge/operations.ts';
import { peaks, phases } from '../../../analysis/judge/phases.ts';
import { gauge, near, STARTED_MS, summary, trend } from './build.js';

/** @param {import('./build.js').Spec} spec */
function only(spec) {
  const all = phases(summary(spec));
  const last = all.at(-1);
  assert.ok(last);
  return last;
}

test('figures of a phase', () => {
  const phase = only({
    phases: [
      {
        name: 'a',
        start_s: 5,
        duration_s: 10,
        offered_rps: 50,
        figures: {
          iterations: 480,
          requests: 500,
          answered: 490,
          dropped: 20,
          failures: { timeout: 10, tool: 15 },
          p99: 80,
        },
      },
    ],
  });
  assert.equal(phase.start, '2026-01-02T03:04:10.000Z');
  assert.equal(phase.end, '2026-01-02T03:04:20.000Z');
  assert.equal(phase.offered_rps, 50);
  assert.equal(phase.achieved_rps, 48);
  assert.equal(phase.requests_per_s, 50);
  assert.equal(phase.dropped, 20);
  assert.equal(phase.failed, 25);
  assert.equal(phase.failure_rate, 0.05);
  assert.deepEqual(phase.failures, { timeout: 10, tool: 15 });
  assert.equal(phase.answered, 490);
  near(phase.latency_ms?.p99, 80);
  assert.equal(phase.completed, true);
});

test('a warm-up is there and has no figure, whatever k6 counted', () => {
  const all = phases(
    summary({
      phases: [
        { name: 'warm-up', measured: false },
        { name: 'a', figures: {} },
      ],
      metrics: {
        'iterations{phase:warm-up}': { values: { count: 100 } },
        'mcp_requests{phase:warm-up}': { values: { count: 100 } },
        'mcp_request_duration{phase:warm-up}': { values: trend(10, 100) },
      },
    }),
  );
  const { name, measured, labels, start, end, duration_s, completed, overload, offered_rps, ...figures } =
    all[0] ?? {};
  assert.deepEqual([name, measured, duration_s, offered_rps], ['warm-up', false, 20, 10]);
  assert.deepEqual(
    Object.entries(figures).filter(([, value]) => value !== null),
    [],
  );
});

test('nothing answered: no latency, but the requests count', () => {
  const phase = only({
    phases: [{ name: 'a', figures: { iterations: 30, answered: 0, failures: { connect: 30 } } }],
  });
  assert.equal(phase.latency_ms, null);
  assert.equal(phase.requests, 30);
  assert.equal(phase.failure_rate, 1);
});

test('a phase with a number of iterations ends with the last of them', () => {
  const phase = only({
    phases: [
      {
        name: 'a',
        offered_rps: null,
        vus: 10,
        iterations: 1000,
        duration_s: 60,
        figures: { iterations: 1000, endS: 8 },
      },
    ],
  });
  assert.equal(phase.duration_s, 8);
  assert.equal(phase.achieved_rps, 125);
  assert.equal(phase.offered_rps, null);
  assert.equal(phase.completed, true);
});

test('one that did not get through has its whole slot, and is not complete', () => {
  const phase = only({
    phases: [
      {
        name: 'a',
        offered_rps: null,
        vus: 10,
        iterations: 1000,
        duration_s: 60,
        figures: { iterations: 600 },
      },
    ],
  });
  assert.equal(phase.duration_s, 60);
  assert.equal(phase.achieved_rps, 10);
  assert.equal(phase.completed, false);
});

test('a run that was ended early cuts one phase short and does not start the next', () => {
  const all = phases(
    summary({
      ranS: 24,
      phases: [{ name: 'a', figures: {} }, { name: 'b', figures: { iterations: 40 } }, { name: 'c' }],
    }),
  );
  assert.deepEqual(
    all.map(({ duration_s, completed, iterations, achieved_rps }) => [
      duration_s,
      completed,
      iterations,
      achieved_rps,
    ]),
    [
      [20, true, 200, 10],
      [4, false, 40, 10],
      [0, false, null, null],
    ],
  );
  assert.equal(all[2]?.start, null);
});

test('a run that never started has phases without a time', () => {
  const all = phases(summary({ startedMs: null, ranS: 0.5, phases: [{ name: 'a', figures: {} }] }));
  assert.deepEqual([all[0]?.start, all[0]?.requests, all[0]?.completed], [null, null, false]);
});

test('items a second, and labels as text', () => {
  const all = phases(
    summary({
      phases: [
        { name: 'split-1', labels: { items: 1, of: 'all' }, figures: { iterations: 400, items: 400 } },
        { name: 'plain', figures: {} },
      ],
    }),
  );
  assert.deepEqual(
    all.map(({ items_per_s }) => items_per_s),
    [20, null],
  );
  assert.deepEqual(all[0]?.labels, { items: '1', of: 'all' });
});

test('the steps of a sequence began and ended when they say, and one that did not finish is cut short', () => {
  const step = { start_s: 0, duration_s: 0, offered_rps: null, vus: 1, iterations: 20 };
  const all = phases(
    summary({
      plan: { sequence: true },
      phases: [
        { name: 'fill', measured: false, ...step },
        { name: 'list', ...step, figures: { iterations: 0, requests: 20, endS: 12.5 } },
        { name: 'get', ...step, figures: { iterations: 0, requests: 7 } },
      ],
      metrics: {
        'mcp_phase_start_seconds{phase:list}': gauge(10),
        'mcp_step_iterations{phase:list}': { type: 'counter', values: { count: 20 } },
        'mcp_phase_start_seconds{phase:get}': gauge(13),
      },
    }),
  );
  assert.deepEqual(
    all.map(({ duration_s, completed, iterations, achieved_rps }) => [
      duration_s,
      completed,
      iterations,
      achieved_rps,
    ]),
    [
      [0, true, null, null],
      [2.5, true, 20, 8],
      [0, false, null, null],
    ],
  );
});

test('a peak is more than the first load; the phase to recover in is none', () => {
  const all = phases(
    summary({
      phases: [
        { name: 'baseline', offered_rps: 100, figures: {} },
        { name: 'spike', offered_rps: 2000, overload: true, figures: {} },
        { name: 'recovery', offered_rps: 100, overload: true, figures: {} },
        { name: 'recovered', offered_rps: 100, figures: {} },
      ],
    }),
  );
  assert.deepEqual(
    peaks(all).map(({ name }) => name),
    ['spike'],
  );
});

test('an operation over the phases that call it', () => {
  const of = summary({
    plan: {
      operations: [
        { operation: 'get_user', method: 'tools/call', class: 'read' },
        { operation: 'idle', method: 'tools/call', class: 'read' },
      ],
    },
    phases: [
      { name: 'warm-up', measured: false },
      { name: 'a', figures: {} },
      { name: 'b', operation: 'other', figures: {} },
    ],
    metrics: {
      'mcp_requests{operation:get_user}': { values: { count: 100 } },
      'mcp_request_failed{operation:get_user}': { values: { passes: 1, fails: 99 } },
      'mcp_request_duration{operation:get_user}': { values: trend(30, 100) },
      'data_sent{operation:get_user}': { values: { count: 5000 } },
      'mcp_failures{operation:get_user,kind:tool}': { values: { count: 1 } },
    },
  });
  const [one, idle] = operations(of, phases(of));
  assert.equal(one?.rps, 5);
  assert.equal(one?.failure_rate, 0.01);
  near(one?.latency_ms?.p99, 30);
  assert.equal(one?.request_bytes, 5000);
  assert.equal(one?.response_bytes, 0);
  assert.deepEqual(one?.failures, { tool: 1 });
  assert.deepEqual([idle?.requests, idle?.failure_rate, idle?.latency_ms], [0, null, null]);
});

test('failures say when they began, and in which phase', () => {
  const of = summary({
    phases: [
      { name: 'baseline', figures: {} },
      { name: 'spike', figures: { failures: { tool: 5, timeout: 7 } } },
      { name: 'recovery', figures: { failures: { timeout: 1 } } },
    ],
    metrics: {
      'mcp_failure_seconds{kind:tool}': gauge(21.25, 41.5),
      'mcp_failure_seconds{kind:timeout}': gauge(25, 45),
    },
  });
  const found = failures(of.groups, STARTED_MS, phases(of), { tool: 'get_user: no connection' });
  assert.deepEqual(found, [
    {
      kind: 'timeout',
      count: 8,
      first: '2026-01-02T03:04:30.000Z',
      last: '2026-01-02T03:04:50.000Z',
      first_s: 25,
      last_s: 45,
      first_phase: 'spike',
      sample: null,
    },
    {
      kind: 'tool',
      count: 5,
      first: '2026-01-02T03:04:26.250Z',
      last: '2026-01-02T03:04:46.500Z',
      first_s: 21.25,
      last_s: 41.5,
      first_phase: 'spike',
      sample: 'get_user: no connection',
    },
  ]);
});

test('a request answered after its phase still belongs to it', () => {
  const of = summary({
    phases: [
      { name: 'spike', figures: { failures: { timeout: 1 } } },
      { name: 'recovery', figures: {} },
    ],
    metrics: { 'mcp_failure_seconds{kind:timeout}': gauge(22) },
  });
  assert.equal(failures(of.groups, STARTED_MS, phases(of), {})[0]?.first_phase, 'spike');
});

test('failures without a time are still told', () => {
  const of = summary({ phases: [{ name: 'a', figures: { failures: { tool: 3 } } }] });
  const [found] = failures(of.groups, STARTED_MS, phases(of), {});
  assert.deepEqual([found?.count, found?.first, found?.first_phase], [3, null, null]);
});

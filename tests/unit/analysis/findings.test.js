import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findings } from '../../../analysis/findings/findings.ts';
import { phases } from '../../../analysis/judge/phases.ts';
import { judgeThresholds } from '../../../analysis/judge/thresholds.ts';
import { MACHINE, NO_LEDGER, NO_SERVER, objective, QUIET_LOG, signal, summary, trend } from './build.js';

/**
 * @param {import('./build.js').Spec} spec
 * @param {{server?: Partial<import('../../../analysis/collect/observe.ts').Server>,
 *   environment?: Partial<import('../../../analysis/collect/environment.ts').Environment>,
 *   expired?: number}} [rest]
 */
function find(spec, { server, environment, expired = 0 } = {}) {
  const made = summary(spec);
  const { plan } = made;
  const all = phases(made);
  return findings({
    plan,
    phases: all,
    operations: [],
    groups: [],
    failures: [],
    timeline: null,
    recoveries: [],
    capacities: [],
    lines: [],
    buckets: [],
    cores: null,
    clockJumps: [],
    log: QUIET_LOG,
    vusMax: 20,
    watches: [],
    ledger: NO_LEDGER,
    thresholds: judgeThresholds({ ...made, phases: all }),
    server: { ...NO_SERVER, ...server },
    environment: { ...MACHINE, ...environment },
    expired,
  });
}

const CALM = { phases: [{ name: 'a', figures: {} }] };
/** @param {ReturnType<typeof find>} found */
const statements = (found) => found.map(({ statement }) => statement);

test('a run as it should be needs no note', () => {
  assert.deepEqual(find(CALM), []);
});

test('sessions that the server ended are told', () => {
  assert.deepEqual(statements(find(CALM, { expired: 1200 })), [
    'the server ended 1,200 sessions before the next call; k6 reopened the session and repeated the call',
  ]);
  assert.match(statements(find(CALM, { expired: 1 }))[0] ?? '', /ended 1 session before/);
});

test('an overload is reported with its failures, rate-limit hits and breaker trips', () => {
  const spec = {
    phases: [
      { name: 'baseline', figures: {} },
      {
        name: 'spike',
        offered_rps: 200,
        overload: true,
        figures: { iterations: 3000, dropped: 1000, failures: { rate_limited: 300, tool: 60 } },
      },
      { name: 'recovery', overload: true, figures: {} },
    ],
  };
  const overloads = (/** @type {Partial<import('../../../analysis/collect/observe.ts').Server>} */ server) =>
    find(spec, { server }).filter(({ subject }) => subject === 'overload');
  const [known, ...others] = overloads({
    signals: [signal('rate_limited', 'spike', 15, 'rate'), signal('breaker_open', 'spike', 0.1, 'rate')],
  });
  assert.deepEqual(others, []);
  assert.equal(
    known?.statement,
    'spike delivered 150/s of 200/s (1,000 dropped); 12 % of its calls failed, and 300 were answered with 429; ' +
      'the server counted about 300 rate-limit hits and about 2 breaker trips',
  );
  assert.deepEqual(known?.figures, {
    offered_rps: 200,
    achieved_rps: 150,
    failure_rate: 0.12,
    rate_limited_requests: 300,
    rate_limit_hits: 300,
    breaker_trips: 2,
  });
  const [unknown] = overloads({});
  assert.match(unknown?.statement ?? '', /answered with 429$/);
  assert.equal(unknown?.figures.breaker_trips, null);
});

test('a smaller machine is named, and that nothing was lowered where an objective was missed', () => {
  const reference_machine = { cores: 8, memory_bytes: 8 * 1024 ** 3 };
  const passed = { ...CALM, plan: { reference_machine }, objectives: [objective('a', 'p99_ms', '<', 85)] };
  assert.deepEqual(statements(find(passed)), [
    'this machine has fewer cores (4) than the objectives assume (8)',
  ]);
  const missed = { ...passed, objectives: [objective('a', 'p99_ms', '<', 1)] };
  assert.match(statements(find(missed))[0] ?? '', /; the machine may be the reason for a missed objective$/);
});

test('memory is compared, too; what a system keeps for itself is no difference', () => {
  const spec = { ...CALM, plan: { reference_machine: { cores: 4, memory_bytes: 8 * 1024 ** 3 } } };
  assert.deepEqual(find(spec, { environment: { memory_bytes: 7.6 * 1024 ** 3 } }), []);
  assert.deepEqual(statements(find(spec, { environment: { memory_bytes: 4 * 1024 ** 3 } })), [
    'this machine has less memory (4 GiB) than the objectives assume (8 GiB)',
  ]);
  assert.deepEqual(find({ ...CALM, plan: { reference_machine: null } }, { environment: { cores: 1 } }), []);
});

test('a machine without CPU left is only noted where generator and target share it', () => {
  const server = { signals: [signal('host_cpu', 'a', 0.97)] };
  assert.match(
    statements(find(CALM, { server }))[0] ?? '',
    /share a machine that had no CPU left \(a 97 %\)/,
  );
  const far = { ...CALM, plan: { target: { url: 'https://mcp.example.org/mcp' } } };
  assert.deepEqual(find(far, { server }), []);
});

test('phases that did not get to their end', () => {
  const found = find({
    ranS: 24,
    phases: [
      { name: 'bound', offered_rps: null, vus: 2, iterations: 500, figures: { iterations: 120 } },
      { name: 'cut', figures: {} },
      { name: 'never' },
    ],
  });
  assert.deepEqual(statements(found), [
    'bound made 120 of its 500 iterations within 20 s',
    'cut was cut short: 4 s of 20 s',
    'never did not start',
  ]);
});

test('comparisons that were not made are one note', () => {
  const objectives = ['b', 'c'].map((name) =>
    objective(name, 'p99_ms', '<=', 1.3, { relative_to: { phase: 'a' }, min_samples: 1000 }),
  );
  const found = find({ phases: ['a', 'b', 'c'].map((name) => ({ name, figures: {} })), objectives });
  assert.equal(found.length, 1);
  assert.match(found[0]?.statement ?? '', /^b p99 was not compared .* \(and 1 more like it\)$/);
  assert.equal(found[0]?.evidence.length, 2);
});

test('where k6 and the analysis disagree, it is said', () => {
  const k6 = { metric: 'mcp_request_duration{phase:a}', expression: 'p(99)<85' };
  const found = find({
    ...CALM,
    objectives: [objective('a', 'p99_ms', '<', 85, { k6 })],
    metrics: { [k6.metric]: { values: trend(50, 200), thresholds: { [k6.expression]: { ok: false } } } },
  });
  assert.deepEqual(statements(found), [
    'k6 and this analysis disagree on a p99 < 85 ms: k6 says fail; a fail counts',
  ]);
});

test('signals that are missing, silent or ambiguous', () => {
  const problem = 'Prometheus at http://127.0.0.1:1 did not answer in 10 s';
  assert.deepEqual(statements(find(CALM, { server: { problem } })), [
    `server signals are missing because ${problem}`,
  ]);
  assert.deepEqual(
    statements(find(CALM, { server: { silent: ['cpu', 'pool_utilization'], ambiguous: ['memory'] } })),
    [
      'no samples for cpu, pool_utilization',
      'left out because they have more than one series: memory; aggregate them in the recording rule',
    ],
  );
  const many = Array.from({ length: 15 }, (_, index) => `s${index}`);
  const [found] = find(CALM, { server: { silent: many } });
  assert.match(found?.statement ?? '', /s11 and 3 more$/);
  assert.equal(found?.evidence.length, 15);
});

test('a run of moments has no signals, and says why', () => {
  const moment = { phases: [{ name: 'a', duration_s: 1, figures: {} }] };
  assert.deepEqual(statements(find(moment, { server: { silent: ['cpu', 'pool_utilization'] } })), [
    'no server signals: every phase was shorter than 2 s',
  ]);
});

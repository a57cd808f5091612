import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planOf } from '../../../analysis/collect/plan.ts';
import { WIDTH } from '../../../analysis/render/layout.ts';
import { renderPlan } from '../../../analysis/render/plan.ts';

const FULL = { colours: false, brief: false };

/** @param {Partial<import('../../../analysis/collect/plan.ts').Plan>} [members] */
const planned = (members = {}) => ({
  testid: 'spike-1',
  test: 'spike',
  title: 'up and down',
  profile: 'quick',
  workload: 'mine',
  target: {
    url: 'http://127.0.0.1/mcp',
    era: 'legacy',
    protocol_version: '2025-11-25',
    server: { name: 's', version: '1' },
  },
  phases: [
    {
      name: 'warm-up',
      measured: false,
      start_s: 0,
      duration_s: 10,
      offered_rps: 100,
      vus: null,
      max_vus: 100,
    },
    {
      name: 'open',
      measured: true,
      start_s: 10,
      duration_s: 24.167,
      offered_rps: 100,
      vus: null,
      max_vus: 100,
    },
    {
      name: 'counted',
      measured: true,
      start_s: 34.167,
      duration_s: 60,
      vus: 10,
      max_vus: 10,
      iterations: 5000,
    },
  ],
  operations: [
    { operation: 'echo', method: 'tools/call', class: 'read', share: 0.95, example: { message: 'hi' } },
    { operation: 'ping', method: 'ping', class: 'protocol', share: 0.05, example: null },
  ],
  left_out: [
    { operation: 'drop', reason: 'destructive' },
    { operation: 'slow', reason: 'no answer within 5 s' },
    { operation: 'wipe', reason: 'destructive' },
  ],
  expected_requests: 7417,
  objectives: [
    { scope: { phase: 'open' }, metric: 'p99_ms', op: /** @type {const} */ ('<'), limit: 85 },
    {
      scope: { phase: 'counted' },
      metric: 'p95_ms',
      op: /** @type {const} */ ('<'),
      limit: 85,
      expected_samples: 75,
      instead_of: 'p99_ms',
    },
  ],
  objectives_off: false,
  reference_machine: null,
  ...members,
});

test('a plan says who is loaded, with what, how much, for how long, and how it is judged', () => {
  const text = renderPlan(planned(), FULL);
  for (const wanted of [
    /^spike, profile quick: up and down$/m,
    /^target {2}http:\/\/127.0.0.1\/mcp {2}s 1 {2}legacy {2}2025-11-25$/m,
    /^echo +read +95 % +\{"message":"hi"\}$/m,
    /^ping +protocol +5 %$/m,
    /^- drop, wipe: destructive$/m,
    /^- slow: no answer within 5 s$/m,
    /^open +24.2 s +100\/s from up to 100 VUs +2,417$/m,
    /^counted +at most 1 min +10 VUs +5,000$/m,
    /^In total 7,417 requests \(without the warm-up\) in at most 1 min 34 s\.$/m,
    /^- open p99 < 85 ms$/m,
    /^- counted p95 < 85 ms \(75 samples, too few for p99\)$/m,
  ]) {
    assert.match(text, wanted);
  }
});

test('brief: what is called and what is not, how much load goes where, and nothing of the phases', () => {
  const text = renderPlan(planned(), { colours: false, brief: true });
  assert.match(text, /^OPERATION/);
  assert.match(text, /LEFT OUT/);
  assert.doesNotMatch(text, /PHASE|OBJECTIVES/);
  assert.match(text, /^In total [\d,]+ requests \(without the warm-up\) in at most 1 min 34 s\.$/m);
  assert.match(text, /^All requests go to 127\.0\.0\.1, at most 100\/s from 100 VUs at a time\.$/m);
});

test('the host with its port; of several runs; what a target elsewhere needs', () => {
  const target = { url: 'https://mcp.example.org:8443/mcp', confirm: 'mcp.example.org' };
  const text = renderPlan(planned({ target }), { colours: false, brief: true, trials: true });
  assert.match(text, /^All requests go to mcp\.example\.org:8443, /m);
  assert.match(text, /^The test consists of several runs like this one/m);
  assert.match(text, /^The target is not on this machine: a run needs TARGET_CONFIRM=mcp\.example\.org\.$/m);
});

test('users without a pause: no number is claimed', () => {
  const phases = [{ name: 'closed', measured: true, start_s: 0, duration_s: 30, vus: 10, max_vus: 10 }];
  const text = renderPlan(planned({ phases, expected_requests: null }), FULL);
  assert.match(text, /^closed +30 s +10 VUs +as fast as 10 VUs can$/m);
  assert.match(text, /^In total as many requests as the VUs can make in 30 s\.$/m);
});

test('lists and pings alone: what would allow more; unless nothing was left out', () => {
  const [, ping] = planned().operations;
  const operations = ping ? [ping] : [];
  const hint = /ALLOW_WRITES=1 also calls .* TOOLS=name,name/;
  assert.match(renderPlan(planned({ operations }), FULL).replace(/\s+/g, ' '), hint);
  assert.doesNotMatch(renderPlan(planned({ operations, left_out: [] }), FULL).replace(/\s+/g, ' '), hint);
});

test('it fits a screen, whatever a server is called and offers', () => {
  const long = 'x'.repeat(400);
  const operations = Array.from({ length: 300 }, (_, index) => ({
    operation: `${index}${long}`,
    method: 'tools/call',
    class: 'read',
    share: 1 / 300,
    example: { [long]: long },
  }));
  const left_out = Array.from({ length: 300 }, (_, index) => ({
    operation: `${long}${index}`,
    reason: `${long}${index % 30}`,
  }));
  const target = { url: `http://${long}`, server: { name: long, version: long } };
  const lines = renderPlan(planned({ operations, left_out, target, title: long }), FULL).split('\n');
  for (const line of lines) assert.ok([...line].length <= WIDTH, line);
  assert.ok(lines.length < 210, `${lines.length} lines`);
});

test('a plan is read from what k6 inspect says, without control characters', () => {
  const plan = planned({ workload: 'evil\u001b[31m\nname' });
  const read = planOf({ scenarios: {}, ext: { 'mcp-load-lab': plan } });
  assert.match(renderPlan(read, FULL), /^workload {2}evil \[31m name$/m);
  assert.equal(read.expected_requests, 7417);
  for (const document of [null, {}, { ext: {} }, { ext: { 'mcp-load-lab': 5 } }])
    assert.throws(() => planOf(document), /^Error: there is no valid test plan: [^\n]+$/);
});

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { K6Metrics, readSummary, validatePlan } from '../../../analysis/summary.js';
import { summaryDocument } from './build.js';

const directory = mkdtempSync(join(tmpdir(), 'mcp-load-lab-summary-'));
after(() => rmSync(directory, { recursive: true }));

/** @param {unknown} content */
function read(content) {
  writeFileSync(
    join(directory, 'summary.json'),
    typeof content === 'string' ? content : JSON.stringify(content),
  );
  return readSummary(directory);
}

const good = () => summaryDocument({ phases: [{ name: 'baseline', figures: {} }] });

test('a summary is read', () => {
  const { summary, problem } = read(good());
  assert.equal(problem, null);
  assert.equal(summary?.plan.test, 'spike');
  assert.equal(summary?.ranS, 20);
});

test('what is missing or broken is one plain line', () => {
  rmSync(join(directory, 'summary.json'), { force: true });
  assert.equal(readSummary(directory).problem, 'k6 left no measured.json');
  assert.match(read('').problem ?? '', /^summary\.json is not JSON: /);
  assert.match(read('{"schema":').problem ?? '', /^summary\.json is not JSON: /);
  // Node says what it found there.
  assert.match(read('\u001b[2J').problem ?? '', /^summary\.json is not JSON: [\x20-\x7e]+$/);
  const kind = good();
  Object.assign(kind.k6.metrics, { 'mcp_failures{phase:baseline,kind:to ol}': { values: { count: 1 } } });
  assert.match(read(kind).problem ?? '', /\/k6\/metrics must match pattern|property name/);
  assert.match(read([]).problem ?? '', /must be object$/);
  assert.match(
    read({ ...good(), schema: 'mcp-load-lab/summary/2' }).problem ?? '',
    /\/schema must be equal to constant$/,
  );
  assert.match(read({ ...good(), started_ms: 'now' }).problem ?? '', /\/started_ms must be number,null$/);
  const wrong = good();
  wrong.plan.phases[0].duration_s = '20';
  assert.match(read(wrong).problem ?? '', /\/plan\/phases\/0\/duration_s must be number$/);
  const { k6, ...rest } = good();
  assert.match(read(rest).problem ?? '', /must have required property 'k6'$/);
  assert.match(read({ ...rest, k6: { metrics: k6.metrics } }).problem ?? '', /'state'$/);
});

test('what the k6 side adds is no error', () => {
  const more = good();
  more.plan.news = { a: 1 };
  more.plan.phases[0].colour = 'red';
  assert.equal(read(more).problem, null);
});

test('a submetric that is absent and one without samples read the same', () => {
  const absent = new K6Metrics({});
  const empty = new K6Metrics({
    'mcp_requests{phase:a}': { values: { count: 0, rate: 0 } },
    'mcp_request_duration{phase:a}': { values: { min: 0, avg: 0, 'p(99)': 0, max: 0, count: 0 } },
    'mcp_request_failed{phase:a}': { values: { rate: 0, passes: 0, fails: 0 } },
    'mcp_failures{phase:a,kind:tool}': { values: { count: 0, rate: 0 } },
    'mcp_failure_seconds{kind:tool}': { values: { value: 0, min: 0, max: 0 } },
  });
  for (const metrics of [absent, empty]) {
    assert.equal(metrics.count('mcp_requests', { phase: 'a' }), 0);
    assert.deepEqual(metrics.latency({ phase: 'a' }), { count: 0, latency: null });
    assert.deepEqual(metrics.failed({ phase: 'a' }), { failed: 0, total: 0 });
    assert.deepEqual(metrics.failures({ phase: 'a' }), {});
    assert.deepEqual(metrics.gauge('mcp_failure_seconds', { kind: 'tool' }), { min: 0, max: 0 });
  }
});

test("k6's names of a Trend's figures, with med where p(50) was not asked for", () => {
  const values = {
    min: 1,
    avg: 2,
    med: 3,
    'p(75)': 4,
    'p(90)': 5,
    'p(95)': 6,
    'p(99)': 7,
    'p(99.9)': 8,
    max: 9,
    count: 10,
  };
  const metrics = new K6Metrics({ 'mcp_request_duration{class:read}': { values } });
  assert.deepEqual(metrics.latency({ class: 'read' }), {
    count: 10,
    latency: { min: 1, avg: 2, p50: 3, p75: 4, p90: 5, p95: 6, p99: 7, p999: 8, max: 9 },
  });
});

test('a Trend that lacks a percentile has no latency rather than a wrong one', () => {
  const metrics = new K6Metrics({
    mcp_request_duration: { values: { min: 1, avg: 2, med: 3, max: 4, count: 5 } },
  });
  assert.deepEqual(metrics.latency({}), { count: 5, latency: null });
});

test('the share of failures is k6\'s Rate: its "passes" are the failures', () => {
  const metrics = new K6Metrics({
    'mcp_request_failed{phase:a}': { values: { rate: 0.25, passes: 5, fails: 15 } },
  });
  assert.deepEqual(metrics.failed({ phase: 'a' }), { failed: 5, total: 20 });
});

test('failures are found by their tag, those of a name alike are not mixed in', () => {
  const metrics = new K6Metrics({
    'mcp_failures{phase:soak-1,kind:tool}': { values: { count: 2 } },
    'mcp_failures{phase:soak-1,kind:connect}': { values: { count: 1 } },
    'mcp_failures{phase:soak-10,kind:tool}': { values: { count: 40 } },
    'mcp_failures{operation:soak-1,kind:tool}': { values: { count: 50 } },
  });
  assert.deepEqual(metrics.failures({ phase: 'soak-1' }), { connect: 1, tool: 2 });
});

test('of a leg that does not count k6 has judged nothing', () => {
  const metrics = new K6Metrics({
    'iterations{phase:step}': { values: { count: 7 }, thresholds: { 'count>=10': { ok: false } } },
  });
  assert.equal(metrics.thresholds().length, 1);
  const unjudged = metrics.withoutThresholds();
  assert.deepEqual(unjudged.thresholds(), []);
  assert.equal(unjudged.count('iterations', { phase: 'step' }), 7);
});

test('figures that k6 can not have counted are refused, not taken for none', () => {
  const key = 'mcp_request_failed{phase:baseline}';
  for (const values of [{ passes: null, fails: 5 }, { fails: 5 }, { passes: -1, fails: 5 }, { count: -1 }]) {
    const document = good();
    document.k6.metrics[key].values = values;
    assert.match(
      read(document).problem ?? '',
      /^summary\.json is not a mcp-load-lab\/summary\/1 document: \/k6/,
    );
  }
  assert.match(read({ ...good(), started_ms: 9e15 }).problem ?? '', /\/started_ms must be <= /);
  const negative = good();
  negative.k6.metrics['mcp_request_duration{phase:baseline}'].values['p(99)'] = -1;
  assert.equal(read(negative).summary?.metrics.latency({ phase: 'baseline' }).latency, null);
});

test('a problem is one line, also where the document has names of its own', () => {
  const document = good();
  document.k6.metrics['a\r\n\u001b[31m'] = 5;
  const { problem } = read(document);
  assert.match(problem ?? '', /must be object$/);
  assert.doesNotMatch(problem ?? '', /\p{Cc}/u);
});

test('a plan is told from what is none', () => {
  assert.equal(validatePlan(good().plan), null);
  assert.match(validatePlan({ ...good().plan, phases: 5 }) ?? '', /^\/plan\/phases must be array$/);
  assert.match(validatePlan(null) ?? '', /^\/plan must be object$/);
});

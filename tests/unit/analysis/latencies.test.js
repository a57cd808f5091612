import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Latencies, latencyText, OUTCOMES } from '../../../analysis/collect/latencies.ts';
import { histogramOf } from './build.js';

/** @param {Record<string, [ms: number, count: number]>} byOutcome */
function latenciesOf(byOutcome) {
  const all = new Latencies();
  const durations = Object.entries(byOutcome).map(([outcome, [ms, count]]) => [
    outcome,
    histogramOf(ms, count),
  ]);
  all.add({ durations: Object.fromEntries(durations) });
  return all;
}

test('every call is in the latency; a figure that too few calls were answered for is a lower bound', () => {
  for (const [unanswered, at_least] of /** @type {[number, string[] | undefined][]} */ ([
    [0, undefined],
    [5, ['avg', 'p999', 'max']],
    [20, ['avg', 'p99', 'p999', 'max']],
    [990, ['avg', 'p50', 'p75', 'p90', 'p95', 'p99', 'p999', 'max']],
    [1000, ['avg', 'min', 'p50', 'p75', 'p90', 'p95', 'p99', 'p999', 'max']],
  ])) {
    const all = latenciesOf({ ok: [20, 1000 - unanswered], unanswered: [10_000, unanswered] });
    assert.equal(all.all.count, 1000);
    assert.equal(all.answered, 1000 - unanswered);
    assert.deepEqual(all.latency?.at_least, at_least, `${unanswered} without an answer`);
  }
});

test('what was refused at once does not look like a timeout, nor the other way round', () => {
  const all = latenciesOf({ ok: [20, 50], rejected: [2, 30], failed: [30, 10], unanswered: [0.2, 10] });
  assert.ok(Math.abs((all.of('ok').latency?.p50 ?? 0) - 20) < 0.1);
  assert.ok(Math.abs((all.of('rejected').latency?.p99 ?? 0) - 2) < 0.1);
  // A refused connection waited for nothing, and has no answer all the same.
  assert.ok(all.latency?.at_least?.includes('p99'));
  assert.match(latencyText(all.latency, 'p99'), /^> 30 ms$/);
  assert.match(latencyText(all.latency, 'p50'), /^20 ms$/);
});

test('a run of measured/1 has the latencies of answered calls alone', () => {
  const all = new Latencies();
  all.add({ duration: histogramOf(5, 7) });
  assert.deepEqual([all.all.count, all.answered, all.latency?.at_least], [7, 7, undefined]);
});

test('the outcomes are those that the client has', () => {
  const names = JSON.parse(readFileSync('xk6-mcp/names.json', 'utf8'));
  assert.deepEqual([...OUTCOMES], Object.values(names.outcomes));
});

test('without a call there is no latency', () => {
  const none = new Latencies();
  none.add({});
  assert.equal(none.latency, null);
  assert.equal(latencyText(null, 'p99'), '-');
});

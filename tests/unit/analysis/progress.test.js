import assert from 'node:assert/strict';
import { test } from 'node:test';
import { line, moments } from '../../../analysis/progress.js';

const PHASES = [
  { name: 'warm-up', measured: false, start_s: 0, duration_s: 30 },
  { name: 'benchmark', measured: true, start_s: 30, duration_s: 60 },
  { name: 'short', measured: true, start_s: 90, duration_s: 8 },
];

test('a line where a phase begins, and every ten seconds of it', () => {
  assert.deepEqual(
    moments(PHASES).map(({ name, seconds, at_s }) => [name, seconds, at_s]),
    [...[0, 10, 20, 30, 40, 50].map((seconds) => ['benchmark', seconds, 30 + seconds]), ['short', 0, 90]],
  );
});

test("as the document has it, with the phase's own figures", () => {
  const metric = (/** @type {string} */ id, /** @type {Record<string, number>} */ sample) => ({
    id,
    attributes: { sample },
  });
  const metrics = [
    metric('mcp_requests', { count: 9999 }),
    metric('mcp_requests{phase:benchmark}', { count: 1000 }),
    metric('mcp_request_duration{phase:benchmark}', { avg: 45.2345 }),
  ];
  const moment = { name: 'benchmark', seconds: 10, at_s: 40 };
  assert.equal(line(moment, metrics), '  10s: 1000 requests, avg latency: 45.23ms');
  assert.equal(line(moment, []), '  10s: 0 requests, avg latency: -');
  assert.equal(line({ ...moment, seconds: 0 }, metrics), 'Running benchmark...');
});

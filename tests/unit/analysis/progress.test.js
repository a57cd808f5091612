import assert from 'node:assert/strict';
import { test } from 'node:test';
import { line, moments, stepLine } from '../../../analysis/progress.js';

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

/** @param {string} id @param {Record<string, number>} sample */
const metric = (id, sample) => ({ id, attributes: { sample } });

test("as the document has it, with the phase's own figures", () => {
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

test('of a sequence the step that it is at, and how much of it is done', () => {
  const step = { measured: true, start_s: 0, duration_s: 1, iterations: 20 };
  const steps = [
    { ...step, name: 'prepare', measured: false },
    { ...step, name: 'list-1' },
    { ...step, name: 'create-1' },
  ];
  assert.equal(stepLine(steps, []), 'step 1 of 2: list-1, 0 of 20 calls');
  const first = metric('mcp_step_iterations{phase:list-1}', { count: 20 });
  const metrics = [first, metric('mcp_requests{phase:create-1}', { count: 7 })];
  assert.equal(stepLine(steps, metrics), 'step 2 of 2: create-1, 7 of 20 calls');
  const second = metric('mcp_step_iterations{phase:create-1}', { count: 20 });
  assert.equal(stepLine(steps, [first, second]), null);
});

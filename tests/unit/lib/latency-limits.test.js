import assert from 'node:assert/strict';
import { test } from 'node:test';
import { profiles } from '../../../contract/profiles.js';
import { latencyLimits } from '../../../lib/latency-limits.js';
import { planObjectives } from '../../../lib/objectives.js';
import { planPhases } from '../../../lib/phases.js';

const phases = planPhases(
  [
    { name: 'one', rate: 10, duration: '10s' },
    { name: 'two', rate: 10, duration: '10s', overload: true },
  ],
  /** @type {any} */ (profiles.smoke),
  { DURATION: null, RATE_SCALE: 1, MAX_VUS: 100 },
);
const operations = /** @type {any[]} */ ([
  { operation: 'get_user', class: 'read' },
  { operation: 'update_user', class: 'write' },
]);

/** @param {import('../../../lib/objectives.js').Objectives} objectives */
const limits = (objectives) =>
  latencyLimits(planObjectives(objectives, '', phases, operations), phases, operations);

test('a request counts for the limits of its phase, its operation, its class and the whole run', () => {
  assert.deepEqual(
    limits({
      all: { p50_ms: 900 },
      each: { p99_ms: 85, p95_ms: 40 },
      'operation:get_user': { p99_ms: 20 },
      'class:write': { p90_ms: 85 },
    }),
    {
      one: { get_user: [20, 40, 85, 900], update_user: [40, 85, 900] },
      two: { get_user: [20, 900], update_user: [85, 900] },
    },
  );
});

test('only limits of percentiles that are known beforehand', () => {
  assert.deepEqual(limits({ each: { failure_share: 0.01, p99_vs_first: 1.3 } }), {
    one: { get_user: [], update_user: [] },
    two: { get_user: [], update_user: [] },
  });
});

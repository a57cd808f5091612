import assert from 'node:assert/strict';
import { test } from 'node:test';
import { profiles } from '../../../contract/profiles.js';
import { planPhases, planSequence, toScenarios } from '../../../lib/phases.js';
import { repeated } from '../../../lib/repetitions.js';

const { smoke, quick, full } =
  /** @type {Record<string, import('../../../contract/profiles.js').Profile>} */ (profiles);

/** @type {import('../../../lib/phases.js').Step[]} */
const STEPS = [
  { name: 'fill', operation: 'fill', iterations: 4, measured: false, once: true },
  { name: 'list', operation: 'list', iterations: 100, warmUps: 20, labels: { suite: 'read' }, pause: '5s' },
  { name: 'renew', operation: 'renew', iterations: 50, quick: 20 },
  { name: 'two', operation: 'two', iterations: 2 },
];

/** @param {import('../../../contract/profiles.js').Profile | undefined} profile */
const plan = (profile = full) =>
  planSequence(repeated(STEPS, 3, /** @type {any} */ (profile)), /** @type {any} */ (profile));

test('a test is repeated round after round; what prepares it is not', () => {
  const rounds = plan(full);
  assert.deepEqual(
    rounds.map(({ name }) => name),
    ['fill', 'list-1', 'renew-1', 'two-1', 'list-2', 'renew-2', 'two-2', 'list-3', 'renew-3', 'two-3'],
  );
  assert.deepEqual(rounds[4]?.labels, { suite: 'read', repetition: 2 });
  assert.equal(rounds[0]?.labels, undefined);
});

test('calls that take seconds are fewer, and not repeated, in every profile but full', () => {
  const calls = (/** @type {any} */ profile) =>
    Object.fromEntries(plan(profile).map(({ name, iterations }) => [name, iterations]));
  assert.deepEqual(calls(quick), {
    ...{ fill: 4, 'list-1': 100, 'renew-1': 20, 'two-1': 2 },
    ...{ 'list-2': 100, 'two-2': 2, 'list-3': 100, 'two-3': 2 },
  });
  assert.equal(calls(full)['renew-3'], 50);
  // Never more than were asked for; what prepares is made in full.
  assert.deepEqual(calls(smoke), { fill: 4, 'list-1': 10, 'renew-1': 3, 'two-1': 2 });
});

test('a test that is not to be repeated stays as it is', () => {
  assert.equal(repeated(STEPS, undefined, /** @type {any} */ (full)), STEPS);
});

test('users that begin together come a second before their phase', () => {
  const shape = [
    { name: 'a', vus: 10, iterations: 50, duration: '4s', leadIn: /** @type {const} */ (true) },
    { name: 'b', vus: 1, iterations: 50, duration: '4s', leadIn: /** @type {const} */ (true) },
  ];
  const config = { DURATION: null, RATE_SCALE: 1, MAX_VUS: 1000 };
  const phases = planPhases(shape, /** @type {any} */ (full), config, { warmUp: '10s' });
  assert.deepEqual(
    phases.map(({ name, start_s }) => [name, start_s]),
    [
      ['warm-up', 0],
      ['a', 11],
      ['b', 16],
    ],
  );
  const scenarios = /** @type {Record<string, any>} */ (toScenarios(phases, 10));
  assert.deepEqual([scenarios.a.startTime, scenarios.a.maxDuration], ['10000ms', '5000ms']);
  assert.deepEqual([scenarios.b.startTime, scenarios.b.maxDuration], ['15000ms', '5000ms']);
});

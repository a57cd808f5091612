import assert from 'node:assert/strict';
import { test } from 'node:test';
import { profiles } from '../../../contract/profiles.js';
import { planPhases, planSequence, toScenarios } from '../../../lib/phases.js';

const CONFIG = { DURATION: null, RATE_SCALE: 1, MAX_VUS: 1000 };
/** @type {import('../../../lib/phases.js').Phase[]} */
const SHAPE = [
  { name: 'calm', rate: 100, duration: '5m' },
  { name: 'spike', rate: 2000, duration: '2m', overload: true },
  { name: 'after', rate: 100, duration: '5m' },
];

/** @param {import('../../../contract/profiles.js').ProfileName} profile @param {Record<string, number>} [config] */
const plan = (profile, config) =>
  planPhases(SHAPE, /** @type {any} */ (profiles[profile]), /** @type {any} */ ({ ...CONFIG, ...config }));

test('full keeps the figures, puts the warm-up in front, and phases follow one another', () => {
  const [warmUp, calm, spike, after] = plan('full');
  assert.deepEqual(
    [warmUp, calm, spike, after].map((phase) => [
      phase?.name,
      phase?.measured,
      phase?.start_s,
      phase?.duration_s,
    ]),
    [
      ['warm-up', false, 0, 30],
      ['calm', true, 30, 300],
      ['spike', true, 330, 120],
      ['after', true, 450, 300],
    ],
  );
  assert.equal(warmUp?.offered_rps, 100);
  assert.equal(spike?.offered_rps, 2000);
  assert.equal(spike?.overload, true);
  assert.equal(after?.overload, false);
});

test('quick shortens to two minutes in the same proportions at the same rate', () => {
  const measured = plan('quick').filter((phase) => phase.measured);
  assert.deepEqual(
    measured.map((phase) => phase.duration_s),
    [50, 20, 50],
  );
  assert.deepEqual(
    measured.map((phase) => phase.offered_rps),
    [100, 2000, 100],
  );
});

test('smoke scales the rate, too; DURATION and RATE_SCALE override', () => {
  assert.deepEqual(
    plan('smoke').map((phase) => phase.offered_rps),
    [20, 20, 400, 20],
  );
  const custom = plan('smoke', { DURATION: 24, RATE_SCALE: 0.5 }).filter((phase) => phase.measured);
  assert.deepEqual(
    custom.map((phase) => [phase.duration_s, phase.offered_rps]),
    [
      [10.6, 10],
      [2.8, 200],
      [10.6, 10],
    ],
  );
});

test('at a low rate phases get the time that a p99 needs: the test grows up to its double, then others give', () => {
  const lengths = (
    /** @type {number} */ scale,
    /** @type {import('../../../contract/profiles.js').ProfileName} */ profile = 'quick',
    limit = {},
  ) =>
    plan(profile, { RATE_SCALE: scale, ...limit })
      .filter(({ measured }) => measured)
      .map(({ duration_s }) => duration_s);
  assert.deepEqual(lengths(0.0212), [50, 20, 50]);
  assert.deepEqual(lengths(0.02), [53, 20, 53]);
  assert.deepEqual(lengths(0.00925), [114.595, 10.811, 114.595]);
  // The spike keeps half of its length, so only the first can have it.
  assert.deepEqual(lengths(0.009), [117.778, 20, 50]);
  assert.deepEqual(lengths(0.004), [50, 20, 50]);
  assert.deepEqual(lengths(0.02, 'quick', { DURATION: 120 }), [53, 14, 53]);
  assert.deepEqual(lengths(0.0034, 'full'), [311.765, 120, 311.765]);
});

test('a short shape is not stretched by a profile, only by DURATION or a low rate', () => {
  const shape = [{ name: 'short', rate: 100, duration: '5s' }];
  const quick = /** @type {any} */ (profiles.quick);
  assert.equal(planPhases(shape, quick, CONFIG).at(-1)?.duration_s, 5);
  assert.equal(planPhases(shape, quick, { ...CONFIG, DURATION: 60 }).at(-1)?.duration_s, 60);
  const slow = (/** @type {number} */ RATE_SCALE) =>
    planPhases(shape, quick, { ...CONFIG, RATE_SCALE }).at(-1);
  assert.equal(slow(0.01)?.duration_s, 106);
  assert.equal(slow(0.008)?.duration_s, 5);
});

test('users: three seconds of latency are covered, MAX_VUS and the phase limit it', () => {
  assert.deepEqual(
    plan('full').map((phase) => phase.max_vus),
    [300, 300, 1000, 300],
  );
  assert.deepEqual(
    plan('full', { MAX_VUS: 50 }).map((phase) => phase.max_vus),
    [50, 50, 50, 50],
  );
  const users = planPhases(
    [{ name: 'x', rate: 850, duration: '30m', users: 100 }],
    /** @type {any} */ (profiles.full),
    CONFIG,
  );
  assert.equal(users.at(-1)?.max_vus, 100);
});

test("iterations stay what they are; the time that they may take is the profile's", () => {
  const shape = [{ name: 'light', vus: 10, iterations: 1000, duration: '60s' }];
  const [warmUp, light] = planPhases(shape, /** @type {any} */ (profiles.smoke), CONFIG);
  assert.equal(warmUp?.iterations, null);
  assert.deepEqual([light?.iterations, light?.duration_s], [1000, 30]);
});

test('each phase is a k6 scenario with its own executor and the tag phase', () => {
  const scenarios = toScenarios(
    planPhases(
      [
        { name: 'open', rate: 0.5, duration: '60s' },
        { name: 'closed', vus: 5, duration: '10s' },
        { name: 'counted', vus: 5, iterations: 50, duration: '10s' },
      ],
      /** @type {any} */ (profiles.full),
      CONFIG,
    ),
    10,
  );
  assert.deepEqual(Object.keys(scenarios), ['warm-up', 'open', 'closed', 'counted']);
  const { open, closed, counted } = /** @type {any} */ (scenarios);
  assert.equal(open.executor, 'constant-arrival-rate');
  assert.deepEqual([open.rate, open.timeUnit], [300, '600s'], 'half a request a second stays that');
  assert.equal(open.preAllocatedVUs, open.maxVUs);
  assert.equal(closed.executor, 'constant-vus');
  assert.deepEqual(
    [counted.executor, counted.iterations, counted.maxDuration],
    ['shared-iterations', 50, '10000ms'],
  );
  for (const [name, scenario] of Object.entries(scenarios)) {
    assert.deepEqual(scenario.tags, { phase: name });
    assert.equal(scenario.gracefulStop, '11000ms', 'a request gets the time to be answered or to time out');
  }
  assert.equal(counted.startTime, '100000ms');
});

test('a DURATION that leaves a phase less than a second is refused with the shortest that does not', () => {
  const shape = [
    { name: 'a', rate: 1, duration: '20s' },
    { name: 'b', rate: 1, duration: '100s' },
  ];
  const short = () => planPhases(shape, /** @type {any} */ (profiles.smoke), { ...CONFIG, DURATION: 5 });
  assert.throws(short, /DURATION is 5 s.*valid: 6s or longer/);
});

test('a phase may rest before it begins, and call one operation; a warm-up is for all of them', () => {
  const planned = planPhases(
    [
      { name: 'a', vus: 2, duration: '10s', operation: 'get_user', labels: { kind: 'simple' } },
      { name: 'b', vus: 2, duration: '10s', operation: 'fetch_weather', pause: '4s' },
    ],
    /** @type {any} */ (profiles.smoke),
    CONFIG,
  );
  assert.deepEqual(
    planned.map(({ name, start_s, duration_s, operation, labels }) => [
      name,
      start_s,
      duration_s,
      operation,
      labels,
    ]),
    [
      ['warm-up', 0, 3, undefined, undefined],
      ['a', 3, 10, 'get_user', { kind: 'simple' }],
      ['b', 17, 10, 'fetch_weather', undefined],
    ],
  );
});

test('a shape that is as written is no profile to change, but for RATE_SCALE and DURATION', () => {
  const shape = [{ name: 'step', rate: 150, duration: '45s' }];
  const smoke = /** @type {any} */ (profiles.smoke);
  const how = { asWritten: true, warmUp: '1s' };
  const [warmUp, step] = planPhases(shape, smoke, CONFIG, how);
  assert.deepEqual([warmUp?.duration_s, step?.duration_s, step?.offered_rps], [1, 45, 150]);
  const [, changed] = planPhases(shape, smoke, { ...CONFIG, DURATION: 5, RATE_SCALE: 2 }, how);
  assert.deepEqual([changed?.duration_s, changed?.offered_rps], [5, 300]);
});

test('a warm-up for every VU: each makes a call, half as many requests a second as the phase, and goes on into it', () => {
  const shape = [{ name: 'step', rate: 200, users: 300, duration: '10s' }];
  const smoke = /** @type {any} */ (profiles.smoke);
  assert.equal(planPhases(shape, smoke, CONFIG, { asWritten: true, warmUp: 'none' })[0]?.measured, true);
  const phases = planPhases(shape, smoke, CONFIG, { asWritten: true, warmUp: 'every VU' });
  assert.deepEqual(
    phases.map(({ start_s, duration_s, max_vus }) => [start_s, duration_s, max_vus]),
    [
      [0, 9, 300],
      [10, 10, 300],
    ],
  );
  assert.equal((phases[0]?.offered_rps ?? 0) * 9, 300);
  const { 'warm-up': warmUp, step } = toScenarios(phases, 10);
  // k6 would start other VUs for a phase that begins before the warm-up's are free.
  assert.equal(warmUp?.gracefulStop, '500ms');
  assert.equal(step?.gracefulStop, '11000ms');
});

test('a warm-up is long enough for the programs that each VU has to start', () => {
  const smoke = /** @type {any} */ (profiles.smoke);
  const lengthOf = (/** @type {any} */ phase, /** @type {any} */ how) =>
    planPhases([{ name: 'a', duration: '30s', ...phase }], smoke, CONFIG, how).map((one) => one.start_s);
  assert.deepEqual(lengthOf({ vus: 40 }, { startS: 0.3 }), [0, 12]);
  assert.deepEqual(lengthOf({ vus: 5 }, { startS: 0.3 }), [0, smoke.warmUpS]);
  assert.deepEqual(lengthOf({ rate: 200, users: 60 }, { startS: 0.5, warmUp: 'every VU' }), [0, 31]);
});

test('a sequence: the profile makes fewer calls and shorter pauses, never fewer than three or of what prepares', () => {
  /** @type {import('../../../lib/phases.js').Step[]} */
  const steps = [
    { name: 'fill', operation: 'create', iterations: 50, measured: false },
    { name: 'list', operation: 'list', iterations: 100, warmUps: 20, pause: '5s', labels: { rows: 50 } },
    { name: 'renew', operation: 'renew', iterations: 5 },
  ];
  const figures = (/** @type {import('../../../contract/profiles.js').ProfileName} */ profile) =>
    planSequence(steps, /** @type {any} */ (profiles[profile])).map(
      ({ measured, iterations, warm_ups, pause_s }) => [measured, iterations, warm_ups, pause_s],
    );
  assert.deepEqual(figures('full'), [
    [false, 50, 0, 0],
    [true, 100, 20, 5],
    [true, 5, 0, 0],
  ]);
  assert.deepEqual(figures('smoke'), [
    [false, 50, 0, 0],
    [true, 10, 2, 0.5],
    [true, 3, 0, 0],
  ]);
});

test('streams: what a phase has more than the one before is opened in the pause before it, and held until a phase has fewer', () => {
  const calls = { rate: 10, duration: '10s' };
  const shape = [
    { ...calls, name: 'none' },
    { ...calls, name: 'ten', streams: 10, pause: '2s' },
    { ...calls, name: 'fifty', streams: 50, pause: '2s' },
    { ...calls, name: 'again', pause: '2s' },
  ];
  const phases = planPhases(shape, /** @type {any} */ (profiles.quick), CONFIG, {
    asWritten: true,
    warmUp: '5s',
  });
  assert.deepEqual(
    phases.map(({ opens }) => opens),
    [
      undefined,
      undefined,
      { streams: 10, vus: 10, from_s: 15, over_s: 2, until_s: 39, ask_s: 51 },
      { streams: 40, vus: 20, from_s: 27, over_s: 2, until_s: 39, ask_s: 51 },
      undefined,
    ],
  );
  assert.deepEqual(
    phases.map(({ streams }) => streams),
    [undefined, undefined, 10, 50, undefined],
  );
  const few = planPhases(shape, /** @type {any} */ (profiles.quick), { ...CONFIG, MAX_VUS: 5 });
  assert.equal(few.find(({ name }) => name === 'fifty')?.opens?.vus, 5);
  const { 'fifty-streams': holding } = toScenarios(phases, 10);
  assert.deepEqual(
    [holding?.startTime, holding?.executor, holding?.tags, holding?.env],
    ['27000ms', 'per-vu-iterations', { phase: 'warm-up' }, { STREAMS_OF: 'fifty' }],
  );
});

test('clients that come in the beginning of a phase and leave before the next are asked for their sessions when others come', () => {
  const calls = { rate: 10, duration: '10s' };
  const shape = [
    { ...calls, name: 'half', streams: 50, pause: '2s' },
    { ...calls, name: 'here', streams: 250, opening: '1s', leaving: /** @type {const} */ ('reset') },
    { ...calls, name: 'gone', streams: 50 },
    { ...calls, name: 'later', streams: 50 },
    { ...calls, name: 'back', streams: 250, opening: '1s' },
  ];
  const phases = planPhases(shape, /** @type {any} */ (profiles.quick), CONFIG, {
    asWritten: true,
    warmUp: 'none',
  });
  const rush = { streams: 200, vus: 100, over_s: 1 };
  assert.deepEqual(
    phases.map(({ opens }) => opens),
    [
      { streams: 50, vus: 20, from_s: 0, over_s: 2, until_s: 52, ask_s: 52 },
      { ...rush, from_s: 12, until_s: 22, ask_s: 42, leaving: 'reset' },
      undefined,
      undefined,
      { ...rush, from_s: 42, until_s: 52, ask_s: 52 },
    ],
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drift } from '../../../analysis/findings/drift.ts';
import { RULES } from '../../../analysis/findings/drift-rules.ts';
import { steadyStretches } from '../../../analysis/findings/steady-stretches.ts';
import { trendOf } from '../../../analysis/findings/stretch-trend.ts';
import { phases } from '../../../analysis/judge/phases.ts';
import { DRIFT } from '../../../analysis/limits.ts';
import { seededRandom } from '../../../contract/seeded-random.js';
import { MACHINE, NO_LEDGER, NO_SERVER, QUIET_LOG, STARTED_MS, summary } from './build.js';
import { normal } from './statistics/reference.js';

const MB = 1e6;
const GB = 1e9;
const MINUTE = 60;

/** @typedef {(seconds: number, random: () => number) => number | null} Series by the time since the run's zero */

/**
 * @typedef {object} Shape
 * @property {number} [seconds] that the windows take together
 * @property {number} [windows]
 * @property {number} [stepS]
 * @property {string} [test]
 * @property {string} [url]
 * @property {Partial<import('./build.js').PhaseSpec>[]} [phases] instead of windows
 */

/**
 * @param {Record<string, [unit: string, series: Series]>} series
 * @param {Shape} [shape]
 * @param {number} [seed]
 * @returns {import('../../../analysis/findings/known.ts').Known}
 */
function known(series, shape = {}, seed = 1) {
  const { seconds = 240, windows = 12, stepS = 2, test = 'soak', url = 'http://127.0.0.1:8000/mcp' } = shape;
  const specs =
    shape.phases ??
    Array.from({ length: windows }, (_, index) => ({
      name: `window-${index + 1}`,
      duration_s: seconds / windows,
    }));
  const warmUp = { name: 'warm-up', measured: false, duration_s: 10 };
  const spec = summary({
    phases: [warmUp, ...specs.map((one, index) => ({ name: `p${index}`, figures: {}, ...one }))],
  });
  spec.plan.test = test;
  spec.plan.target.url = url;
  const all = phases(spec);
  const random = seededRandom(seed);
  const lastS = Math.max(...all.map(({ end }) => Date.parse(end ?? ''))) / 1000;
  const count = Math.floor((lastS - STARTED_MS / 1000) / stepS) + 1;
  /** @type {Record<'client' | 'signals', Record<string, import('../../../analysis/collect/timeline.ts').TimeSeries>>} */
  const made = { client: {}, signals: {} };
  for (const [name, [unit, of]] of Object.entries(series)) {
    const values = Array.from({ length: count }, (_, index) => of(index * stepS, random));
    const [kind, short] = name.startsWith('client.')
      ? /** @type {const} */ (['client', name.slice('client.'.length)])
      : /** @type {const} */ (['signals', name]);
    made[kind][short] = { unit, values };
  }
  return {
    plan: spec.plan,
    phases: all,
    operations: [],
    groups: [],
    failures: [],
    thresholds: [],
    server: NO_SERVER,
    timeline: {
      schema: 'mcp-load-lab/timeline/1',
      testid: 'x',
      start_s: STARTED_MS / 1000,
      step_s: stepS,
      count,
      window_s: 6,
      ...made,
    },
    environment: { ...MACHINE, memory_bytes: 16 * GB },
    expired: 0,
    log: QUIET_LOG,
    recoveries: [],
    capacities: [],
    lines: [],
    buckets: [],
    cores: null,
    clockJumps: [],
    vusMax: 20,
    watches: [],
    ledger: NO_LEDGER,
  };
}

/** @param {Series} series @param {Shape} [shape] @param {number} [seed] */
const ofMemory = (series, shape, seed) => drift(known({ memory: ['bytes', series] }, shape, seed));

/** @param {number} perMinute bytes @param {number} [noise] @returns {Series} */
const leaking =
  (perMinute, noise = 2 * MB) =>
  (seconds, random) =>
    400 * MB + (perMinute * seconds) / MINUTE + noise * normal(random);

/** @param {number} period seconds @param {number} size bytes @returns {(seconds: number) => number} garbage */
const sawtooth = (period, size) => (seconds) => ((seconds % period) / period) * size;

test('a leak is claimed with its pace, its interval and the hours that are left', () => {
  const [finding, ...others] = ofMemory(leaking(60 * MB));
  assert.ok(finding);
  assert.deepEqual(others, []);
  assert.equal(finding.kind, 'leak');
  assert.equal(finding.subject, 'memory');
  assert.equal(finding.phase, null);
  assert.equal(finding.confidence, 'high');
  const { bytes_per_hour: pace, bytes_per_hour_low: low, bytes_per_hour_high: high } = finding.figures;
  assert.ok(Math.abs(Number(pace) / (3600 * MB) - 1) < 0.03, String(pace));
  assert.ok(Number(low) < 3600 * MB && Number(high) > 3600 * MB, `${low} to ${high}`);
  assert.ok(Math.abs(Number(finding.figures.hours_to_limit) / (15.35 / 3.6) - 1) < 0.05);
  assert.match(
    finding.statement,
    /^memory grows by 3\.\d+ GiB an hour \(95 %: .* from window-1 to window-12; .* in 4 h/,
  );
  const [observed] = finding.observations ?? [];
  assert.equal(observed?.series, 'memory');
  assert.ok(Number(observed?.from) < Number(observed?.to));
});

test('what the machine has free is what host_memory leaves', () => {
  const of = (/** @type {number} */ used) =>
    drift(known({ memory: ['bytes', leaking(60 * MB)], host_memory: ['ratio', () => used] }))[0]?.figures
      .hours_to_limit;
  assert.ok(Math.abs(Number(of(0.5)) / (8 / 3.6) - 1) < 0.05, String(of(0.5)));
  assert.ok(Math.abs(Number(of(0.75)) / (4 / 3.6) - 1) < 0.05);
});

test('of a server elsewhere the free memory is not known: when it has doubled is told', () => {
  const [finding] = ofMemory(leaking(60 * MB), { url: 'https://example.org/mcp' });
  assert.equal(finding?.figures.hours_to_limit, null);
  assert.ok(Number(finding?.figures.hours_to_double) > 0);
  assert.match(finding?.statement ?? '', /doubles in/);
});

test('a sawtooth of garbage is no leak, whatever its period', () => {
  for (const period of [7, 20, 45, 90, 170, 400]) {
    for (const phase of [0, 0.3, 0.6]) {
      const saw = sawtooth(period, 100 * MB);
      const found = ofMemory((seconds) => 430 * MB + saw(seconds + phase * period));
      assert.deepEqual(found, [], `period ${period}`);
    }
  }
});

test('a leak under a sawtooth is found at its pace', () => {
  for (const period of [7, 20, 45]) {
    const saw = sawtooth(period, 100 * MB);
    const [finding] = ofMemory(
      (seconds, random) => Number(leaking(120 * MB)(seconds, random)) + saw(seconds),
    );
    assert.ok(finding, `period ${period}`);
    const pace = Number(finding.figures.bytes_per_hour) / 60 / MB;
    assert.ok(Math.abs(pace / 120 - 1) < 0.1, `period ${period}: ${pace}`);
  }
});

test('what levels off is no leak: a heap that warms up, a cache that fills', () => {
  for (const after of [30, 60, 90, 120]) {
    const found = ofMemory(
      (seconds, random) => 200 * MB + 600 * MB * (1 - Math.exp(-seconds / after)) + MB * normal(random),
    );
    assert.deepEqual(found, [], `levels off with ${after} s`);
  }
  const filled = ofMemory(
    (seconds, random) => 200 * MB + 4 * MB * Math.min(seconds, 130) + MB * normal(random),
  );
  assert.deepEqual(filled, []);
});

test('a step is no leak, wherever it is', () => {
  for (const at of [60, 110, 145, 180, 230]) {
    const found = ofMemory((seconds, random) => (seconds < at ? 400 : 900) * MB + 2 * MB * normal(random));
    assert.deepEqual(found, [], `at ${at} s`);
  }
});

test('noise is no leak, and noise that remembers seldom looks like one', () => {
  let [white, wandering] = [0, 0];
  for (let seed = 1; seed <= 200; seed += 1) {
    white += ofMemory((_, random) => 400 * MB + 150 * MB * normal(random), {}, seed).length;
    let value = 0;
    const wander = (/** @type {number} */ _, /** @type {() => number} */ random) => {
      value = 0.97 * value + 40 * MB * normal(random);
      return GB + value;
    };
    wandering += ofMemory(wander, {}, seed).length;
  }
  assert.ok(white <= 1, String(white));
  assert.ok(wandering <= 4, String(wandering));
});

test('the true pace is inside the interval 19 times of 20, also where noise remembers', () => {
  const rule = RULES[0];
  assert.ok(rule);
  for (const memory of [0, 0.7, 0.9]) {
    let inside = 0;
    for (let seed = 1; seed <= 200; seed += 1) {
      let value = 0;
      const facts = known(
        {
          memory: [
            'bytes',
            (seconds, random) => {
              value = memory * value + 10 * MB * normal(random);
              return Number(leaking(120 * MB)(seconds, random)) + value;
            },
          ],
        },
        {},
        seed,
      );
      const [stretch] = steadyStretches(facts);
      const trend = stretch && facts.timeline && trendOf(rule, stretch, facts.timeline);
      if (trend && trend.low <= 7200 * MB && trend.high >= 7200 * MB) inside += 1;
    }
    assert.ok(inside >= 185, `memory ${memory}: ${inside} of 200`);
  }
});

test('growth that is certain, but does not matter, is not told', () => {
  // 1 MB/h: certain after a day, and years from the limit.
  const day = { seconds: 86_400, stepS: 48 };
  assert.deepEqual(ofMemory(leaking(MB / 60, 0.2 * MB), day), []);
  // 200 MB/h for a day: that is a leak.
  const [finding] = ofMemory(leaking((200 * MB) / 60, 20 * MB), day);
  assert.ok(Math.abs(Number(finding?.figures.bytes_per_hour) / (200 * MB) - 1) < 0.05);
  assert.ok(Number(finding?.figures.hours_to_limit) < DRIFT.horizonH);
});

test('gaps are left out, and too many of them are inconclusive', () => {
  const gaps = (/** @type {number} */ share) =>
    ofMemory((seconds, random) => (random() < share ? null : leaking(60 * MB)(seconds, random)));
  assert.equal(gaps(0.3).length, 1);
  assert.equal(gaps(0.95).length, 0);
  assert.deepEqual(
    ofMemory(() => null),
    [],
  );
  assert.deepEqual(drift({ ...known({}), timeline: null }), []);
});

test('connections that are never given back are counted, up to the size of the pool', () => {
  const leaked = (/** @type {number} */ seconds) => Math.floor((seconds * 6) / MINUTE);
  const [finding, ...others] = drift(
    known({
      pool_connections_in_use: ['count', (seconds, random) => leaked(seconds) + Math.floor(3 * random())],
      pool_utilization: ['ratio', (seconds) => leaked(seconds) / 50],
      db_clients: ['count', (seconds) => 10 + leaked(seconds)],
      db_connections: ['ratio', (seconds) => (10 + leaked(seconds)) / 100],
      open_files_count: ['count', (seconds) => 60 + leaked(seconds)],
      open_files: ['ratio', (seconds) => (60 + leaked(seconds)) / 1024],
    }),
  );
  // Their files and their connections to the database are the same ones.
  assert.deepEqual(others, []);
  assert.equal(finding?.subject, 'pool connections');
  assert.ok(
    Math.abs(Number(finding?.figures.count_per_hour) / 360 - 1) < 0.07,
    JSON.stringify(finding?.figures),
  );
  assert.ok(Number(finding?.figures.hours_to_limit) < 0.1);
  // However even the steps are: in 190 s from the first block to the last, one connection is 19 an hour.
  assert.ok(Number(finding?.figures.count_per_hour_low) <= Number(finding?.figures.count_per_hour) - 18);
  assert.ok(Number(finding?.figures.count_per_hour_high) >= Number(finding?.figures.count_per_hour) + 18);
  assert.deepEqual(
    finding?.observations?.map(({ series }) => series),
    ['pool_connections_in_use', 'db_clients', 'open_files_count'],
  );
});

test('sessions that pile up are a leak, as many as there are users are none', () => {
  const of = (/** @type {Series} */ series) => drift(known({ sessions: ['count', series] }));
  assert.equal(of((seconds) => 20 + seconds)[0]?.subject, 'sessions');
  assert.deepEqual(
    of(() => 50),
    [],
  );
});

test('p99 that rises and throughput that falls are notes', () => {
  const found = drift(
    known({
      'client.p99': ['milliseconds', (seconds, random) => 50 + seconds / 10 + normal(random)],
      'client.requests': ['rate', (seconds, random) => 400 - seconds / 10 + 0.5 * normal(random)],
    }),
  );
  assert.deepEqual(
    found.map(({ kind, subject }) => [kind, subject]),
    [
      ['note', 'latency'],
      ['note', 'throughput'],
    ],
  );
  assert.match(found[0]?.statement ?? '', /^p99 grows by 3\d\d ms an hour/);
  assert.match(found[1]?.statement ?? '', /^throughput falls by 3\d\d\/s an hour .* halves in/);
  // What gets better is none.
  assert.deepEqual(drift(known({ 'client.p99': ['milliseconds', (seconds) => 100 - seconds / 10] })), []);
});

test('phases of different loads are never one stretch, nor is a peak one', () => {
  const stretches = (/** @type {Partial<import('./build.js').PhaseSpec>[]} */ specs) =>
    steadyStretches(known({}, { phases: specs })).map(({ phases: names }) => names.join('+'));
  assert.deepEqual(stretches([{}, {}, { offered_rps: 20 }, { offered_rps: 20 }]), ['p0+p1', 'p2+p3']);
  assert.deepEqual(stretches([{}, { overload: true, offered_rps: 100 }, {}]), ['p0', 'p2']);
  assert.deepEqual(stretches([{}, { operation: 'tool x' }, { labels: { size: 1 } }]), ['p0', 'p1', 'p2']);
  assert.deepEqual(stretches([{}, { start_s: 100 }]), ['p0', 'p1']);
  assert.deepEqual(stretches([{ offered_rps: null }]), []);
});

test('memory that follows the load is no leak', () => {
  const ramp = Array.from({ length: 6 }, (_, index) => ({ offered_rps: 10 * (index + 1), duration_s: 40 }));
  assert.deepEqual(ofMemory(leaking(60 * MB), { phases: ramp, test: 'ramp' }), []);
});

test('a soak that is too short says so, another test does not', () => {
  const [finding, ...others] = ofMemory(leaking(60 * MB), { seconds: 60 });
  assert.deepEqual(others, []);
  assert.equal(finding?.confidence, 'inconclusive');
  assert.match(finding?.statement ?? '', /too short .* 1 min of steady load; at least 2 min 30 s needed/);
  assert.deepEqual(ofMemory(leaking(60 * MB), { seconds: 60, test: 'spike' }), []);
  assert.equal(ofMemory(leaking(120 * MB), { seconds: 150 }).length, 1);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COLUMNS } from '../../../analysis/collect/host-watch-record.ts';
import { distrust } from '../../../analysis/findings/trust.ts';
import { phases } from '../../../analysis/judge/phases.ts';
import { ledger } from '../../../analysis/judge/reconcile.ts';
import { judgeThresholds } from '../../../analysis/judge/thresholds.ts';
import {
  histogramOf,
  MACHINE,
  NO_SERVER,
  objective,
  QUIET_LOG,
  STARTED_MS,
  signal,
  summary,
} from './build.js';

const START_S = STARTED_MS / 1000;
const CALM = { phases: [{ name: 'a', figures: { avg: 20 } }] };

/**
 * @param {import('./build.js').Spec} spec
 * @param {Partial<import('../../../analysis/findings/known.ts').Known>} [rest]
 */
function judge(spec, rest = {}) {
  const made = summary(spec);
  const { plan } = made;
  const all = phases(made);
  const { reasons, findings } = distrust({
    plan,
    phases: all,
    operations: [],
    groups: [],
    failures: [],
    thresholds: judgeThresholds({ ...made, phases: all }),
    server: NO_SERVER,
    timeline: null,
    recoveries: [],
    capacities: [],
    lines: [],
    buckets: [],
    cores: null,
    clockJumps: [],
    environment: MACHINE,
    log: QUIET_LOG,
    vusMax: 20,
    watches: [],
    expired: 0,
    ledger: ledger([made], all),
    ...rest,
  });
  return { reasons: [...reasons.figures, ...reasons.load], findings };
}

/**
 * A watcher of a machine with two processors, that saw the same all the time.
 *
 * @param {Partial<Record<typeof COLUMNS[number], number>>} perSecond
 * @param {Partial<import('../../../analysis/collect/host-watch-record.ts').HostWatch>} [rest]
 * @returns {import('../../../analysis/collect/host-watch-record.ts').HostWatch}
 */
function watch(perSecond, rest = {}) {
  const seconds = Array.from({ length: 200 }, (_, index) => index - 5);
  return {
    schema: 'mcp-load-lab/host-watch/1',
    cores: 2,
    target: 'own',
    columns: [...COLUMNS],
    points: seconds.map((second) => [
      START_S + second,
      ...COLUMNS.slice(1).map((column) => {
        const each = perSecond[column];
        return each === undefined ? null : each * second;
      }),
    ]),
    others: seconds.map(() => [['cc1', perSecond.other ?? 0]]),
    ...rest,
  };
}

const WELL = { other: 0.1 };

/**
 * Seconds in which k6's own process fared the same all the time.
 *
 * @param {number} lateMs by which its timer came late
 * @param {number} [cpu] processors that it kept busy, of the two that it may use
 */
const generator = (lateMs, cpu = 0.3) => ({
  cores: 2,
  lines: Array.from({ length: 200 }, (_, index) => ({
    second: {
      at: START_S + index - 5,
      vus: 1,
      timerLateness: histogramOf(lateMs, 20),
      cpuMicroseconds: cpu * 1e6,
    },
    groups: new Map(),
  })),
});

test('nothing to say against a run as it should be, nor against one that nobody watched', () => {
  assert.deepEqual(judge(CALM), { reasons: [], findings: [] });
  assert.deepEqual(judge(CALM, { watches: [watch(WELL)], ...generator(0.5) }), { reasons: [], findings: [] });
});

test('a generator that uses what it may', () => {
  const { reasons, findings } = judge(CALM, generator(0.5, 1.8));
  assert.match(reasons[0] ?? '', /used 90 % of its allowed CPU in a; above 80 % .*; offer less/);
  const [found] = findings;
  assert.deepEqual([found?.kind, found?.phase, reasons.length], ['generator', 'a', 1]);
  assert.deepEqual(found?.observations, [
    { series: 'generator_allowed', unit: 'ratio', from: null, to: 0.9, threshold: 0.8, at: null },
  ]);
  assert.deepEqual(judge(CALM, generator(0.5, 1.59)).reasons, []);
});

test('a search may go too far: what it found is held afterwards', () => {
  const of = (/** @type {string} */ kind) => ({
    phases: [{ ...CALM.phases[0], name: 'a', labels: { kind } }],
  });
  assert.deepEqual(judge(of('step'), generator(0.5, 1.8)).reasons, []);
  assert.equal(judge(of('hold'), generator(0.5, 1.8)).reasons.length, 1);
});

test('if k6 does not say, its share of the machine counts', () => {
  const server = { ...NO_SERVER, signals: [signal('generator_cpu', 'a', 0.93)] };
  assert.match(judge(CALM, { server }).reasons[0] ?? '', /used 93 % of the machine's CPU in a/);
  const calm = { ...NO_SERVER, signals: [signal('generator_cpu', 'a', 0.8), signal('cpu', 'a', 0.99)] };
  assert.deepEqual(judge(CALM, { server: calm }).reasons, []);
  // Who may use two of eight processors is not idle at a fifth of the machine.
  const small = { ...NO_SERVER, signals: [signal('generator_cpu', 'a', 0.2)] };
  assert.match(
    judge(CALM, { server: small, ...generator(0.5, 1.9) }).reasons[0] ?? '',
    /used 95 % of its allowed CPU/,
  );
});

test('a generator that gets to its answers late, against what a call takes', () => {
  const starved = judge(CALM, { watches: [watch({ ...WELL, other: 1 })], ...generator(8) });
  assert.match(
    starved.reasons[0] ?? '',
    /short of CPU in a: answers waited 8.0\d ms for k6, while a call took 20 ms; cc1 uses it; give k6 more CPU/,
  );
  const slowServer = { phases: [{ name: 'a', figures: { avg: 900 } }] };
  assert.deepEqual(judge(slowServer, generator(8)).reasons, []);
  const quick = { phases: [{ name: 'a', figures: { avg: 0.8 } }] };
  assert.deepEqual(judge(quick, generator(0.6)).reasons, [], 'as any answer');
});

test('too few ticks make no mean', () => {
  const short = {
    phases: [
      { name: 'a', duration_s: 2, figures: { avg: 20 } },
      { name: 'b', duration_s: 2, figures: { avg: 20 } },
    ],
  };
  assert.deepEqual(judge(short, generator(8)).reasons, []);
  const longer = { phases: [...short.phases, { name: 'c', duration_s: 1.5, figures: { avg: 20 } }] };
  assert.match(judge(longer, generator(8)).reasons[0] ?? '', /short of CPU in a to c:/);
});

test('a generator that is too late to see any answer', () => {
  const timeouts = { phases: [{ name: 'a', figures: { answered: 0, failures: { timeout: 200 } } }] };
  const late = (/** @type {number} */ ms) => judge(timeouts, generator(ms)).reasons.join();
  assert.equal(late(20), '');
  // A tick that is 790 ms late stands for those that it left out: 415 ms on average.
  assert.match(late(790), /waited 41\d ms for k6, while no call was answered; give k6/);
});

test('in an overload, and with users without a pause, k6 may wait for longer: the machine is meant to be full', () => {
  const overload = {
    phases: [
      { name: 'a', figures: { avg: 100 } },
      { name: 'b', overload: true, figures: { avg: 100 } },
      { name: 'c', offered_rps: null, vus: 20, figures: { avg: 100 } },
    ],
  };
  const share = (/** @type {number} */ ms) => judge(overload, generator(ms)).reasons[0] ?? '';
  assert.equal(share(24), '');
  assert.match(share(35), /short of CPU in a:/);
  assert.match(share(110), /short of CPU in a and 2 other phases:/);
});

test('another heavy process, alongside a target of ours, and alongside one that may have more of them', () => {
  const heavy = { ...WELL, other: 0.9 };
  const { reasons, findings } = judge(CALM, { watches: [watch(heavy)] });
  assert.match(
    reasons[0] ?? '',
    /^other processes used 45 % of the machine's CPU in a, most of it by "cc1": above 20 % the result is not trusted; stop them/,
  );
  assert.deepEqual([findings[0]?.kind, findings[0]?.subject], ['note', 'other processes']);
  const allowed = { ...summary(CALM).plan, other_cpu_limit: 0.5 };
  const told = judge(CALM, { plan: allowed, watches: [watch(heavy)] });
  assert.deepEqual([told.reasons, told.findings.length], [[], 1]);
  assert.match(
    told.findings[0]?.statement ?? '',
    /^other processes used 45 % .*, most of it by "cc1", which MAX_BACKGROUND_CPU allowed$/,
  );
  for (const target of /** @type {const} */ (['found', 'unknown'])) {
    const alongside = judge(CALM, { watches: [watch(heavy, { target })] });
    assert.deepEqual([alongside.reasons.length, alongside.findings.length], [0, 1]);
  }
  const far = judge(CALM, { watches: [watch(heavy, { target: 'elsewhere' })] });
  assert.deepEqual(far, { reasons: [], findings: [] });
});

test('phases that are too short are looked at together; of many that are bad there is one reason', () => {
  const steps = (/** @type {number} */ duration_s) => ({
    phases: ['a', 'b', 'c'].map((name) => ({ name, duration_s, figures: { avg: 20 } })),
  });
  const watches = [watch({ ...WELL, other: 0.9 })];
  assert.match(judge(steps(2), { watches }).reasons.join(), /in a to c, most of it by/);
  const { reasons } = judge(steps(20), { watches });
  assert.equal(reasons.length, 1);
  assert.match(reasons[0] ?? '', /in a and 2 other phases, most of it by/);
});

test('a clock that jumped', () => {
  const clockJumps = [{ at: STARTED_MS + 3000, by: -90 }];
  assert.match(
    judge(CALM, { clockJumps }).reasons[0] ?? '',
    /clock jumped back by 1 min 30 s during the run: .*; set the clock/,
  );
});

test('a phase without a request', () => {
  const { reasons } = judge({ phases: [...CALM.phases, { name: 'b' }] });
  assert.equal(reasons.length, 1);
  assert.match(reasons[0] ?? '', /^b had no requests and cannot be judged; /);
  const cut = judge({ phases: [...CALM.phases, { name: 'b', figures: {} }], ranS: 19 });
  assert.match(cut.reasons[0] ?? '', /the run ended before this phase/);
});

test('an operation that should have been called', () => {
  const operations = [
    { operation: 'one', method: 'tools/call', class: 'read', share: 0.9 },
    { operation: 'two', method: 'tools/call', class: 'read', share: 0.1 },
  ];
  const seen = (/** @type {number} */ ofTwo) =>
    judge(
      { ...CALM, plan: { operations } },
      {
        operations: operations.map(
          ({ operation }, index) => /** @type {any} */ ({ operation, requests: [180, ofTwo][index] }),
        ),
      },
    ).reasons.join();
  assert.equal(seen(20), '');
  assert.match(seen(0), /^two was never called, although about 20 calls were planned/);
});

/** @param {import('./build.js').PhaseFigures} figures @param {Partial<import('./build.js').PhaseSpec>} [rest] */
const short = (figures, rest) => ({
  name: 'a',
  offered_rps: 100,
  figures: { iterations: 1000, dropped: 1000, ...figures },
  ...rest,
});

test('load that the generator did not make, with nothing that asks for it', () => {
  const { reasons, findings } = judge({ phases: [short({ avg: 5 })], plan: { objectives_off: true } });
  assert.match(
    reasons[0] ?? '',
    /^a delivered 50 % of its load: the load generator fell short.*; give the generator more CPU/,
  );
  assert.equal(findings[0]?.kind, 'generator');
  const asked = { phases: [short({ avg: 5 })], objectives: [objective('a', 'delivered_share', '>=', 0.95)] };
  assert.deepEqual(judge(asked).reasons, [], 'the objective says so itself');
  assert.deepEqual(judge({ phases: [short({ avg: 900 })] }).reasons, [], 'the server was slow');
});

test('what an overload left in the queue keeps all users at first, and load is missing then', () => {
  const after = (/** @type {number} */ avg) =>
    judge({
      phases: [
        { name: 'calm', figures: { avg: 6 } },
        short({ iterations: 1600, dropped: 400, avg }, { max_vus: 300 }),
      ],
    }).reasons.join();
  // 80 calls a second: 104 of 300 users busy on average, where a fifth of the load is missing.
  assert.equal(after(1300), '');
  assert.match(after(500), /kept 40 of 300 VUs busy/);
});

test('users that were too few, though the server was quick', () => {
  const few = (/** @type {number} */ avg, /** @type {Partial<import('./build.js').Spec>} */ rest = {}) =>
    judge({ phases: [short({ avg }, { max_vus: 1 })], ...rest }).reasons.join();
  assert.match(
    few(18),
    /: 1 VU is too few; set MAX_VUS to 4 or more \(a mean latency .* kept 0\.9 of 1 VU busy/,
  );
  const within = { objectives: [objective('a', 'p99_ms', '<', 85)] };
  assert.match(few(18, within), /which is not slow: 85 ms are allowed/);
  assert.equal(few(90, within), '', 'slower than it may be');
});

test('an overload may fall short where the server was the reason, not where it was idle', () => {
  const spike = (
    /** @type {number} */ avg,
    /** @type {import('../../../analysis/collect/signals.ts').Signal[]} */ signals = [],
  ) =>
    judge(
      {
        phases: [
          { name: 'calm', figures: { avg: 10 } },
          {
            name: 'a',
            offered_rps: 2000,
            overload: true,
            max_vus: 12,
            figures: { iterations: 9000, dropped: 31_000, avg },
          },
        ],
      },
      { server: { ...NO_SERVER, signals } },
    ).reasons.join();
  assert.equal(spike(44), '', 'busy users of a slow server');
  assert.match(
    spike(15),
    /^a delivered 22.5 % of its load: 12 VUs are too few; set MAX_VUS to 60 or more .*it was 10 ms in calm\)/,
  );
  assert.match(spike(15, [signal('worker_cpu', 'a', 0.3)]), /VUs are too few/);
  assert.equal(spike(15, [signal('worker_cpu', 'a', 0.98)]), '', 'a server at its limit');
  assert.equal(spike(15, [signal('worker_cpu', 'a', 0.3), signal('pool_utilization', 'a', 1)]), '');
  assert.match(spike(5, [signal('cpu', 'a', 0.3)]), /the load generator fell short/);
});

/** @param {number} count @param {number} [fromS] */
const failedPushes = (count, fromS = 2) => ({
  ...QUIET_LOG,
  failedPushesS: Array.from({ length: count }, (_, index) => START_S + fromS + 2 * index),
});

test('writes to Prometheus that failed are a note: the figures come from the output lab', () => {
  const kept = judge(CALM, { log: failedPushes(4) });
  assert.deepEqual(kept.reasons, []);
  assert.match(
    kept.findings[0]?.statement ?? '',
    /could not write to Prometheus for 40 % of a: charts and findings miss/,
  );
  assert.match(kept.findings[0]?.evidence[0] ?? '', /^4 writes of 2 s each failed between 2026-/);
  assert.deepEqual(judge(CALM, { log: failedPushes(4, 100) }).findings, [], 'after the phases');
});

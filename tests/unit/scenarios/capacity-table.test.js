import assert from 'node:assert/strict';
import { test } from 'node:test';
import { near, runOf, signal, summary } from '../analysis/build.js';
import { rowsOf } from './rows-of.js';

/** @typedef {import('../../../scenarios/capacity/trials.ts').Tried} Tried */

/** @param {Partial<Tried>[]} steps @returns {Tried[]} */
const tries = (steps) =>
  steps.map((one, index) => ({
    trial: `${one.kind ?? 'step'}-${index + 1}`,
    rate: 100,
    kind: 'step',
    holds: true,
    generator: false,
    missed: [],
    ...one,
  }));

/** @type {import('../../../scenarios/capacity/search-rate.ts').Found} */
const FOUND = { rate: 100, broken: 110, generator: false, most: false, lowered: 0 };
const MISSED = ['p99 < 380 ms'];
const HELD = {
  scope: { phase: 'hold-3' },
  metric: 'p99_ms',
  expression: 'p99_ms < 380',
  op: '<',
  limit: 380,
};
const THRESHOLDS = [
  {
    ...HELD,
    relative_to: null,
    observed: 50,
    samples: 200,
    ok: true,
    outcome: /** @type {const} */ ('pass'),
    reason: null,
    k6: null,
    disputed: false,
  },
];

/**
 * @param {Tried[]} tried
 * @param {Partial<typeof FOUND>} found
 * @param {import('../../../analysis/collect/signals.ts').Signal[]} [signals]
 * @param {string} [of]
 */
async function capacityOf(tried, found, signals = [], of = 'rate') {
  const phases = tried.map(({ trial, rate }) => ({
    name: trial,
    offered_rps: rate,
    figures: { iterations: 20 * rate },
  }));
  const result = { of, found: { ...FOUND, ...found }, tried, precision: 0.1, thresholds: THRESHOLDS };
  return runOf(
    {
      summary: summary({ phases, plan: { test: 'capacity' } }),
      trials: { trials: [], error: null, result },
    },
    { signals },
  );
}

const STEPS = tries([
  { rate: 100 },
  { rate: 110, holds: false, missed: MISSED },
  { rate: 100, kind: 'hold' },
]);

/** @param {Awaited<ReturnType<typeof capacityOf>>} run */
const findingOf = (run) => run.findings.find(({ subject }) => subject === 'capacity');

test('of processes it is how many were held, and what memory they took', async () => {
  const memory = signal('memory', 'step-1', 4e9);
  const run = await capacityOf(STEPS, { lowered: 2 }, [memory], 'processes');
  assert.equal(
    findingOf(run)?.statement,
    '100 processes, held for 20 s after 2 higher numbers of processes broke while held; at 110 processes, the server misses p99 < 380 ms',
  );
  const search = run.tables.find(({ title }) => title === 'Capacity: the search');
  assert.deepEqual(
    search?.columns.slice(0, 2).map(({ name, unit }) => [name, unit]),
    [
      ['step', 'text'],
      ['processes', 'count'],
    ],
  );
  const column = search?.columns.findIndex(({ name }) => name === 'memory') ?? -1;
  assert.deepEqual(
    search?.rows.map((row) => row[column]),
    [4e9, null, null],
  );
  const most = await capacityOf(STEPS, { broken: null, most: true }, [], 'processes');
  assert.match(
    findingOf(most)?.statement ?? '',
    /^at least 100 processes, .*: nothing higher was tried \(MAX_VUS\)$/,
  );
});

test('the capacity is what was held, with what breaks above it; its hold is what is judged', async () => {
  const run = await capacityOf(STEPS, {});
  near(rowsOf(run.tables[0]), [
    {
      ...{ capacity: 100, 'held for': 20, p99: 50, failed: 0 },
      ...{ 'breaks at': 110, 'limited by': 'p99 < 380 ms' },
    },
  ]);
  assert.equal(run.tables[1]?.rows.length, 3);
  assert.equal(findingOf(run)?.statement, '100/s, held for 20 s; at 110/s, the server misses p99 < 380 ms');
  near(
    run.thresholds.map(({ metric }) => metric),
    ['p99_ms'],
  );
  assert.equal(run.verdict.exit_code, 0);
});

test('a hold that broke is said', async () => {
  const steps = tries([
    { rate: 110 },
    { rate: 110, kind: 'hold', holds: false, missed: MISSED },
    { rate: 100, kind: 'hold' },
  ]);
  const statement = findingOf(await capacityOf(steps, { lowered: 1 }))?.statement ?? '';
  assert.match(
    statement,
    /^100\/s, held for 20 s after 1 higher rate broke while held; at 110\/s, the server misses/,
  );
});

test("a load generator at its limit is not the server's capacity", async () => {
  const unmade = tries([
    { rate: 100 },
    { rate: 200, holds: false, generator: true },
    { rate: 100, kind: 'hold' },
  ]);
  const run = await capacityOf(unmade, { generator: true, broken: null });
  assert.equal(findingOf(run)?.kind, 'generator');
  assert.match(
    findingOf(run)?.statement ?? '',
    /^at least 100\/s, .* the load generator was the limit, not the server/,
  );
  assert.equal(rowsOf(run.tables[0])[0]?.['limited by'], 'the load generator');

  const busy = await capacityOf(STEPS, {}, [signal('generator_cpu', 'step-2', 0.9)]);
  assert.match(findingOf(busy)?.statement ?? '', /the load generator was the limit/);
  assert.equal(rowsOf(busy.tables[0])[0]?.['breaks at'], null, 'it is not known where the server breaks');
  assert.equal(busy.verdict.outcome, 'invalid');
});

test('a step for which no VU was free: at least what was held, and what of the server was full', async () => {
  const short = tries([
    { rate: 100 },
    { rate: 200, holds: false, generator: true, users: true },
    { rate: 100, kind: 'hold' },
  ]);
  const found = { generator: true, broken: null };
  const run = await capacityOf(short, found);
  assert.match(
    findingOf(run)?.statement ?? '',
    /^at least 100\/s, held for 20 s: at 200\/s no VU was free; raise MAX_VUS/,
  );
  assert.equal(findingOf(run)?.kind, 'generator');
  assert.equal(rowsOf(run.tables[0])[0]?.['limited by'], 'MAX_VUS');
  const full = findingOf(await capacityOf(short, found, [signal('busiest_thread', 'step-2', 0.97)]));
  assert.match(
    full?.statement ?? '',
    /: at 200\/s no VU was free and the server's busiest thread was at 97 %; raise MAX_VUS/,
  );
  assert.equal(full?.kind, 'bottleneck');
});

test('more than the most was not tried; nothing held is a failure', async () => {
  const most = await capacityOf(tries([{}, { kind: 'hold' }]), { broken: null, most: true });
  assert.match(
    findingOf(most)?.statement ?? '',
    /^at least 100\/s, .*: nothing higher was tried \(MAX_RATE\)$/,
  );
  const steps = tries([{ rate: 1, holds: false, missed: MISSED }]);
  const none = await capacityOf(steps, { rate: null, broken: 1 });
  assert.match(findingOf(none)?.statement ?? '', /^no rate held: p99 < 380 ms/);
  assert.equal(none.verdict.exit_code, 99);
  assert.match(none.verdict.reasons.join(), /the highest rate that held was 0\/s/);
});

test('a machine that is busy with something else is said', async () => {
  const cpu = (/** @type {number} */ target) => [
    signal('host_cpu', 'step-2', 1),
    signal('cpu', 'step-2', target),
    signal('generator_cpu', 'step-2', 0.01),
  ];
  const busy = findingOf(await capacityOf(STEPS, {}, cpu(0.04)));
  assert.match(busy?.statement ?? '', /: other programs used the machine \(100 %, of which the target 4 %/);
  const own = findingOf(await capacityOf(STEPS, {}, cpu(0.6)));
  assert.doesNotMatch(own?.statement ?? '', /other programs/);
});

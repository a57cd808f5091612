import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rounds } from '../../../cli/trials/rounds.ts';
import scalingTable from '../../../scenarios/scaling/table.ts';
import { check, settingsFor } from '../../../scenarios/scaling/trials.ts';
import { variables } from '../../../scenarios/scaling/variables.ts';
import { near } from '../analysis/build.js';
import { rowsOf } from './rows-of.js';

test('all instances together have no more connections than the database', () => {
  assert.deepEqual(settingsFor(4, ''), { WORKERS: '1', POOL_SIZE: '22' });
  assert.deepEqual(settingsFor(2, 'WORKERS=2 POOL_SIZE=10'), { WORKERS: '2', POOL_SIZE: '10' });
  assert.throws(() => settingsFor(32, 'WORKERS=4'), /INSTANCES has 32, with 4 workers each/);
});

test('it is for tools without sessions', () => {
  process.env.SESSIONS = '1';
  try {
    assert.throws(() => check(), /SESSIONS is "1"/);
  } finally {
    delete process.env.SESSIONS;
  }
  assert.doesNotThrow(() => check());
});

test('numbers of instances', () => {
  assert.deepEqual(variables.INSTANCES.type.parse('4 1,2 2'), [1, 2, 4]);
  for (const wrong of ['0', '33', '1 x', '-1'])
    assert.equal(variables.INSTANCES.type.parse(wrong), undefined);
});

test('each round has everything once, and every second is the one before from behind', () => {
  const [first = [], second, third = []] = rounds(['a', 'b', 'c'], 3, () => 0.5);
  assert.deepEqual(second, first.toReversed());
  assert.deepEqual([...first].sort(), ['a', 'b', 'c']);
  assert.deepEqual([...third].sort(), ['a', 'b', 'c']);
});

/** @param {number} instances @param {number} round @param {number} requests */
const phase = (instances, round, requests) => ({
  name: `i${instances}-r${round}`,
  measured: true,
  labels: { instances: String(instances), round: String(round) },
  duration_s: 10,
  requests,
  failed: 0,
  latency_ms: { p99: 100 * instances + round },
});

/** @param {number | null} price @param {number} host */
async function build(price, host) {
  const phases = [phase(1, 1, 1000), phase(1, 2, 1200), phase(2, 1, 1600), phase(2, 2, 1480)];
  const facts = {
    phases,
    trials: {
      trials: [],
      result: {
        users: 20,
        repeats: 2,
        price,
        settings: { WORKERS: '1', POOL_SIZE: '22' },
        phases: Object.fromEntries(
          phases.map(({ name }) => [name, { cores: { instances: 1, PostgreSQL: 0.5 }, busiest: 0.51 }]),
        ),
      },
    },
    signals: phases.flatMap(({ name }) => [
      { signal: 'host_cpu', phase: name, avg: host },
      { signal: 'generator_cpu', phase: name, avg: 0.1 },
    ]),
    environment: { cores: 2 },
    note: (/** @type {string} */ subject, /** @type {string} */ statement) => ({ subject, statement }),
  };
  return scalingTable(/** @type {any} */ (facts));
}

test('throughput is of all rounds together; efficiency is against the fewest instances', async () => {
  const { tables, findings } = await build(null, 0.97);
  const [one, two] = rowsOf(tables[0]);
  assert.deepEqual([one?.total, one?.['per instance'], one?.efficiency], [110, 110, 1]);
  assert.deepEqual([two?.total, two?.['per instance'], two?.efficiency], [154, 77, 0.7]);
  assert.equal(two?.p99, 201.5);
  assert.equal(two?.["rounds' total"], '148 to 160');
  assert.ok(two && !('cost/hour' in two), 'no price, no column');
  near(rowsOf(tables[1])[0], {
    ...{ instances: 1, 'for them': 1, PostgreSQL: 0.5 },
    ...{ generator: 0.2, others: 0.24, machine: 0.97 },
  });
  assert.match(
    String(findings?.[0]?.statement),
    /with 2 or more instances, efficiency is 70 %: the machine \(2 processors, 97 % busy\)/,
  );
});

test('costs come from the price that was given', async () => {
  const { tables } = await build(0.2, 0.5);
  const [one, two] = rowsOf(tables[0]);
  assert.equal(two?.['cost/hour'], 0.4);
  assert.ok(Math.abs(Number(one?.['cost/1M']) - 0.2e6 / (110 * 3600)) < 1e-9);
});

test('what the machine does not explain is not blamed on it', async () => {
  const { findings } = await build(null, 0.5);
  assert.match(String(findings?.[0]?.statement), /not the machine \(50 % busy\)/);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { searchRate } from '../../../scenarios/capacity/search-rate.ts';

const BOUNDS = { start: 50, max: 10_000, precision: 0.1 };

/**
 * A server that holds up to a rate, and for long up to another.
 * @param {{steps: number, holds?: number, generator?: number}} limits
 */
function server({ steps, holds = steps, generator = Number.POSITIVE_INFINITY }) {
  /** @type {number[]} */
  const tried = [];
  /** @param {number} limit */
  const upTo = (limit) => async (/** @type {number} */ rate) => {
    tried.push(rate);
    return { holds: rate <= limit && rate <= generator, generator: rate > generator };
  };
  return { tried, step: upTo(steps), hold: upTo(holds) };
}

/** @param {Parameters<typeof server>[0]} limits @param {Partial<typeof BOUNDS>} [bounds] */
async function search(limits, bounds = {}) {
  const { tried, step, hold } = server(limits);
  return { tried, found: await searchRate({ ...BOUNDS, ...bounds }, step, hold) };
}

for (const limit of [3, 37, 50, 51, 170, 730, 1234, 9999]) {
  test(`a server that holds ${limit}/s is found to within the precision`, async () => {
    const { tried, found } = await search({ steps: limit });
    assert.ok(found.rate !== null && found.rate <= limit && found.rate > limit / 1.12, JSON.stringify(found));
    assert.ok(found.broken !== null && found.broken > limit && found.broken <= found.rate * 1.12);
    assert.deepEqual([found.generator, found.lowered], [false, 0]);
    assert.ok(tried.length < 22, `${tried.length} steps`);
    assert.equal(tried.at(-1), found.rate, 'held last of all');
  });
}

test('a hold that breaks is followed by a lower one', async () => {
  const { tried, found } = await search({ steps: 200, holds: 175 });
  assert.deepEqual([found.rate, found.lowered, found.broken], [162, 2, 180]);
  assert.deepEqual(tried.slice(-3), [200, 180, 162]);
});

test('a server that holds nothing for long has no capacity', async () => {
  const { found } = await search({ steps: 200, holds: 20 });
  assert.deepEqual([found.rate, found.lowered], [null, 4]);
  assert.equal((await search({ steps: 0 })).found.rate, null);
});

test('one bad moment does not decide', async () => {
  let calls = 0;
  const { step, hold } = server({ steps: 400 });
  const found = await searchRate(
    BOUNDS,
    (rate) => (++calls === 2 ? Promise.resolve({ holds: false, generator: false }) : step(rate)),
    hold,
  );
  assert.equal(found.rate, 400);
});

test("what the generator can not make is not the server's limit", async () => {
  const { found } = await search({ steps: 5000, generator: 700 });
  assert.deepEqual([found.rate, found.broken, found.generator], [400, null, true]);
});

test('no more than the most is tried', async () => {
  const { tried, found } = await search({ steps: 5000 }, { max: 300 });
  assert.deepEqual([found.rate, found.most, found.broken], [300, true, null]);
  assert.equal(Math.max(...tried), 300);
});

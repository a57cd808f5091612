import assert from 'node:assert/strict';
import { connect, createServer } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { createClient } from 'redis';
import { readMetrics, useTool } from './client.js';
import { Services, until } from './services.js';

const services = new Services();
/** @type {pg.Client} */
let database;

before(async () => {
  await services.start();
  await (await services.startTarget({ CACHE_STRATEGY: 'none' })).stop();
  database = new pg.Client(services.databaseUrl);
  await database.connect();
});
after(async () => {
  await database.end();
  await services.stop();
});

const CACHED = ['read-through', 'write-through', 'write-behind'];

describe('a read', () => {
  test('always asks the database without a cache', async () => {
    const target = await services.startTarget({ CACHE_STRATEGY: 'none' });
    await useTool(target, 'get_user', { user_id: 1 });
    await changeInDatabase(1, 'Behind');
    assert.equal((await useTool(target, 'get_user', { user_id: 1 })).user.city, 'Behind');
    assert.equal((await readMetrics(target))('cache_misses_total{tool="get_user"}'), 0);
    await target.stop();
  });

  for (const CACHE_STRATEGY of CACHED) {
    test(`is a miss, then hits, then a miss again after the lifetime: ${CACHE_STRATEGY}`, async () => {
      const target = await services.startTarget({ CACHE_STRATEGY, CACHE_TTL: '1' });
      const { city } = (await useTool(target, 'get_user', { user_id: 2 })).user;
      await changeInDatabase(2, `not ${city}`);
      for (let n = 0; n < 3; n++)
        assert.equal((await useTool(target, 'get_user', { user_id: 2 })).user.city, city);
      await sleep(1100);
      assert.equal((await useTool(target, 'get_user', { user_id: 2 })).user.city, `not ${city}`);

      const metrics = await readMetrics(target);
      assert.equal(metrics('cache_hits_total{tool="get_user"}'), 3);
      assert.equal(metrics('cache_misses_total{tool="get_user"}'), 2);
      assert.equal(metrics('cache_hit_rate{cache_type="redis"}'), 0.6);
      await target.stop();
    });
  }
});

describe('a write', () => {
  /** What a strategy does to the cache when a cached user is updated: hits of the read that follows. */
  const HITS = { none: 0, 'read-through': 0, 'write-through': 1, 'write-behind': 1 };
  for (const [CACHE_STRATEGY, hits] of Object.entries(HITS)) {
    test(`is seen by the next read, reaches the database, and loses no other: ${CACHE_STRATEGY}`, async () => {
      const target = await services.startTarget({ CACHE_STRATEGY, WORKERS: '2' });
      const before = (await useTool(target, 'get_user', { user_id: 3 })).user;
      const city = `${CACHE_STRATEGY} city`;
      const updated = (await useTool(target, 'update_user', { user_id: 3, city })).user;
      const read = (await useTool(target, 'get_user', { user_id: 3 })).user;

      assert.deepEqual([updated.city, updated.version], [city, before.version + 1]);
      assert.deepEqual([updated.name, updated.plan, updated.email], [before.name, before.plan, before.email]);
      assert.deepEqual(read, updated);
      assert.equal((await readMetrics(target))('cache_hits_total{tool="get_user"}'), hits);
      if (CACHE_STRATEGY === 'write-behind') await until(async () => (await inDatabase(3)).city === city);
      const stored = await inDatabase(3);
      assert.deepEqual([stored.city, stored.version], [city, updated.version]);

      const change = (/** @type {number} */ n) =>
        useTool(target, 'update_user', { user_id: 3, [n % 2 ? 'city' : 'name']: `${CACHE_STRATEGY} ${n}` });
      await Promise.all(Array.from({ length: 60 }, (_, n) => change(n)));
      const { user: last } = await useTool(target, 'get_user', { user_id: 3 });
      assert.equal(last.version, updated.version + 60);
      await target.stop();
      const kept = await inDatabase(3);
      assert.deepEqual([kept.name, kept.city, kept.version], [last.name, last.city, last.version]);
    });
  }
});

describe('write-behind', () => {
  test('a stop writes all that waits, even what another transaction holds up', async () => {
    const target = await services.startTarget({ CACHE_STRATEGY: 'write-behind' });
    // While the rows are locked nothing can be written behind: all changes are sure to wait when the stop comes.
    await database.query('BEGIN');
    await database.query('SELECT 1 FROM users WHERE id BETWEEN 100 AND 799 FOR UPDATE');
    await Promise.all(
      Array.from({ length: 700 }, (_, n) =>
        useTool(target, 'update_user', { user_id: 100 + n, city: 'Flushed' }),
      ),
    );
    assert.equal(await countFlushed(), 0);
    const stopped = target.stop();
    await sleep(300);
    await database.query('COMMIT');
    assert.equal(await stopped, 0);
    assert.equal(await countFlushed(), 700);
  });

  test('what a crash leaves, the next start writes', async () => {
    const target = await services.startTarget({ CACHE_STRATEGY: 'write-behind' });
    await database.query('BEGIN');
    await database.query('SELECT 1 FROM users WHERE id = 900 FOR UPDATE');
    await useTool(target, 'update_user', { user_id: 900, city: 'Crashed' });
    await target.stop('SIGKILL');
    await database.query('COMMIT');
    const next = await services.startTarget({ CACHE_STRATEGY: 'write-behind' });
    await until(async () => (await inDatabase(900)).city === 'Crashed');
    await next.stop();
  });

  test('a user that waits to be written does not expire, and one that is written does', async () => {
    const target = await services.startTarget({ CACHE_STRATEGY: 'write-behind', CACHE_TTL: '1' });
    await database.query('BEGIN');
    await database.query('SELECT 1 FROM users WHERE id = 901 FOR UPDATE');
    await useTool(target, 'update_user', { user_id: 901, city: 'Waiting' });
    await sleep(1300);
    assert.equal((await useTool(target, 'get_user', { user_id: 901 })).user.city, 'Waiting');
    await database.query('COMMIT');
    const redis = await createClient({ url: services.redisUrl }).connect();
    await until(async () => (await redis.exists('user:901')) === 0);
    redis.destroy();
    await target.stop();
  });
});

test('another strategy starts with an empty cache, the same one with a warm cache', async () => {
  const first = await services.startTarget({ CACHE_STRATEGY: 'read-through' });
  await useTool(first, 'get_user', { user_id: 5 });
  await first.stop();
  const same = await services.startTarget({ CACHE_STRATEGY: 'read-through' });
  await useTool(same, 'get_user', { user_id: 5 });
  assert.equal((await readMetrics(same))('cache_hits_total{tool="get_user"}'), 1);
  await same.stop();
  const other = await services.startTarget({ CACHE_STRATEGY: 'write-through' });
  await useTool(other, 'get_user', { user_id: 5 });
  assert.equal((await readMetrics(other))('cache_hits_total{tool="get_user"}'), 0);
  await other.stop();
});

test('the first call finds the cache, also where it takes a moment to reach Redis', async () => {
  /** @type {Set<import('node:net').Socket>} */
  const sockets = new Set();
  const slow = createServer((near) => {
    const far = connect(Number(new URL(services.redisUrl).port), '127.0.0.1');
    for (const socket of [near, far]) sockets.add(socket.on('error', () => {}));
    far.pipe(near);
    setTimeout(() => near.pipe(far), 300);
  });
  await new Promise((resolve) => slow.listen(0, '127.0.0.1', () => resolve(null)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (slow.address());
  const target = await services.startTarget({
    CACHE_STRATEGY: 'read-through',
    REDIS_URL: `redis://127.0.0.1:${port}`,
  });
  for (const user_id of [8, 8]) await useTool(target, 'get_user', { user_id });
  assert.equal((await readMetrics(target))('cache_hits_total{tool="get_user"}'), 1);
  await target.stop();
  for (const socket of sockets) socket.destroy();
  slow.close();
});

for (const CACHE_STRATEGY of CACHED) {
  test(`without Redis reads and writes go to the database: ${CACHE_STRATEGY}`, async () => {
    const target = await services.startTarget({ CACHE_STRATEGY });
    await useTool(target, 'get_user', { user_id: 6 });
    await services.redis?.stop();
    const city = `No Redis, ${CACHE_STRATEGY}`;
    const start = Date.now();
    await useTool(target, 'update_user', { user_id: 6, city });
    assert.equal((await useTool(target, 'get_user', { user_id: 6 })).user.city, city);
    assert.ok(Date.now() - start < 1000, 'an absent Redis costs no wait');
    assert.equal((await fetch(`${target.origin}/health`)).status, 503);

    services.redis = await services.startRedis();
    await until(async () => (await fetch(`${target.origin}/health`)).status === 200);
    await useTool(target, 'get_user', { user_id: 7 });
    await useTool(target, 'get_user', { user_id: 7 });
    assert.equal((await readMetrics(target))('cache_hits_total{tool="get_user"}'), 1);
    await target.stop();
  });
}

/**
 * @param {number} id
 * @param {string} city
 */
async function changeInDatabase(id, city) {
  await database.query('UPDATE users SET city = $2, version = version + 1 WHERE id = $1', [id, city]);
}

/** @param {number} id */
async function inDatabase(id) {
  return (await database.query('SELECT * FROM users WHERE id = $1', [id])).rows[0];
}

async function countFlushed() {
  return (await database.query("SELECT count(*)::int AS n FROM users WHERE city = 'Flushed'")).rows[0].n;
}

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { readConfig } from '../../target/config.js';
import { Database } from '../../target/database.js';
import { Metrics } from '../../target/metrics.js';
import { callTool, readMetrics, useTool } from './client.js';
import { Services, until } from './services.js';

const services = new Services();
/** @type {Awaited<ReturnType<Services['startTarget']>>} */
let target;

before(async () => {
  await services.start();
  target = await services.startTarget({ WORKERS: '1', POOL_SIZE: '5', CACHE_STRATEGY: 'none' });
});
after(() => services.stop());

test('targets that start at the same time seed the database once, and a later one reuses it', async () => {
  const empty = await new Services().start();
  const together = await Promise.all([empty.startTarget(), empty.startTarget(), empty.startTarget()]);
  assert.equal(together.filter((one) => one.output().includes('database seeded')).length, 1);
  await useTool(/** @type {typeof target} */ (together[0]), 'update_user', { user_id: 1, city: 'Kept' });
  for (const one of together) assert.equal(await one.stop(), 0);

  const later = await empty.startTarget();
  assert.match(later.output(), /database reused.*"users":10000/);
  assert.equal((await useTool(later, 'get_user', { user_id: 1 })).user.city, 'Kept');
  await empty.stop();
});

test('a dead database fails tools fast, and they recover by themselves', async () => {
  await useTool(target, 'get_user', { user_id: 1 });
  await services.postgres?.stop('SIGKILL');
  for (const [tool, input] of Object.entries(DATABASE_TOOLS)) {
    const start = Date.now();
    const { status, message } = await callTool(target, tool, input);
    assert.deepEqual([status, message.result.isError], [200, true], tool);
    assert.match(message.result.content[0].text, /^database /);
    assert.ok(Date.now() - start < 2500, `${tool} took ${Date.now() - start} ms`);
  }
  const health = await fetch(`${target.origin}/health`);
  assert.equal(health.status, 503);
  const { status, dependencies } = /** @type {import('../../target/health.js').Health} */ (
    await health.json()
  );
  assert.deepEqual(
    [status, dependencies.database?.state, dependencies.cache?.state],
    ['degraded', 'down', 'up'],
  );

  services.postgres = await services.startPostgres();
  await until(async () => (await fetch(`${target.origin}/health`)).status === 200);
  assert.equal((await useTool(target, 'get_user', { user_id: 1 })).user.id, 1);
});

test('a connection that the database ends between two statements of a transaction fails that transaction alone', async () => {
  const config = { ...readConfig(services.environment), poolSize: 2 };
  const database = new Database(config, new Metrics());
  const admin = new pg.Client(services.databaseUrl);
  await admin.connect();
  const broken = database.transaction(async (run) => {
    const [{ pid }] = await run({ name: 'pid', type: 'select', text: 'SELECT pg_backend_pid() AS pid' });
    await admin.query('SELECT pg_terminate_backend($1, 2000)', [pid]);
    await sleep(50);
    return run({ name: 'one', type: 'select', text: 'SELECT 1' });
  });
  await assert.rejects(broken, /^Error: database error: /);
  await database.ping();
  await database.close();
  await admin.end();
});

test('a database that falls silent fails tools within five seconds, however many wait', async () => {
  const database = new pg.Client(services.databaseUrl);
  await database.connect();
  // A lock that nobody releases stands for a server that accepts queries and answers none.
  await database.query('BEGIN; LOCK TABLE users IN ACCESS EXCLUSIVE MODE');
  const start = Date.now();
  const calls = Array.from({ length: 250 }, () => callTool(target, 'get_user', { user_id: 1 }));
  await until(async () => (await readMetrics(target))('pool_connections{state="waiting"}') > 100);
  assert.equal((await readMetrics(target))('connection_pool_usage{pool_type="postgres"}'), 1);
  const answers = await Promise.all(calls);
  assert.ok(Date.now() - start < 5500, `it took ${Date.now() - start} ms`);
  assert.ok(answers.every(({ message }) => message.result.isError));
  const texts = new Set(answers.map(({ message }) => message.result.content[0].text));
  assert.ok(texts.has('database unavailable: timed out'), [...texts].join());
  assert.ok(
    texts.has('database busy: too many requests are already waiting for a connection'),
    [...texts].join(),
  );
  await database.query('ROLLBACK');
  await database.end();
  assert.equal((await useTool(target, 'get_user', { user_id: 1 })).user.id, 1);
});

test('a deadlock is counted, and is a tool error', async () => {
  const rival = new pg.Client(services.databaseUrl);
  await rival.connect();
  const input = (/** @type {string[]} */ ...keys) => ({ items: keys.map((key) => ({ key, value: 1 })) });
  await useTool(target, 'process_batch', input('dead-a', 'dead-b'));
  await rival.query("SET deadlock_timeout = '10s'");
  await rival.query("BEGIN; UPDATE items SET value = 2 WHERE key = 'dead-b'");
  const call = callTool(target, 'process_batch', input('dead-a', 'dead-b'));
  // It holds a and waits for b; now the rival, which holds b, asks for a. The target's is the shorter patience.
  await until(async () => {
    const { rows } = await rival.query('SELECT 1 FROM pg_locks WHERE NOT granted');
    return rows.length > 0;
  });
  await rival.query("UPDATE items SET value = 2 WHERE key = 'dead-a'");
  await rival.query('ROLLBACK');
  await rival.end();
  const { message } = await call;
  assert.equal(message.result.content[0].text, 'database error: 40P01');
  assert.equal((await readMetrics(target))('database_deadlocks_total'), 1);
});

test('the breaker opens when the weather service fails, and closes when it is back', async () => {
  await services.upstream?.stop();
  const weather = async () => (await callTool(target, 'fetch_weather', { city: 'Oslo' })).message.result;
  /** @type {string[]} */
  const texts = [];
  for (let n = 0; n < 15; n++) texts.push((await weather()).content[0].text);
  assert.ok(texts[0]?.includes('ECONNREFUSED'), texts[0]);
  assert.ok(texts.at(-1)?.includes('calls are paused'), texts.at(-1));
  let metrics = await readMetrics(target);
  assert.equal(metrics('circuit_breaker_open{breaker="weather"}'), 1);
  assert.equal(metrics('circuit_breaker_trips_total{breaker="weather"}'), 1);
  assert.equal((await useTool(target, 'get_user', { user_id: 1 })).user.id, 1, 'other tools go on');

  services.upstream = await services.startUpstream({ LATENCY_MEAN_MS: '20', TIMEOUTS_PER_1000: '0' });
  await until(async () => !(await weather()).isError);
  metrics = await readMetrics(target);
  assert.equal(metrics('circuit_breaker_open{breaker="weather"}'), 0);
  assert.equal(metrics('circuit_breaker_trips_total{breaker="weather"}'), 1);
});

test('a weather service that does not answer is given up after two seconds', async () => {
  await services.upstream?.stop();
  services.upstream = await services.startUpstream({ TIMEOUTS_PER_1000: '1000' });
  const start = Date.now();
  const { message } = await callTool(target, 'fetch_weather', { city: 'Oslo' });
  assert.equal(message.result.content[0].text, 'weather service: no answer within 2000 ms');
  assert.ok(Date.now() - start < 2500);
  assert.equal((await readMetrics(target))('upstream_timeouts_total'), 1);
});

test('a stop lets requests under way finish, and is quick', async () => {
  await services.upstream?.stop();
  services.upstream = await services.startUpstream({ LATENCY_MEAN_MS: '1000', TIMEOUTS_PER_1000: '0' });
  const call = callTool(target, 'fetch_weather', { city: 'Oslo' });
  await until(async () => (await readMetrics(target))('upstream_timeouts_total') === 1);
  const start = Date.now();
  assert.equal(await target.stop(), 0);
  const { status, message } = await call;
  assert.deepEqual([status, message.result.isError], [200, undefined]);
  assert.ok(Date.now() - start < 3000, `the stop took ${Date.now() - start} ms`);
});

const DATABASE_TOOLS = {
  get_user: { user_id: 1 },
  search_users: { query: 'ada' },
  update_user: { user_id: 1, city: 'Oslo' },
  generate_report: { region: 'asia' },
  process_batch: { items: [{ key: 'a', value: 1 }] },
};

/** Each fault makes what it says, really and measurably, and is gone when it is removed. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { after, afterEach, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { createClient } from 'redis';
import { freePort } from '../../contract/free-port.js';
import { FAULT_NAMES } from '../../target/faults/table.js';
import { callTool, connectClient, readMetrics, useTool } from './client.js';
import { Services, TOKEN, until, workersOf } from './services.js';

const services = new Services();
/** @type {Awaited<ReturnType<Services['startTarget']>>} */
let target;
/** Looks on from outside. @type {pg.Client} */
let database;

before(async () => {
  await services.start();
  target = await services.startTarget({ WORKERS: '2', POOL_SIZE: '20', CACHE_STRATEGY: 'read-through' });
  database = new pg.Client(services.databaseUrl);
  await database.connect();
});
afterEach(() => put({}));
after(async () => {
  await database.end();
  await services.stop();
});

/**
 * @param {unknown} body text is sent as it is
 * @param {Record<string, string>} [headers]
 */
async function request(body, headers = { Authorization: `Bearer ${TOKEN}` }) {
  const response = await fetch(`${target.admin}/admin/faults`, {
    method: 'PUT',
    headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, answer: /** @type {any} */ (await response.json()) };
}

/** @param {Record<string, number>} faults */
async function put(faults) {
  assert.deepEqual(await request(faults), { status: 200, answer: faults });
}

/** @param {() => Promise<unknown>} work @returns {Promise<number>} ms */
async function timed(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/**
 * @template T
 * @param {number} count
 * @param {(n: number) => Promise<T>} call
 */
const together = (count, call) => Promise.all(Array.from({ length: count }, (_, n) => call(n)));

const search = () => useTool(target, 'search_users', { query: 'ada' });
const user = (n = 0) => useTool(target, 'get_user', { user_id: 1 + n });

/**
 * How much metrics grow while something is done.
 * @param {string[]} names
 * @param {() => Promise<unknown>} work
 */
async function growth(names, work) {
  const earlier = await readMetrics(target);
  await work();
  const later = await readMetrics(target);
  return names.map((name) => (later(name) || 0) - (earlier(name) || 0));
}

/** @param {string} sql @returns {Promise<number>} */
const count = async (sql) => Number((await database.query(`SELECT count(*) FROM ${sql}`)).rows[0].count);

const OF_TARGET = "pg_stat_activity WHERE application_name = 'mcp-load-lab-target'";

/** @returns {Promise<string[]>} those that /health names */
async function named() {
  const health = /** @type {any} */ (await (await fetch(`${target.origin}/health`)).json());
  return health.faults;
}

describe('asking for faults', () => {
  test('they are told, named by /health, and logged when they begin and end', async () => {
    await put({ slow_statement_ms: 5, cache_off: 1 });
    const response = await fetch(`${target.admin}/admin/faults`, {
      headers: { Authorization: `Bearer ${TOKEN}` },
    });
    assert.deepEqual(await response.json(), { slow_statement_ms: 5, cache_off: 1 });
    assert.deepEqual(await named(), ['slow_statement_ms', 'cache_off']);
    await put({});
    assert.deepEqual(await named(), []);
    assert.match(target.output(), /faults are on.*"faults":\{"slow_statement_ms":5,"cache_off":1\}/);
    assert.match(target.output(), /faults are off/);
    assert.ok(!target.output().includes(TOKEN));
  });

  test('an error is one line that names what is valid, and changes nothing', async () => {
    await put({ cache_off: 1 });
    for (const [body, line] of /** @type {const} */ ([
      [{ slow: 1 }, `there is no fault "slow"; valid: ${FAULT_NAMES.join(', ')}`],
      [{ __proto__: null, constructor: 1 }, /^there is no fault "constructor"; valid: /],
      [{ cpu_burn_ms: -1 }, 'cpu_burn_ms got -1; valid: a number from 0 (off) to 1000'],
      [{ cpu_burn_ms: '20' }, 'cpu_burn_ms got "20"; valid: a number from 0 (off) to 1000'],
      [{ pool_size: 1.5 }, 'pool_size got 1.5; valid: a whole number from 0 (off) to 1000'],
      [{ cache_off: 2 }, 'cache_off got 2; valid: a whole number from 0 (off) to 1'],
      [{ cache_off: null }, 'cache_off got null; valid: a whole number from 0 (off) to 1'],
      [[], /^faults are a JSON object of numbers by name, such as .*; valid names: cpu_burn_ms, /],
      ['cache_off=1', /^faults are a JSON object of numbers by name/],
    ])) {
      const { status, answer } = await request(body);
      assert.equal(status, 400);
      if (typeof line === 'string') assert.equal(answer.error, line);
      else assert.match(answer.error, line);
    }
    assert.deepEqual(await named(), ['cache_off']);
  });

  test('without the token 401; too large 413; elsewhere 404 and 405', async () => {
    assert.equal((await request({}, {})).status, 401);
    assert.equal((await request({}, { Authorization: 'Bearer other' })).status, 401);
    assert.equal((await fetch(`${target.admin}/admin/faults`)).status, 401);
    assert.equal((await request(' '.repeat(5000))).status, 413);
    assert.equal((await fetch(`${target.admin}/mcp`)).status, 404);
    const wrong = await fetch(`${target.admin}/admin/faults`, { method: 'DELETE' });
    assert.deepEqual([wrong.status, wrong.headers.get('allow')], [405, 'GET, PUT']);
    assert.equal((await fetch(`${target.origin}/admin/faults`)).status, 404, 'not where the load goes');
  });

  const outside = Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.family === 'IPv4' && !address.internal)?.address;
  test('who does not come from loopback is refused, with the token', { skip: !outside }, async () => {
    const open = await services.startTarget({ HOST: '0.0.0.0' });
    const { port } = new URL(open.admin);
    const headers = { Authorization: `Bearer ${TOKEN}` };
    const from = (/** @type {string} */ host) =>
      fetch(`http://${host}:${port}/admin/faults`, { method: 'PUT', headers, body: '{}' });
    assert.equal((await from(String(outside))).status, 403);
    assert.equal((await from('127.0.0.1')).status, 200);
    // Who scrapes need not.
    assert.equal((await fetch(`http://${outside}:${port}/metrics`)).status, 200);
    await open.stop();
  });

  test('TARGET_FAULTS has them on from the start, and a worker that replaces another makes them, too', async () => {
    // A port that is the same for the next workers.
    const PORT = String(await freePort());
    const faulty = await services.startTarget({
      PORT,
      WORKERS: '2',
      TARGET_FAULTS: '{"slow_statement_ms": 300}',
    });
    assert.match(faulty.output(), /faults are on.*slow_statement_ms/);
    const slow = () => timed(() => useTool(faulty, 'search_users', { query: 'ada' }));
    assert.ok((await slow()) >= 300);
    const first = await workersOf(faulty.pid);
    for (const pid of first) process.kill(pid, 'SIGKILL');
    await until(async () => {
      const workers = await workersOf(faulty.pid);
      return workers.length === 2 && !workers.some((pid) => first.includes(pid)) && (await healthy(faulty));
    });
    for (let n = 0; n < 4; n++) assert.ok((await slow()) >= 300);
    await faulty.stop();
  });

  test('metrics are told while every worker is busy', async () => {
    const busy = await services.startTarget({ TARGET_FAULTS: '{"cpu_burn_ms": 1000}' });
    const calls = together(5, () => useTool(busy, 'payload', {}));
    await sleep(200);
    const start = performance.now();
    const text = await (await fetch(`${busy.admin}/metrics`)).text();
    const took = performance.now() - start;
    assert.ok(took < 1900, `Prometheus waits 2 s, it took ${took} ms`);
    assert.match(text, /^target_workers 1$/m);
    await calls;
    await busy.stop();
  });
});

/** @param {{origin: string}} one */
const healthy = async ({ origin }) => (await fetch(`${origin}/health`).catch(() => undefined))?.ok;

test('who keeps a connection for metrics does not hold up the end', async () => {
  const asked = await services.startTarget({ WORKERS: '1' });
  const ask = () => fetch(`${asked.admin}/metrics`).then((response) => response.text());
  await ask();
  const asking = setInterval(() => ask().catch(() => {}), 200);
  const took = await timed(() => asked.stop());
  clearInterval(asking);
  assert.ok(took < 8000, `${took} ms`);
});

describe('a fault', () => {
  test('cpu_burn_ms takes processor time of the worker, call by call', async () => {
    const calls = async () => {
      for (let n = 0; n < 10; n++) await useTool(target, 'payload', {});
    };
    await calls();
    const cpu = async () => Number((await growth(['process_cpu_seconds_total'], calls))[0]);
    // On a busy machine what is not burnt scatters, upwards alone.
    const before = Math.min(await cpu(), await cpu());
    await put({ cpu_burn_ms: 50 });
    const burnt = (await cpu()) - before;
    assert.ok(burnt > 0.45 && burnt < 0.75, `${burnt} s for 10 calls`);
    await put({});
    assert.ok((await cpu()) < 0.3);
  });

  test('pool_size limits the connections there are, live', async () => {
    await put({ slow_statement_ms: 150 });
    await together(20, search);
    assert.ok((await count(OF_TARGET)) > 6);
    await put({ slow_statement_ms: 150, pool_size: 2 });
    await until(async () => (await count(OF_TARGET)) <= 4);
    assert.equal((await readMetrics(target))('pool_size'), 4);
    const calls = together(20, search);
    await sleep(100);
    assert.ok((await count(OF_TARGET)) <= 4);
    assert.ok((await readMetrics(target))('pool_connections{state="waiting"}') > 4);
    await calls;
    await put({ slow_statement_ms: 150 });
    await together(20, search);
    assert.ok((await count(OF_TARGET)) > 6);
    assert.equal((await readMetrics(target))('pool_size'), 40);
  });

  test('pool_size also ends those that are in use when it comes', async () => {
    await put({ slow_statement_ms: 300 });
    const calls = together(16, search);
    await sleep(100);
    await put({ slow_statement_ms: 300, pool_size: 1 });
    await calls;
    await until(async () => (await count(OF_TARGET)) <= 2);
  });

  test('pool_leak_per_minute takes connections at even times, workers in turn, and gives them back', async () => {
    const used = async () => (await readMetrics(target))('pool_connections{state="used"}');
    assert.equal(await used(), 0);
    const start = Date.now();
    await put({ pool_leak_per_minute: 300 });
    for (let n = 0; n < 4; n++) {
      await sleep(500);
      const [earlier, leaked, later] = [Date.now(), await used(), Date.now()];
      // One every 200 ms; connecting takes its time, too.
      assert.ok(leaked <= (later - start) / 200 && leaked >= (earlier - start - 400) / 200 - 1, `${leaked}`);
    }
    const before = await used();
    // Another fault next to it does not restart it.
    await put({ pool_leak_per_minute: 300, cache_off: 1 });
    assert.ok((await used()) >= before);
    await put({});
    await until(async () => (await used()) === 0);
  });

  test('slow_statement_ms has the database itself take longer', async () => {
    const names = ['sum', 'count'].map(
      (kind) => `database_query_duration_seconds_${kind}{query_type="select"}`,
    );
    await put({ slow_statement_ms: 400 });
    const call = growth(names, search);
    await until(
      async () => (await count(`${OF_TARGET} AND state = 'active' AND wait_event = 'PgSleep'`)) === 1,
    );
    const [seconds = 0, statements = 0] = await call;
    assert.equal(statements, 1);
    assert.ok(seconds >= 0.4, `${seconds} s`);
    // In a transaction each statement, and not what begins and ends it: 15 of them.
    await put({ slow_statement_ms: 20 });
    assert.ok((await timed(() => useTool(target, 'generate_report', { region: 'gulf' }))) >= 300);
    await put({});
    assert.ok((await timed(search)) < 300);
  });

  test('lock_hold_ms has calls of user tools wait for one row in the database', async () => {
    await put({ lock_hold_ms: 200 });
    const calls = timed(() => together(6, user));
    await until(async () => (await count('pg_locks WHERE NOT granted')) >= 4);
    assert.ok((await calls) >= 1200, 'one after the other');
    assert.ok((await timed(() => useTool(target, 'payload', {}))) < 200, 'others need it not');
    await put({});
    assert.ok((await timed(() => together(6, user))) < 1000);
    assert.equal(await count('pg_locks WHERE NOT granted'), 0);
  });

  test('cache_off lets look-ups go past Redis', async () => {
    const names = ['cache_hits_total', 'cache_misses_total', 'database_queries_total'].map(
      (name) => `${name}{tool="get_user"}`,
    );
    const twice = async () => {
      for (let n = 0; n < 2; n++) await user(500);
    };
    await twice();
    assert.deepEqual(await growth(names, twice), [2, 0, 0]);
    await put({ cache_off: 1 });
    assert.deepEqual(await growth(names, twice), [0, 2, 2]);
    await put({});
    assert.deepEqual(await growth(names, twice), [2, 0, 0]);
  });

  test("cache_delay_ms keeps Redis' own thread busy with each command", async () => {
    const redis = createClient({ url: services.redisUrl });
    await redis.connect();
    const cpu = async () => Number(/used_cpu_user:([\d.]+)/.exec(await redis.info('cpu'))?.[1]);
    await user(7);
    await put({ cache_delay_ms: 50 });
    // Until it has found out how fast this Redis is.
    await until(async () => (await timed(() => user(7))) > 40);
    const before = await cpu();
    const names = ['cache_request_duration_seconds_sum', 'cache_request_duration_seconds_count'];
    const tenCalls = async () => {
      for (let n = 0; n < 10; n++) await user(7);
    };
    const [seconds = 0, commands = 0] = await growth(names, tenCalls);
    assert.ok(commands >= 10 && seconds / commands > 0.03, `${seconds} s, ${commands} commands`);
    const busy = (await cpu()) - before;
    assert.ok(busy > 0.35, `${busy} s of its processor for half a second of delays`);
    await put({});
    const idle = await cpu();
    await tenCalls();
    assert.ok((await cpu()) - idle < 0.1);
    await redis.close();
  });

  test('upstream_delay_ms has the weather service answer later, by its own account', async () => {
    const own = async () => {
      const text = await (await fetch(`${services.upstreamUrl}/metrics`)).text();
      return Number(/^weather_request_duration_seconds_sum (\S+)$/m.exec(text)?.[1]);
    };
    const weather = () => useTool(target, 'fetch_weather', { city: 'Oslo' });
    const before = await own();
    await put({ upstream_delay_ms: 500 });
    assert.ok((await timed(weather)) >= 500);
    assert.ok((await own()) - before >= 0.5);
    await put({});
    assert.ok((await timed(weather)) < 500);
  });

  test('rate_limit_rps refuses what is more', async () => {
    const statuses = async () =>
      (await together(60, () => callTool(target, 'payload', {}))).map(({ status }) => status);
    const refused = async () => (await statuses()).filter((status) => status === 429).length;
    assert.equal(await refused(), 0);
    await put({ rate_limit_rps: 10 });
    assert.ok((await refused()) >= 30);
    await put({});
    assert.equal(await refused(), 0);
  });

  test('memory_leak_mb_per_minute takes resident memory at its rate, over the workers, and frees it', async () => {
    const pids = await workersOf(target.pid);
    const resident = async () => {
      const pages = await Promise.all(
        pids.map(async (pid) => Number((await readFile(`/proc/${pid}/statm`, 'utf8')).split(' ')[1])),
      );
      return (pages.reduce((sum, each) => sum + each, 0) * 4096) / 1e6;
    };
    await put({ memory_leak_mb_per_minute: 2400 });
    /** @type {number[]} */
    const rates = [];
    // A collector that gives memory back meanwhile spoils a look, and has soon nothing more to give.
    while (rates.length < 4 && Math.abs(Number(rates.at(-1) ?? 0) - 2400) > 48) {
      /** @type {[number, number][]} */
      const points = [];
      for (let n = 0; n < 40; n++) {
        points.push([Date.now() / 60_000, await resident()]);
        await sleep(100);
      }
      rates.push(medianSlope(points));
    }
    assert.ok(Math.abs(Number(rates.at(-1)) - 2400) < 120, `${rates} MB a minute`);
    const most = await resident();
    await put({});
    await until(async () => (await resident()) < most - 120);
  });

  test('gc_pressure_mb keeps the garbage collector busy', async () => {
    const names = ['minor', 'major', 'incremental'].map(
      (kind) => `nodejs_gc_duration_seconds_sum{kind="${kind}"}`,
    );
    const collected = async () =>
      (await growth(names, () => together(100, () => useTool(target, 'payload', {})))).reduce(
        (a, b) => a + b,
        0,
      );
    await collected();
    const before = await collected();
    await put({ gc_pressure_mb: 10 });
    const under = await collected();
    assert.ok(under > 0.04 && under > 2 * before, `${before} s, then ${under} s`);
    await put({});
    await until(async () => (await collected()) < under / 2);
  });

  test('stretch_percent delays an answer by that share of what it took, in each era', async () => {
    const { client } = await connectClient(target, '2025-06-18');
    const legacy = () => client.callTool({ name: 'search_users', arguments: { query: 'ada' } });
    await put({ slow_statement_ms: 300 });
    for (const call of [search, legacy]) assert.ok((await timed(call)) < 450);
    await put({ slow_statement_ms: 300, stretch_percent: 50 });
    for (const call of [search, legacy]) {
      const took = await timed(call);
      assert.ok(took >= 450 && took < 750, `${took} ms`);
    }
    await put({});
    assert.ok((await timed(search)) < 150);
    await client.close();
  });
});

/**
 * Of all pairs of points: a moment in which the machine had no time for the target is none of its doing.
 * @param {[number, number][]} points
 */
function medianSlope(points) {
  const slopes = points
    .flatMap(([x, y], n) => points.slice(n + 1).map(([later, more]) => (more - y) / (later - x)))
    .sort((a, b) => a - b);
  return Number(slopes[Math.floor(slopes.length / 2)]);
}

import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { callTool, MODERN, post, readMetrics } from './client.js';
import { Services, until, workersOf } from './services.js';

const services = new Services();
/** @type {Awaited<ReturnType<Services['startTarget']>>} */
let target;

before(async () => {
  await services.start();
  target = await services.startTarget({ WORKERS: '2' });
});
after(() => services.stop());

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

const ACCEPT = 'application/json, text/event-stream';

const TOOLS_CALL = { jsonrpc: '2.0', id: 1, method: 'tools/call' };

describe('the door', () => {
  for (const Authorization of ['', 'Bearer wrong', 'Bearer test-tokem', 'Basic test-token']) {
    test(`401 for ${JSON.stringify(Authorization)}`, async () => {
      const { status, headers } = await callTool(target, 'get_user', { user_id: 1 }, { Authorization });
      assert.equal(status, 401);
      assert.match(headers.get('www-authenticate') ?? '', /^Bearer/);
    });
  }

  test('403 for a foreign origin, and none for a local one', async () => {
    const from = (/** @type {string} */ Origin) => callTool(target, 'get_user', { user_id: 1 }, { Origin });
    assert.equal((await from('https://evil.example')).status, 403);
    assert.equal((await from('http://localhost:3000')).status, 200);
  });

  test('400 for what is no JSON, 413 for what is too large, 415 for another type', async () => {
    const broken = await post(target, '{"jsonrpc":');
    assert.deepEqual([broken.status, broken.message.error.code], [400, -32700]);
    assert.equal((await post(target, JSON.stringify('x'.repeat(1024 * 1024)))).status, 413);
    assert.equal((await post(target, INITIALIZE, { 'Content-Type': 'text/plain' })).status, 415);
    assert.equal((await post(target, INITIALIZE)).status, 200, 'and the service is well');
  });

  test('modern requests must have matching headers and a known version', async () => {
    const mismatch = await callTool(target, 'get_user', { user_id: 1 }, { 'Mcp-Name': 'update_user' });
    assert.deepEqual([mismatch.status, mismatch.message.error.code], [400, -32020]);
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2099-01-01',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const unknown = await post(
      target,
      { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } },
      { 'MCP-Protocol-Version': '2099-01-01', 'Mcp-Method': 'tools/list' },
    );
    assert.deepEqual([unknown.status, unknown.message.error.code], [400, -32022]);
    assert.ok(unknown.message.error.data.supported.includes(MODERN));
  });

  test('without sessions GET and DELETE are 405, and initialize gives no session', async () => {
    for (const method of ['GET', 'DELETE']) {
      const headers = { Authorization: 'Bearer test-token', Accept: 'text/event-stream' };
      assert.equal((await fetch(target.url, { method, headers })).status, 405);
    }
    assert.equal((await post(target, INITIALIZE)).headers.get('mcp-session-id'), null);
  });

  test('404 elsewhere', async () => {
    for (const path of ['/', '/mcp/x', '/constructor']) {
      assert.equal((await fetch(`${target.origin}${path}`)).status, 404);
    }
  });
});

test('clients that go away in the middle leave nothing behind for the others', async () => {
  // Servers are used again: an answer meant for a client that left must not reach the next one.
  const quitters = Array.from({ length: 300 }, (_, n) =>
    fetch(target.url, {
      method: 'POST',
      headers: { Authorization: 'Bearer test-token', 'Content-Type': 'application/json', Accept: ACCEPT },
      body: JSON.stringify({ ...TOOLS_CALL, params: { name: 'get_user', arguments: { user_id: 5000 + n } } }),
      signal: AbortSignal.timeout(1 + (n % 20)),
    }).then(
      (response) => response.text(),
      () => 'left',
    ),
  );
  const others = Array.from({ length: 300 }, async (_, n) => {
    const { message } = await callTool(target, 'get_user', { user_id: 1 + n });
    assert.equal(message.result.structuredContent.user.id, 1 + n);
  });
  await Promise.all(others);
  assert.ok((await Promise.all(quitters)).includes('left'));
});

test('/health tells the state of each dependency and nothing else', async () => {
  const response = await fetch(`${target.origin}/health`);
  assert.equal(response.status, 200);
  const { status, dependencies } = /** @type {import('../../target/health.js').Health} */ (
    await response.json()
  );
  assert.equal(status, 'up');
  assert.deepEqual(
    Object.entries(dependencies).map(([name, { state }]) => [name, state]),
    [
      ['database', 'up'],
      ['cache', 'up'],
      ['upstream', 'up'],
    ],
  );
});

describe('/metrics', () => {
  test('sums the workers, whichever of them answered', async () => {
    const count = 'request_duration_seconds_count{method="tools/call",endpoint="search_users",status="200"}';
    const before = (await readMetrics(target))(count) || 0;
    const workers = new Set();
    for (let n = 0; n < 20; n++) workers.add(await searchOnNewConnection());
    const metrics = await readMetrics(target);
    assert.equal(metrics(count), before + 20);
    assert.equal(metrics('target_workers'), 2);
    assert.equal(metrics('pool_size'), 50);
    const size = metrics('response_size_bytes_count{endpoint="search_users"}');
    assert.equal(size, before + 20);
  });

  test('has every promised name', async () => {
    await callTool(target, 'get_user', { user_id: 1 });
    await callTool(target, 'process_batch', { items: [{ key: 'metrics', value: 1 }] });
    await callTool(target, 'fetch_weather', { city: 'Oslo' });
    const text = await (await fetch(`${target.origin}/metrics`)).text();
    for (const series of [
      'request_duration_seconds_bucket{le="0.25",method="tools/call",endpoint="get_user",status="200"}',
      'tool_errors_total{endpoint="get_user"}',
      'requests_per_second',
      'database_query_duration_seconds_bucket{le="0.005",query_type="upsert"}',
      'cache_hit_rate{cache_type="redis"}',
      'connection_pool_usage{pool_type="postgres"}',
      'pool_connections{state="used"}',
      'pool_connections{state="idle"}',
      'pool_connections{state="waiting"}',
      'pool_size',
      'pool_acquire_duration_seconds_count',
      'cache_hits_total{tool="get_user"}',
      'cache_misses_total{tool="get_user"}',
      'rate_limit_hits_total',
      'circuit_breaker_trips_total{breaker="weather"}',
      'circuit_breaker_open{breaker="weather"}',
      'database_deadlocks_total',
      'response_size_bytes_count{endpoint="get_user"}',
      'upstream_request_duration_seconds_count',
      'upstream_timeouts_total',
      'nodejs_eventloop_lag_p99_seconds',
      'nodejs_gc_duration_seconds_count{kind="minor"}',
      'process_cpu_seconds_total',
      'process_resident_memory_bytes',
      'target_workers',
      'sessions_active',
    ]) {
      assert.ok(text.includes(`\n${series} `), `${series} is missing`);
    }
  });

  test('an idle event loop has hardly any lag, and clients can not make labels', async () => {
    await readMetrics(target);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const text = await (await fetch(`${target.origin}/metrics`)).text();
    const lag = Number(/^nodejs_eventloop_lag_p50_seconds (.*)$/m.exec(text)?.[1]);
    assert.ok(lag >= 0 && lag < 0.009, `p50 is ${lag}`);

    await callTool(target, 'made-up-tool', {});
    await post(target, { jsonrpc: '2.0', id: 1, method: 'made-up-method' });
    assert.doesNotMatch(await (await fetch(`${target.origin}/metrics`)).text(), /made-up/);
  });

  test('a worker that is killed is replaced, and its counts are kept', async () => {
    const count = 'request_duration_seconds_count{method="tools/call",endpoint="search_users",status="200"}';
    const before = (await readMetrics(target))(count);
    assert.ok(before >= 20);
    const [killed] = await workersOf(target.pid);
    process.kill(Number(killed), 'SIGKILL');
    await until(async () => {
      const workers = await workersOf(target.pid);
      return workers.length === 2 && !workers.includes(Number(killed));
    });
    await until(async () => (await readMetrics(target))('target_workers') === 2);
    assert.equal((await readMetrics(target))(count), before);
    assert.equal((await callTool(target, 'get_user', { user_id: 1 })).status, 200);
  });
});

describe('the rate limit', () => {
  test('holds for the whole service and says when to come back', async () => {
    const limited = await services.startTarget({ WORKERS: '2', RATE_LIMIT_RPS: '50' });
    const start = Date.now();
    /** @type {number[]} */
    const statuses = [];
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        while (Date.now() - start < 3000) {
          const { status, headers } = await callTool(limited, 'get_user', { user_id: 1 });
          if (status === 429) assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/);
          statuses.push(status);
        }
      }),
    );
    const served = statuses.filter((status) => status === 200).length;
    const refused = statuses.filter((status) => status === 429).length;
    assert.equal(served + refused, statuses.length);
    // Three to four windows of one second begin within three seconds.
    assert.ok(served >= 135 && served <= 205, `${served} were served in 3 s`);
    assert.equal((await readMetrics(limited))('rate_limit_hits_total'), refused);
    await limited.stop();
  });

  test('is still there without Redis', async () => {
    const limited = await services.startTarget({ WORKERS: '1', RATE_LIMIT_RPS: '5' });
    await services.redis?.stop();
    const statuses = [];
    for (let n = 0; n < 15; n++) statuses.push((await callTool(limited, 'get_user', { user_id: 1 })).status);
    services.redis = await services.startRedis();
    assert.ok(statuses.includes(200) && statuses.includes(429), statuses.join());
    await limited.stop();
  });
});

describe('configuration', () => {
  /** @type {({line: string} & Record<string, string>)[]} */
  const WRONG = [
    { WORKERS: '0', line: 'WORKERS got "0"; valid: a whole number from 1 to 64' },
    { POOL_SIZE: 'many', line: 'POOL_SIZE got "many"; valid: a whole number from 1 to 1000' },
    {
      CACHE_STRATEGY: 'write-around',
      line: 'CACHE_STRATEGY got "write-around"; valid: one of none, read-through, write-through, write-behind',
    },
    { CACHE_TTL: '0', line: 'CACHE_TTL got "0"; valid: a whole number from 1 to 86400' },
    { RATE_LIMIT_RPS: '-1', line: 'RATE_LIMIT_RPS got "-1"; valid: a whole number from 0 to 1000000' },
    {
      TARGET_FAULTS: '{"slow":1}',
      line: 'TARGET_FAULTS got "{\\"slow\\":1}"; valid: a JSON object of numbers by name: cpu_burn_ms, pool_size, ',
    },
    { ADMIN_PORT: 'x', line: 'ADMIN_PORT got "x"; valid: a whole number from 0 to 65535' },
    { SESSIONS: 'yes', line: 'SESSIONS got "yes"; valid: one of 0, 1' },
    { TARGET_TOKEN: '', line: 'TARGET_TOKEN is missing; valid: the bearer token that clients must send' },
    {
      DATABASE_URL: 'mysql://root:secret@127.0.0.1/x',
      line: 'DATABASE_URL got a wrong value (not shown); valid: a URL that starts with postgres:// or postgresql://',
    },
    { DATABASE_URL: '', line: 'PGHOST is missing; valid: the database host, or set DATABASE_URL' },
    { WORKERS: '4', POOL_SIZE: '100', line: 'WORKERS x POOL_SIZE got 4 x 100 = 400; valid: at most 97' },
  ];
  for (const { line, ...environment } of WRONG) {
    test(`${JSON.stringify(environment)} ends with exit code 2 and one line`, async () => {
      const { code, output } = await services.runTarget(environment);
      assert.equal(code, 2);
      const errors = output.split('\n').filter((text) => text !== '' && !text.startsWith('{'));
      assert.equal(errors.length, 1, output);
      assert.ok(errors[0]?.startsWith(`target: ${line}`), output);
      assert.ok(!output.includes('secret'));
    });
  }

  test('a port that is taken ends with exit code 2 and one line', async () => {
    const { code, output } = await services.runTarget({ PORT: new URL(target.url).port, WORKERS: '2' });
    assert.equal(code, 2);
    assert.equal(output.split('\n').filter((line) => line.includes('EADDRINUSE')).length, 1, output);
  });
});

test('the logs hold no secret and no line per request', async () => {
  assert.ok(target.output().split('\n').length < 15, target.output());
  assert.doesNotMatch(target.output(), /test-token|postgres:\/\/|redis:\/\//);
});

/** A connection of its own, so that it may go to any worker. */
function searchOnNewConnection() {
  return new Promise((resolve, reject) => {
    const params = { name: 'search_users', arguments: { query: 'ada' } };
    const body = JSON.stringify({ ...TOOLS_CALL, params });
    const headers = {
      Authorization: 'Bearer test-token',
      'Content-Type': 'application/json',
      Accept: ACCEPT,
    };
    request(target.url, { method: 'POST', headers, agent: false }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    })
      .on('error', reject)
      .end(body);
  });
}

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { callTool, connectClient, LEGACY, MODERN, post, readMetrics, useTool } from './client.js';
import { Services, until } from './services.js';

const services = new Services();
/** @typedef {Awaited<ReturnType<Services['startTarget']>>} Target */
/** @type {Target} */
let target;
/** @type {Target} */
let withSessions;

before(async () => {
  await services.start();
  [target, withSessions] = await Promise.all([
    services.startTarget({ WORKERS: '2' }),
    services.startTarget({ WORKERS: '2', SESSIONS: '1' }),
  ]);
});
after(() => services.stop());

for (const version of [MODERN, ...LEGACY]) {
  test(`the official client reads resources and prompts in ${version}`, async () => {
    const { client } = await connectClient(target, version);
    const { resources } = await client.listResources();
    assert.equal(resources.length, 10);
    const { resourceTemplates } = await client.listResourceTemplates();
    assert.deepEqual(resourceTemplates.map(({ uriTemplate }) => uriTemplate).sort(), [
      'regions://{region}',
      'reports://{region}',
      'users://{id}',
    ]);
    for (const [uri, member] of [
      [resources[0]?.uri ?? '', 'users_by_plan'],
      ['users://7', 'email'],
      ['reports://nordics', 'revenue_by_month'],
    ]) {
      const { contents } = await client.readResource({ uri: String(uri) });
      const [{ text } = { text: '{}' }] = /** @type {{text: string}[]} */ (contents);
      assert.ok(Object.hasOwn(JSON.parse(text), String(member)), uri);
    }

    const { prompts } = await client.listPrompts();
    assert.deepEqual(
      prompts.map(({ name, arguments: all }) => [name, (all ?? []).map(({ required }) => required)]),
      [
        ['describe_data', []],
        ['greet_user', [true]],
        ['compare_regions', [true, true]],
      ],
    );
    const said = JSON.stringify(await client.getPrompt({ name: 'greet_user', arguments: { user_id: '7' } }));
    assert.match(said, /Write a short letter to \w+ \w+ in \w+/);
    const values = await client.complete({
      ref: { type: 'ref/resource', uri: 'users://{id}' },
      argument: { name: 'id', value: '12' },
    });
    assert.deepEqual(values.completion.values.slice(0, 3), ['12', '120', '121']);
    const regions = await client.complete({
      ref: { type: 'ref/prompt', name: 'compare_regions' },
      argument: { name: 'first', value: 'a' },
    });
    assert.deepEqual(regions.completion.values, ['africa', 'americas', 'asia']);
    await client.close();
  });
}

describe('what is not there is refused, in words that tell nothing of the inside', () => {
  /** @type {[string, object, RegExp][]} */
  const WRONG = [
    ['resources/read', { uri: 'users://10001' }, /-32002|-32602.*users:\/\/10001/],
    ['resources/read', { uri: 'users://seven' }, /users:\/\/seven/],
    ['resources/read', { uri: 'regions://moon' }, /regions:\/\/moon/],
    ['resources/read', { uri: 'file:///etc/passwd' }, /passwd/],
    ['prompts/get', { name: 'greet_user', arguments: { user_id: 'x' } }, /the id of a user/],
    ['prompts/get', { name: 'greet_user', arguments: { user_id: '10001' } }, /there is no user 10001/],
    ['prompts/get', { name: 'nope' }, /not found/],
    // Without a session there is nobody to notify.
    ['resources/subscribe', { uri: 'users://1' }, /-32601/],
  ];
  for (const [method, params, said] of WRONG) {
    test(`${method} ${JSON.stringify(params)}`, async () => {
      const { message } = await post(target, { jsonrpc: '2.0', id: 1, method, params });
      assert.ok(message.error, JSON.stringify(message));
      assert.match(JSON.stringify(message.error), said);
    });
  }
});

test('requests are counted by their method', async () => {
  const { client } = await connectClient(target, MODERN);
  await client.listResources();
  await client.listPrompts();
  await client.close();
  const metrics = await readMetrics(target);
  for (const method of [
    'resources/list',
    'resources/read',
    'prompts/list',
    'prompts/get',
    'completion/complete',
  ]) {
    const series = `request_duration_seconds_count{method="${method}",endpoint="${method}",status="200"}`;
    assert.ok(metrics(series) > 0, method);
  }
});

describe('payload', () => {
  for (const [sent, asked] of [
    [0, 0],
    [1024, 1024],
    [32_768, 32_768],
    [200_000, 3],
  ]) {
    test(`takes ${sent} bytes and answers with ${asked}`, async () => {
      const input = { body: 'x'.repeat(Number(sent)), reply_bytes: asked };
      const { message } = await callTool(target, 'payload', input);
      assert.equal(message.result.structuredContent, undefined);
      assert.equal(message.result.content[0].text.length, asked);
    });
  }

  test('bounds both', async () => {
    for (const input of [{ body: 'x'.repeat(600_000) }, { reply_bytes: 600_000 }, { reply_bytes: -1 }]) {
      assert.equal((await callTool(target, 'payload', input)).message.result.isError, true);
    }
  });
});

/** @param {import('@modelcontextprotocol/client').Client} client @returns {string[]} filled as notifications come */
function updatesOf(client) {
  /** @type {string[]} */
  const uris = [];
  client.setNotificationHandler(
    'notifications/resources/updated',
    ({ params }) => void uris.push(params.uri),
  );
  return uris;
}

/** @param {Target} of */
const subscriptions = async (of) => (await readMetrics(of))('subscriptions_active');

describe('subscriptions', () => {
  test('a session hears of changes that either worker makes, until it unsubscribes', async () => {
    const { client, transport } = await connectClient(withSessions, '2025-11-25');
    assert.equal(client.getServerCapabilities()?.resources?.subscribe, true);
    const heard = updatesOf(client);
    await client.subscribeResource({ uri: 'users://31' });
    await client.subscribeResource({ uri: 'users://31' });
    await client.subscribeResource({ uri: 'regions://africa' });
    assert.equal(await subscriptions(withSessions), 2);
    // Another instance, even: the change comes through Redis.
    for (const where of [withSessions, target]) {
      const before = heard.length;
      await useTool(where, 'update_user', { user_id: 31, city: 'Oslo' });
      await until(() => heard.length > before);
    }
    assert.deepEqual([...new Set(heard)], ['users://31'], 'its region is another');
    // The seed puts user 10 into the first region.
    await useTool(target, 'update_user', { user_id: 10, plan: 'pro' });
    await until(() => heard.includes('regions://africa'));

    await client.unsubscribeResource({ uri: 'users://31' });
    const before = heard.length;
    await useTool(withSessions, 'update_user', { user_id: 31, city: 'Pune' });
    await useTool(target, 'update_user', { user_id: 10, plan: 'free' });
    await until(() => heard.length > before);
    assert.deepEqual(heard.slice(before), ['regions://africa']);

    await assert.rejects(client.subscribeResource({ uri: 'moons://1' }), /not found/i);
    await transport.terminateSession();
    await client.close();
    assert.equal(await subscriptions(withSessions), 0);
  });

  test('a modern client hears of them on a stream, and a stop ends it at once', async () => {
    const other = await services.startTarget({ WORKERS: '2' });
    const { client } = await connectClient(other, MODERN);
    const heard = updatesOf(client);
    const stream = await client.listen({ resourceSubscriptions: ['users://41', 'users://42'] });
    await until(async () => (await subscriptions(other)) === 1);
    // That the stream is open says nothing of Redis yet, and nobody is told twice.
    await until(async () => {
      await useTool(other, 'update_user', { user_id: 41, city: 'Oslo' });
      return heard.length > 0;
    });
    assert.deepEqual([...new Set(heard)], ['users://41']);
    const metrics = await readMetrics(other);
    const streams = 'request_duration_seconds_count{method="subscriptions/listen"';
    assert.ok(Number.isNaN(metrics(`${streams},endpoint="subscriptions/listen",status="200"}`)));

    const start = Date.now();
    assert.equal(await other.stop(), 0);
    assert.ok(Date.now() - start < 2500, `it took ${Date.now() - start} ms`);
    await stream.closed;
    await client.close();
  });

  test('a stream that its client leaves is let go', async () => {
    const { client } = await connectClient(target, MODERN);
    const stream = await client.listen({ resourceSubscriptions: ['users://43'] });
    await until(async () => (await subscriptions(target)) === 1);
    await stream.close();
    await until(async () => (await subscriptions(target)) === 0);
    await client.close();
  });

  for (const strategy of ['none', 'read-through', 'write-through']) {
    test(`with the cache strategy ${strategy}, too`, async () => {
      const other = await services.startTarget({ SESSIONS: '1', CACHE_STRATEGY: strategy });
      const { client } = await connectClient(other, '2025-11-25');
      const heard = updatesOf(client);
      await client.subscribeResource({ uri: 'users://51' });
      await useTool(other, 'update_user', { user_id: 51, city: 'Lima' });
      await until(() => heard.length > 0);
      const { contents } = await client.readResource({ uri: 'users://51' });
      assert.match(JSON.stringify(contents), /Lima/, 'what is read after it is new');
      await client.close();
      await other.stop();
    });
  }

  test('without Redis there are none; with it again, there are', async () => {
    const { client } = await connectClient(withSessions, '2025-11-25');
    const heard = updatesOf(client);
    await client.subscribeResource({ uri: 'users://61' });
    await services.redis.stop();
    const { client: late } = await connectClient(withSessions, '2025-11-25');
    await late.listTools();
    services.redis = await services.startRedis();
    await until(async () => {
      await useTool(withSessions, 'update_user', { user_id: 61, city: 'Lima' });
      return heard.length > 0;
    });
    await Promise.all([client.close(), late.close()]);
  });
});

test('an idle session is closed after SESSION_TIMEOUT; one that listens is not', async () => {
  const other = await services.startTarget({ SESSIONS: '1', SESSION_TIMEOUT: '1' });
  const active = async () => (await readMetrics(other))('sessions_active');
  // The official client opens the stream of its session.
  const { client } = await connectClient(other, '2025-11-25');
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  };
  const { headers } = await post(other, initialize);
  assert.equal(await active(), 2);
  await until(async () => (await active()) === 1);
  const gone = { 'Mcp-Session-Id': String(headers.get('mcp-session-id')) };
  assert.equal((await post(other, { jsonrpc: '2.0', id: 2, method: 'tools/list' }, gone)).status, 404);
  await new Promise((resolve) => setTimeout(resolve, 2000));
  assert.equal(await active(), 1);
  await client.close();
  await until(async () => (await active()) === 0);
  await other.stop();
});

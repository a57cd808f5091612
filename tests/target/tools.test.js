import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { NPM_TOOLS } from '../../target/npm/tools.js';
import runJob from '../../target/tools/run-job.js';
import { callTool, connectClient, LEGACY, MODERN, post, readMetrics, useTool } from './client.js';
import { Services } from './services.js';

const services = new Services();
/** @type {Awaited<ReturnType<Services['startTarget']>>} */
let target;

before(async () => {
  await services.start();
  target = await services.startTarget();
});
after(() => services.stop());

/** Arguments that work, and a part of the answer that they must lead to. */
const CALLS = [
  { tool: 'get_user', input: { user_id: 7 }, expected: { user: { id: 7, email: 'user7@example.com' } } },
  { tool: 'search_users', input: { query: 'ADA n', limit: 3 }, expected: { count: 3 } },
  { tool: 'update_user', input: { user_id: 8, city: 'Oslo' }, expected: { user: { id: 8, city: 'Oslo' } } },
  { tool: 'generate_report', input: { region: 'nordics' }, expected: { region: 'nordics' } },
  { tool: 'fetch_weather', input: { city: 'Oslo' }, expected: { city: 'Oslo' } },
  { tool: 'process_batch', input: { items: [{ key: 'a', value: 1 }] }, expected: { processed: 1 } },
  { tool: 'run_job', input: { seconds: 0.1 }, expected: { seconds: 0.1 } },
];

/** Its answer is a text and nothing else; resources.test.js calls it. */
const WITHOUT_STRUCTURE = 'payload';

/** Those of a proxy manager; npm.test.js calls them. */
const NPM = NPM_TOOLS.map(({ name }) => name);

for (const version of [MODERN, ...LEGACY]) {
  test(`the official client uses every tool in ${version}`, async () => {
    const { client } = await connectClient(target, version);
    const { tools } = await client.listTools();
    const names = [...CALLS.map(({ tool }) => tool), WITHOUT_STRUCTURE, ...NPM];
    assert.deepEqual(tools.map(({ name }) => name).sort(), names.sort());
    for (const { name, annotations, outputSchema, inputSchema } of tools) {
      const writes =
        ['update_user', 'process_batch'].includes(name) || /^(update|delete|renew|bulk)_/.test(name);
      const makes = /^(create|import)_/.test(name);
      assert.equal(inputSchema.type, 'object');
      // These members came with 2025-03-26 and 2025-06-18; the SDK sends them to older clients too.
      assert.equal(outputSchema?.type, name === WITHOUT_STRUCTURE ? undefined : 'object');
      assert.equal(annotations?.readOnlyHint, !writes && !makes, name);
      assert.equal(annotations?.destructiveHint ?? false, writes, name);
    }
    for (const { tool, input, expected } of CALLS) {
      const { structuredContent, content, isError } = await client.callTool({ name: tool, arguments: input });
      assert.ok(!isError, `${tool}: ${JSON.stringify(content)}`);
      assertHolds(structuredContent, expected);
      const [{ text } = { text: '' }] = /** @type {{text: string}[]} */ (content);
      assert.deepEqual(JSON.parse(text), structuredContent);
    }
    await client.close();
  });
}

for (const version of [MODERN, ...LEGACY]) {
  test(`run_job reports progress to a client that asks for it in ${version}`, async () => {
    const { client } = await connectClient(target, version);
    /** @type {unknown[]} */
    const reports = [];
    const job = { name: 'run_job', arguments: { seconds: 1.5 } };
    await client.callTool(job, { onprogress: (report) => reports.push(report) });
    assert.equal(reports.length, 2);
    assert.deepEqual(reports[1], { progress: 1.5, total: 1.5 });
    await client.close();
  });
}

test('run_job ends when its client gives the call up', { timeout: 10_000 }, async () => {
  const call = { signal: AbortSignal.abort(), reportProgress: async () => {} };
  await assert.rejects(runJob.run({ seconds: 60 }, /** @type {any} */ ({}), call), /the job was cancelled/);
});

describe('run_job as a task', () => {
  const extensions = { 'io.modelcontextprotocol/tasks': {} };
  /** @param {string} method @param {object} params @returns {Promise<any>} its message */
  const ask = async (method, params) => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientCapabilities': { extensions },
    };
    const headers = { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': method };
    const name = /** @type {any} */ (params).name ?? /** @type {any} */ (params).taskId;
    const message = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } };
    return (await post(target, message, { ...headers, 'Mcp-Name': name })).message;
  };

  test('a client that takes tasks gets one, and its result when it has ended', async () => {
    const job = { name: 'run_job', arguments: { seconds: 0.3 } };
    const { result: made } = await ask('tools/call', job);
    assert.deepEqual([made.resultType, made.status], ['task', 'working']);
    const { taskId } = made;
    /** @type {any} */
    let task;
    do task = (await ask('tasks/get', { taskId })).result;
    while (task.status === 'working');
    assert.deepEqual([task.resultType, task.status, task.taskId], ['complete', 'completed', taskId]);
    assert.deepEqual(task.result.structuredContent, { seconds: 0.3 });
    assert.equal((await ask('tasks/cancel', { taskId })).result.resultType, 'complete');
  });

  test('what is no task of this server is refused', async () => {
    for (const taskId of ['', 'none', Buffer.from('{"seconds":1e9,"began":1}').toString('base64url')])
      assert.equal((await ask('tasks/get', { taskId })).error.code, -32602, taskId);
  });
});

describe('input', () => {
  const WRONG = [
    { tool: 'get_user', input: {}, about: /user_id/ },
    { tool: 'get_user', input: { user_id: '12345' }, about: /user_id.*expected number/ },
    { tool: 'get_user', input: { user_id: 0 }, about: /user_id.*>=1/ },
    { tool: 'get_user', input: { user_id: 10_001 }, about: /there is no user 10001/ },
    { tool: 'search_users', input: { query: '' }, about: /query/ },
    { tool: 'search_users', input: { query: 'a', limit: 101 }, about: /limit/ },
    { tool: 'update_user', input: { user_id: 1 }, about: /at least one of name, city, plan/ },
    { tool: 'update_user', input: { user_id: 1, plan: 'gold' }, about: /plan/ },
    { tool: 'update_user', input: { user_id: 10_001, city: 'Oslo' }, about: /there is no user 10001/ },
    { tool: 'generate_report', input: { region: 'moon' }, about: /region/ },
    { tool: 'fetch_weather', input: { city: ' ' }, about: /city/ },
    { tool: 'process_batch', input: { items: [] }, about: /items/ },
    { tool: 'process_batch', input: { items: batch(501) }, about: /items.*<=500/ },
    { tool: 'run_job', input: { seconds: 3601 }, about: /seconds.*<=3600/ },
  ];
  for (const { tool, input, about } of WRONG) {
    test(`${tool} refuses ${JSON.stringify(input).slice(0, 40)}`, async () => {
      const errorsOf = `tool_errors_total{endpoint="${tool}"}`;
      const errors = (await readMetrics(target))(errorsOf);
      const { status, message } = await callTool(target, tool, input);
      assert.equal(status, 200);
      assert.equal(message.result.isError, true);
      assert.match(message.result.content[0].text, about);
      assert.equal((await readMetrics(target))(errorsOf), errors + 1);
    });
  }

  test('an unknown tool is an error of the protocol', async () => {
    const { message } = await callTool(target, 'nope', {});
    assert.equal(message.error.code, -32602);
  });
});

test('search_users takes the query as text, not as a pattern', async () => {
  assert.equal((await useTool(target, 'search_users', { query: '%' })).count, 0);
  assert.equal((await useTool(target, 'search_users', { query: '_da' })).count, 0);
  const { users } = await useTool(target, 'search_users', { query: 'ada n', limit: 100 });
  assert.ok(users.every((/** @type {{name: string}} */ { name }) => name.startsWith('Ada N')));
});

test('process_batch tells inserted from updated items, and the last of a key counts', async () => {
  const key = (/** @type {number} */ n) => `tell-${n}`;
  const items = [1, 2, 1].map((n, value) => ({ key: key(n), value }));
  assert.deepEqual(await useTool(target, 'process_batch', { items }), {
    processed: 3,
    inserted: 2,
    updated: 0,
  });
  assert.deepEqual(await useTool(target, 'process_batch', { items }), {
    processed: 3,
    inserted: 0,
    updated: 2,
  });
});

test('concurrent batches of the same items in different orders do not deadlock', async () => {
  const items = batch(500);
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, n) =>
      useTool(target, 'process_batch', { items: n % 2 ? items : items.toReversed() }),
    ),
  );
  assert.ok(answers.every(({ processed }) => processed === 500));
  assert.equal((await readMetrics(target))('database_deadlocks_total'), 0);
});

test('generate_report runs 15 queries and adds them up right', async () => {
  const queries = 'database_query_duration_seconds_count{query_type="select"}';
  const before = (await readMetrics(target))(queries);
  const report = await useTool(target, 'generate_report', { region: 'asia' });
  assert.equal((await readMetrics(target))(queries) - before, 15);
  const sum = (/** @type {number[]} */ values) => values.reduce((total, value) => total + value, 0);
  assert.equal(report.revenue_by_month.length, 12);
  assert.ok(
    Math.abs(sum(report.revenue_by_month) - sum(Object.values(report.revenue_by_category))) < 0.01,
    'months and categories add up to the same',
  );
  assert.equal(sum(Object.values(report.users_by_plan)), 1000);
  assert.ok(report.order_value.mean_low < report.order_value.mean_high);
});

/** @param {number} length */
function batch(length) {
  return Array.from({ length }, (_, n) => ({ key: `batch-${n}`, value: n }));
}

/**
 * @param {any} actual
 * @param {any} expected
 */
function assertHolds(actual, expected) {
  for (const [name, value] of Object.entries(expected)) {
    if (typeof value === 'object') assertHolds(actual[name], value);
    else assert.equal(actual[name], value, name);
  }
}

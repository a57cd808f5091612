import assert from 'node:assert/strict';
import { symlink, unlink } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { readMetrics } from './client.js';
import { Services, TOKEN, until } from './services.js';

const services = new Services();
/** @type {Awaited<ReturnType<Services['startTarget']>>} */
let target;

before(async () => {
  await services.start();
  target = await services.startTarget({ WORKERS: '2' });
});
after(() => services.stop());

/**
 * @param {string} user
 * @param {string} tool as it stands in the path
 * @param {unknown} [body] text is sent as it is
 * @param {{method?: string, origin?: string, headers?: Record<string, string>}} [options]
 * @returns {Promise<{status: number, headers: Headers, body: any}>}
 */
async function call(user, tool, body = { arguments: {} }, options = {}) {
  const { method = 'POST', origin = target.origin, headers = {} } = options;
  const response = await fetch(`${origin}/tools/${tool}/call`, {
    method,
    headers: { Authorization: `Bearer ${TOKEN}`, 'X-User-ID': user, ...headers },
    ...(method === 'POST' && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) };
}

/** Every tool, with the status that guest_user, dev_user and admin_user get. */
const ACCESS = {
  get_current_model: [200, 200, 200],
  git_log: [200, 200, 200],
  git_status: [200, 200, 200],
  list_files: [403, 200, 200],
  read_file: [403, 200, 200],
  list_users: [403, 403, 200],
};

describe('access', () => {
  for (const [tool, expected] of Object.entries(ACCESS)) {
    test(`${tool}: guest, dev, admin get ${expected.join(', ')}`, async () => {
      const body = { arguments: tool === 'read_file' ? { path: 'README.md' } : {} };
      const statuses = [];
      for (const user of ['guest_user', 'dev_user', 'admin_user'])
        statuses.push((await call(user, tool, body)).status);
      assert.deepEqual(statuses, expected);
    });
  }

  test('a refusal says why, and nothing of what the tool would have said', async () => {
    const { status, headers, body } = await call('guest_user', 'list_users');
    assert.equal(status, 403);
    assert.match(headers.get('content-type') ?? '', /^application\/json/);
    assert.deepEqual(body, {
      detail: 'list_users needs clearance for HIGH, which the role guest does not have',
    });
  });

  test('401 without a token, without a user, and for one that there is not', async () => {
    for (const Authorization of ['', 'Bearer wrong']) {
      const { status, headers } = await call('admin_user', 'git_log', {}, { headers: { Authorization } });
      assert.equal(status, 401);
      assert.match(headers.get('www-authenticate') ?? '', /^Bearer/);
    }
    for (const user of ['', 'nobody', 'admin', "' OR 1=1 --", 'x'.repeat(101)]) {
      const { status, body } = await call(user, 'git_log');
      assert.deepEqual([status, body.detail], [401, 'X-User-ID must name a known user']);
    }
  });

  test('403 for a foreign origin', async () => {
    const headers = { Origin: 'https://evil.example' };
    assert.equal((await call('admin_user', 'git_log', {}, { headers })).status, 403);
  });

  test('a role that changes in the database counts within seconds', async () => {
    const database = new pg.Client(services.databaseUrl);
    await database.connect();
    const become = (/** @type {string} */ role) =>
      database.query('UPDATE accounts SET role = $1 WHERE id = $2', [role, 'guest_user']);
    await become('admin');
    await until(async () => (await call('guest_user', 'list_users')).status === 200);
    await become('guest');
    await until(async () => (await call('guest_user', 'list_users')).status === 403);
    await database.end();
  });

  test('with no cache it counts at once; without Redis too, and nobody gets in without the database', async () => {
    const uncached = await services.startTarget({ CACHE_STRATEGY: 'none' });
    const database = new pg.Client(services.databaseUrl);
    await database.connect();
    await database.query("UPDATE accounts SET role = 'dev' WHERE id = 'guest_user'");
    assert.equal((await call('guest_user', 'list_files', {}, uncached)).status, 200);
    await database.query("UPDATE accounts SET role = 'guest' WHERE id = 'guest_user'");
    assert.equal((await call('guest_user', 'list_files', {}, uncached)).status, 403);
    await database.end();

    await services.redis?.stop();
    assert.equal((await call('dev_user', 'list_files')).status, 200);
    await services.postgres?.stop('SIGINT');
    const { status, body } = await call('admin_user', 'list_users');
    assert.equal(status, 503);
    assert.doesNotMatch(JSON.stringify(body), /postgres|SELECT/);
    services.postgres = await services.startPostgres();
    services.redis = await services.startRedis();
    await until(async () => (await call('admin_user', 'list_users')).status === 200);
    await uncached.stop();
  });
});

describe('requests', () => {
  test('404 for an unknown tool and for other paths, 405 for other methods, 400 and 413 for bodies', async () => {
    for (const tool of ['made-up', 'constructor', '%ff', 'git_log%2f..'])
      assert.equal((await call('admin_user', tool)).status, 404, tool);
    for (const path of ['/tools', '/tools/git_log', '/tools//call', '/tools/a/b/call'])
      assert.equal((await fetch(`${target.origin}${path}`, { method: 'POST' })).status, 404, path);
    const got = await call('admin_user', 'git_log', undefined, { method: 'GET' });
    assert.deepEqual([got.status, got.headers.get('allow')], [405, 'POST']);
    for (const body of ['', '{', '[]x', 'null', { arguments: [] }, { arguments: { limit: 'all' } }])
      assert.equal((await call('admin_user', 'git_log', body)).status, 400, JSON.stringify(body));
    assert.equal((await call('admin_user', 'git_log', 'x'.repeat(1024 * 1024 + 1))).status, 413);
    assert.equal(
      (await call('admin_user', 'git_log', {})).status,
      200,
      'no arguments are as good as empty ones',
    );
  });

  test('the tools answer what they promise', async () => {
    const use = async (/** @type {string} */ tool, input = {}) =>
      (await call('admin_user', tool, { arguments: input })).body.result;
    assert.deepEqual(
      (await use('list_files')).files.map((/** @type {{name: string}} */ { name }) => name),
      ['README.md', 'docs', 'src'],
    );
    assert.match((await use('read_file', { path: 'src/stock.py' })).content, /def available/);
    const { commits } = await use('git_log', { limit: 3 });
    assert.equal(commits.length, 3);
    assert.equal((await use('git_status')).head, commits[0].commit);
    assert.equal((await use('get_current_model')).model, 'example-7b');
    assert.deepEqual((await use('list_users')).users, [
      { user_id: 'admin_user', role: 'admin' },
      { user_id: 'dev_user', role: 'dev' },
      { user_id: 'guest_user', role: 'guest' },
    ]);
  });
});

describe('the sandbox', () => {
  const read = (/** @type {unknown} */ path) => call('dev_user', 'read_file', { arguments: { path } });

  test('nothing outside of it is there', async () => {
    const outside = fileURLToPath(new URL('../../target/config.js', import.meta.url));
    for (const path of [
      '../accounts.js',
      'src/../../accounts.js',
      '/etc/passwd',
      outside,
      '../sandbox-of-another',
      'README.md\0.txt',
      '..',
      '.',
      'src',
      'none.txt',
      'README.md/x',
      'x'.repeat(900),
    ]) {
      const { status, body } = await read(path);
      assert.deepEqual([status, body], [404, { detail: 'there is no such file or folder' }], path);
    }
    for (const path of ['..', '../tools', '/', 'README.md']) {
      const { status } = await call('dev_user', 'list_files', { arguments: { path } });
      assert.equal(status, 404, path);
    }
    for (const path of ['', 7, null]) assert.equal((await read(path)).status, 400);
  });

  test('nor behind a link in it', async () => {
    const link = fileURLToPath(new URL('../../target/rest/sandbox/link', import.meta.url));
    await symlink('../accounts.js', link);
    try {
      assert.equal((await read('link')).status, 404);
    } finally {
      await unlink(link);
    }
  });
});

test('requests, refusals and look-ups are counted under names of bounded number', async () => {
  const before = await readMetrics(target);
  for (let n = 0; n < 5; n++) await call('guest_user', 'list_files');
  await call('made-up-user', 'made-up-tool');
  const metrics = await readMetrics(target);
  const grown = (/** @type {string} */ series) => metrics(series) - (before(series) || 0);
  assert.equal(grown('request_duration_seconds_count{method="POST",endpoint="list_files",status="403"}'), 5);
  assert.equal(grown('access_denied_total{endpoint="list_files",role="guest"}'), 5);
  assert.equal(
    grown('cache_hits_total{tool="list_files"}') + grown('cache_misses_total{tool="list_files"}'),
    5,
  );
  assert.doesNotMatch(await (await fetch(`${target.origin}/metrics`)).text(), /made-up/);
});

test('the rate limit is the same as for MCP', async () => {
  const limited = await services.startTarget({ RATE_LIMIT_RPS: '5' });
  const statuses = new Set();
  for (let n = 0; n < 15; n++) {
    const { status, headers, body } = await call('guest_user', 'git_log', {}, limited);
    if (status === 429) assert.match(`${headers.get('retry-after')} ${body.detail}`, /^[1-9]\d* rate limit/);
    statuses.add(status);
  }
  assert.deepEqual([...statuses].sort(), [200, 429]);
  await limited.stop();
});

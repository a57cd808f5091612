import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import { connectClient, LEGACY, MODERN, readMetrics, useTool } from './client.js';
import { Services, TOKEN, until } from './services.js';

const services = new Services();
/** @type {Awaited<ReturnType<Services['startTarget']>>} */
let target;

before(async () => {
  await services.start();
  target = await services.startTarget({ SESSIONS: '1', WORKERS: '2' });
});
after(() => services.stop());

for (const version of LEGACY) {
  test(`the official client has a session in ${version} and ends it`, async () => {
    const { client, transport } = await connectClient(target, version);
    assert.ok(transport.sessionId);
    assert.equal(await activeSessions(), 1);
    for (let n = 1; n <= 10; n++) {
      const { structuredContent } = await client.callTool({ name: 'get_user', arguments: { user_id: n } });
      assert.equal(/** @type {{user: {id: number}}} */ (structuredContent).user.id, n);
    }
    await transport.terminateSession();
    await client.close();
    assert.equal(await activeSessions(), 0);
  });
}

test('modern clients have no session next to them', async () => {
  const { client, transport } = await connectClient(target, MODERN);
  await client.callTool({ name: 'get_user', arguments: { user_id: 1 } });
  assert.equal(transport.sessionId, undefined);
  assert.equal((await useTool(target, 'get_user', { user_id: 2 })).user.id, 2);
  await client.close();
});

test('a session is the same whichever worker a connection reaches, until it is deleted', async () => {
  const created = await send({ method: 'POST', body: INITIALIZE });
  const session = created.headers['mcp-session-id'];
  assert.equal(created.status, 200);
  assert.match(String(session), /^[12]\./);

  // Connections go to the workers in turn: of ten new ones half reach the worker that does not hold the session.
  for (let n = 1; n <= 10; n++) {
    const answer = await send({ method: 'POST', body: getUser(n), session });
    assert.equal(answer.status, 200);
    assert.ok(answer.text.includes(`user${n}@example.com`), answer.text);
  }
  assert.equal((await send({ method: 'DELETE', session })).status, 200);
  for (let n = 1; n <= 4; n++) {
    assert.equal((await send({ method: 'POST', body: getUser(n), session })).status, 404);
  }
});

test('the event stream of a session stays open until the session ends', async () => {
  const { headers } = await send({ method: 'POST', body: INITIALIZE });
  const session = headers['mcp-session-id'];
  const stream = openStream(session);
  const start = Date.now();
  await until(() => stream.status() === 200);
  assert.ok(Date.now() - start < 1000, 'the client hears at once that it is open');
  // One of two connections is routed, and both find the stream taken.
  for (let n = 0; n < 2; n++) assert.equal((await send({ method: 'GET', session })).status, 409);
  assert.equal(stream.ended(), false);
  assert.equal((await send({ method: 'DELETE', session })).status, 200);
  await until(() => stream.ended());
});

test('a stop does not wait for open streams', async () => {
  const other = await services.startTarget({ SESSIONS: '1', WORKERS: '1' });
  const { client } = await connectClient(other, '2025-11-25');
  const start = Date.now();
  assert.equal(await other.stop(), 0);
  assert.ok(Date.now() - start < 1500, `it took ${Date.now() - start} ms`);
  await client.close();
});

test('404 for sessions that no worker has, 400 without one', async () => {
  for (const session of ['1.unknown', '2.unknown', '99.unknown', 'unknown', '../1', '1.']) {
    const { status, text } = await send({ method: 'POST', body: getUser(1), session });
    assert.deepEqual([status, JSON.parse(text).error.code], [404, -32001], session);
  }
  assert.equal((await send({ method: 'POST', body: getUser(1) })).status, 400);
});

test('a session does not open the door', async () => {
  const { headers } = await send({ method: 'POST', body: INITIALIZE });
  const session = headers['mcp-session-id'];
  for (let n = 0; n < 4; n++) {
    assert.equal((await send({ method: 'POST', body: getUser(1), session, token: 'wrong' })).status, 401);
  }
});

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

/** @param {number} user_id */
function getUser(user_id) {
  return {
    jsonrpc: '2.0',
    id: 2,
    method: 'tools/call',
    params: { name: 'get_user', arguments: { user_id } },
  };
}

async function activeSessions() {
  return (await readMetrics(target))('sessions_active');
}

/**
 * @typedef {object} Sent
 * @property {string} method
 * @property {object} [body]
 * @property {string | string[]} [session]
 * @property {string} [token]
 */

/**
 * Sends a request on a connection of its own.
 * @param {Sent} sent
 * @returns {Promise<{status: number | undefined, headers: import('node:http').IncomingHttpHeaders, text: string}>}
 */
function send(sent) {
  return new Promise((resolve, reject) => {
    open(sent)
      .on('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
      })
      .on('error', reject);
  });
}

/** @param {string | string[] | undefined} session */
function openStream(session) {
  /** @type {number | undefined} */
  let status;
  let ended = false;
  open({ method: 'GET', session }).on('response', (response) => {
    status = response.statusCode;
    response.resume().on('close', () => {
      ended = true;
    });
  });
  return { status: () => status, ended: () => ended };
}

/** @param {Sent} sent */
function open({ method, body, session, token = TOKEN }) {
  const headers = {
    Authorization: `Bearer ${token}`,
    Accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
    'MCP-Protocol-Version': '2025-06-18',
    ...(body && { 'Content-Type': 'application/json' }),
    ...(session !== undefined && { 'Mcp-Session-Id': session }),
  };
  const opened = request(target.url, { method, headers, agent: false });
  opened.end(body && JSON.stringify(body));
  return opened;
}

/** Each part of the protocol over real sockets, against servers that check what they get. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startEverything } from '../servers/everything.js';
import { startFeatureServer } from './feature-server.js';
import { passes } from './passes.js';
import { startScriptedServer } from './scripted-server.js';

/** @type {Awaited<ReturnType<typeof startFeatureServer>>} */
let features;
/** @type {Awaited<ReturnType<typeof startScriptedServer>>} */
let scripted;

before(async () => {
  features = await startFeatureServer();
  scripted = await startScriptedServer();
});
after(() => Promise.all([features.close(), scripted.close()]));

/**
 * @param {string} part of protocol.js
 * @param {{url: string}} server
 * @param {Record<string, string>} [variables]
 * @param {Record<string, string[]>} [want] thresholds
 */
const holds = (part, server, variables, want = {}) =>
  passes('protocol.js', { PART: part, TARGET_URL: server.url, WANT: JSON.stringify(want), ...variables });

/** What the feature server was asked since `since`. @param {number} since @param {(request: any) => boolean} which */
const asked = (since, which) => features.requests.slice(since).filter(which).length;

const base64 = (/** @type {string} */ text) => `=?base64?${Buffer.from(text).toString('base64')}?=`;

/** @param {string} method */
const ofMethod =
  (method) =>
  (/** @type {any} */ { message }) =>
    message?.method === method;
const isDelete = (/** @type {any} */ { verb }) => verb === 'DELETE';

test('every version, forced: TypeScript SDK 2.x', () =>
  holds('versions', features, { VERSIONS: '2026-07-28,2025-11-25,2025-06-18,2025-03-26,2024-11-05' }));

test('the four legacy versions, forced: TypeScript SDK 1.x', async () => {
  const everything = await startEverything();
  try {
    await holds('versions', everything);
  } finally {
    everything.stop();
  }
});

test('versions that only one side knows', () => holds('negotiation', scripted));

for (const era of ['modern', 'legacy']) {
  test(`everything that a server can be asked: ${era}`, () =>
    holds('methods', features, { TARGET_PROTOCOL: era }));
}

test('lists of several pages, and of endless ones', () => holds('pages', scripted));

test('Mcp-Param headers as the tool has them, in the modern era alone', async () => {
  const since = features.requests.length;
  await holds('headers', features);
  const sent = features.requests.slice(since).map(({ headers }) => headers);
  assert.ok(
    sent.some((headers) => headers['mcp-param-region'] === 'us-west1' && headers['mcp-param-floor'] === '3'),
  );
  assert.ok(sent.some((headers) => headers['mcp-param-region'] === base64('größe\n')));
  const legacy = sent.filter((headers) => headers['mcp-protocol-version'] !== '2026-07-28');
  assert.ok(legacy.length > 0);
  assert.ok(legacy.every((headers) => !('mcp-param-region' in headers)));
});

test('input_required: forms are filled in, each round is a request, none a failure', () =>
  holds('input', features, {}, { mcp_requests: ['count==4'], mcp_request_failed: ['rate==0'] }));

test('input_required: what can not be answered is a failure, and rounds are bounded', async () => {
  await holds(
    'input-refused',
    scripted,
    {},
    { mcp_failures: ['count==2'], 'mcp_failures{kind:unexpected}': ['count==2'] },
  );
  const rounds = scripted.requests.filter(({ path, method }) => path === 'asks' && method === 'tools/call');
  assert.ok(rounds.length > 1 && rounds.length <= 10, String(rounds.length));
});

/** Set-up's own session, opened and ended, comes on top of what the server saw. */
for (const [mode, initialized, deleted, left, requests] of /** @type {const} */ ([
  ['per-vu', 1, 0, 1, 5],
  ['per-call', 3, 3, 0, 12],
  ['abandon', 3, 0, 3, 9],
])) {
  test(`SESSIONS_MODE=${mode}`, async () => {
    const since = features.requests.length;
    const open = features.openSessions();
    const variables = { SESSIONS_MODE: mode, TARGET_PROTOCOL: 'legacy', CALLS: '3' };
    const want = {
      mcp_requests: [`count==${requests}`],
      mcp_request_failed: ['rate==0'],
      mcp_session_duration: ['max>0'],
    };
    await holds('sessions', features, variables, want);
    assert.equal(asked(since, ofMethod('initialize')), 1 + initialized);
    assert.equal(asked(since, ofMethod('notifications/initialized')), 1 + initialized);
    assert.equal(asked(since, ofMethod('tools/call')), 3);
    assert.equal(asked(since, isDelete), 1 + deleted);
    assert.equal(features.openSessions() - open, left);
  });
}

test('SESSIONS_MODE=per-call changes nothing where there are no sessions', () =>
  holds(
    'sessions',
    features,
    { SESSIONS_MODE: 'per-call', TARGET_PROTOCOL: 'modern', CALLS: '3' },
    { mcp_requests: ['count==3'] },
  ));

test('a session that has ended is opened anew and the call made again, which is counted', () =>
  holds(
    'expiry',
    features,
    {},
    {
      mcp_sessions_expired: ['count==1'],
      mcp_request_failed: ['rate==0'],
      mcp_requests: ['count==8'],
    },
  ));

test('a session that is gone again at once is a failure', async () => {
  await holds('amnesia', scripted, {}, { mcp_sessions_expired: ['count==2'], mcp_failures: ['count==2'] });
  assert.equal(
    scripted.requests.filter(({ path, method }) => path === 'amnesia' && method === 'tools/call').length,
    4,
  );
});

test('a stream that the server closed early is resumed; the wait is part of the call', () =>
  holds(
    'resumption',
    features,
    {},
    {
      'mcp_request_duration{operation:slow}': ['min>=300', 'max<2000'],
      mcp_request_failed: ['rate==0'],
    },
  ));

test('a resumed stream that stays open after the reply', () =>
  holds('open-resumption', scripted, {}, { mcp_request_failed: ['rate==0'] }));

test('an event stream with all that it may hold', () => holds('odd-sse', scripted));

test('CLIENT_CACHE=1: what may be kept is asked for once, and hits are no requests', async () => {
  const since = features.requests.length;
  const want = { mcp_cache_hits: ['count==2'], mcp_requests: ['count==4'] };
  await holds('cache', features, { CLIENT_CACHE: '1' }, want);
  assert.equal(asked(since, ofMethod('resources/read')), 1);
  await holds('cache', features, {}, { mcp_requests: ['count==6'] });
  assert.equal(asked(since, ofMethod('resources/read')), 4);
});

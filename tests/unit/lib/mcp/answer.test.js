import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAnswer, wasRefused } from '../../../../lib/mcp/answer.js';
import { FAILURE_KINDS } from '../../../../lib/mcp/failure-kinds.js';
import { eventData } from '../../../../lib/mcp/sse.js';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const SSE_TYPE = { 'Content-Type': 'text/event-stream; charset=utf-8' };

/** @param {object} [parts] */
const http = (parts) => ({ status: 200, error_code: 0, error: '', body: '', headers: JSON_TYPE, ...parts });

/** @param {unknown} message */
const reply = (message) => http({ body: JSON.stringify(message) });

const GOOD = { jsonrpc: '2.0', id: 7, result: { content: [] } };

test('a result is an answer, as JSON and as SSE', () => {
  assert.deepEqual(readAnswer(reply(GOOD), 7), { failure: null, result: { content: [] } });
  const body = `id: 1\ndata: \n\nevent: message\ndata: ${JSON.stringify(GOOD)}\n\n`;
  assert.equal(readAnswer(http({ headers: SSE_TYPE, body }), 7).failure, null);
});

test('texts that are objects are said, and end nothing with an exception', () => {
  const odd = { toString: 1 };
  assert.deepEqual(
    readAnswer(reply({ jsonrpc: '2.0', id: 7, error: { code: odd, message: [odd, 'x'] } }), 7).failure,
    {
      kind: 'jsonrpc',
      detail: 'an object: an object, x',
    },
  );
  assert.equal(readAnswer(reply({ ...GOOD, result: { resultType: odd } }), 7).failure?.kind, 'unexpected');
});

test('the reply is found by id, wherever it stands', () => {
  const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1 } };
  const other = { jsonrpc: '2.0', id: 6, result: { isError: true } };
  const body = [progress, other, GOOD].map((message) => `data: ${JSON.stringify(message)}\r\n\r\n`).join('');
  assert.equal(readAnswer(http({ headers: SSE_TYPE, body }), 7).failure, null);
  // A request of the server's with our id is not our reply.
  const asked = { jsonrpc: '2.0', id: 7, method: 'ping' };
  assert.equal(readAnswer(reply(asked), 7).failure?.kind, 'protocol');
});

/** @type {[string, any, import('../../../../lib/mcp/answer.js').FailureKind][]} */
const CASES = [
  [
    'refused',
    http({ status: 0, error_code: 1212, error: 'connection refused', body: null, headers: {} }),
    'connect',
  ],
  ['reset', http({ status: 0, error_code: 1220, error: 'reset', body: null, headers: {} }), 'connect'],
  [
    'timeout',
    http({ status: 0, error_code: 1050, error: 'request timeout', body: 'data: {', headers: {} }),
    'timeout',
  ],
  ['429', http({ status: 429 }), 'rate_limited'],
  ['401', http({ status: 401, body: 'no' }), 'http_4xx'],
  [
    '404 with an error member',
    http({ status: 404, body: '{"error":{"code":-32601,"message":"no"}}' }),
    'http_4xx',
  ],
  ['500', http({ status: 500 }), 'http_5xx'],
  ['503', http({ status: 503, body: '<html>' }), 'http_5xx'],
  ['a redirect', http({ status: 307 }), 'protocol'],
  ['HTML with 200', http({ body: '<html>', headers: { 'Content-Type': 'text/html' } }), 'protocol'],
  ['truncated JSON', http({ body: '{"jsonrpc":"2.0","id":7,"result":{' }), 'protocol'],
  ['no body', http({ status: 202, body: null }), 'protocol'],
  ['another id', reply({ ...GOOD, id: 8 }), 'protocol'],
  ['id as text', reply({ ...GOOD, id: '7' }), 'protocol'],
  ['neither result nor error', reply({ jsonrpc: '2.0', id: 7 }), 'protocol'],
  ['a result that is no object', reply({ ...GOOD, result: 'done' }), 'protocol'],
  ['an array', reply([GOOD]), 'protocol'],
  ['null', http({ body: 'null' }), 'protocol'],
  ['an error member', reply({ jsonrpc: '2.0', id: 7, error: { code: -32602, message: 'bad' } }), 'jsonrpc'],
  [
    'isError',
    reply({ ...GOOD, result: { isError: true, content: [{ type: 'text', text: 'no user' }] } }),
    'tool',
  ],
  ['input_required', reply({ ...GOOD, result: { resultType: 'input_required' } }), 'unexpected'],
  ['an SSE stream without the reply', http({ headers: SSE_TYPE, body: ': keep-alive\n\n' }), 'protocol'],
];

for (const [name, response, kind] of CASES) {
  test(`${name} is ${kind}`, () => assert.equal(readAnswer(response, 7).failure?.kind, kind));
}

test('the cases above cover every kind but the expectation', () => {
  assert.deepEqual([...new Set(CASES.map(([, , kind]) => kind))].sort(), [...FAILURE_KINDS].sort());
});

test('resultType complete is a success', () => {
  assert.equal(readAnswer(reply({ ...GOOD, result: { resultType: 'complete' } }), 7).failure, null);
});

test('an expectation not met, or that throws, is unexpected', () => {
  const expect = (/** @type {any} */ reply, /** @type {any} */ args) => reply.result.user.id === args.id;
  const user = { ...GOOD, result: { user: { id: 1 } } };
  assert.equal(readAnswer(reply(user), 7, expect, { id: 1 }).failure, null);
  assert.equal(readAnswer(reply(user), 7, expect, { id: 2 }).failure?.kind, 'unexpected');
  assert.equal(readAnswer(reply(GOOD), 7, expect, { id: 2 }).failure?.kind, 'unexpected');
});

test("a server's text becomes one bounded line without control characters", () => {
  const text = `\u001b[31mred\u001b[0m\nnext\u2028line ${'x'.repeat(10_000)}`;
  const { failure } = readAnswer(
    reply({ ...GOOD, result: { isError: true, content: [{ type: 'text', text }] } }),
    7,
  );
  assert.match(failure?.detail ?? '', /^\[31mred \[0m next line x+$/);
  assert.ok((failure?.detail.length ?? 0) <= 200);
});

test('event streams: line ends, comments, several data lines, an unfinished last event', () => {
  assert.deepEqual(eventData('data: a\n\ndata: b\n\n'), ['a', 'b']);
  assert.deepEqual(eventData('data: a\r\n\r\ndata:b\r\n\r\n'), ['a', 'b']);
  assert.deepEqual(eventData('data: a\r\rdata: b\r\r'), ['a', 'b']);
  assert.deepEqual(eventData(': hello\nid: 1\nretry: 10\ndata: \n\ndata: {\ndata:  "x": 1}\n\n'), [
    '{\n "x": 1}',
  ]);
  assert.deepEqual(eventData('data: last'), ['last']);
  assert.deepEqual(eventData(''), []);
});

test('turned away is: no connection, 429, 503; not a connection that broke, nor an answer that never came', () => {
  const refused = [
    [{ status: 0, error_code: 1212 }, true],
    [{ status: 0, error_code: 1211 }, true],
    [{ status: 0, error_code: 1220 }, false],
    [{ status: 0, error_code: 1050 }, false],
    [{ status: 429 }, true],
    [{ status: 503 }, true],
    [{ status: 500 }, false],
    [{ status: 200 }, false],
  ];
  for (const [parts, expected] of refused) {
    assert.equal(wasRefused(http(/** @type {object} */ (parts))), expected, JSON.stringify(parts));
  }
});

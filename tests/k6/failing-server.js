/**
 * A server that fails on purpose, one way a path: the test subject for telling failures apart over a real socket.
 */
import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import { listen } from './listen.js';

/** @typedef {(response: import('node:http').ServerResponse, id: unknown) => void} Behaviour */

const MIB = 2 ** 20;
const JSON_TYPE = 'application/json';
const SSE_TYPE = 'text/event-stream';

/** @param {unknown} value */
const json = (value) => JSON.stringify(value);

/** @param {number} status @param {string} [type] @param {string} [body] @param {Record<string, string>} [headers] @returns {Behaviour} */
const answer =
  (status, type = JSON_TYPE, body = '', headers = {}) =>
  (response) =>
    response.writeHead(status, { 'Content-Type': type, ...headers }).end(body);

/**
 * Status 200 and a body that is made from the request's id.
 *
 * @param {(id: unknown) => string | Buffer} body
 * @param {string} [type]
 * @param {Record<string, string>} [headers]
 * @returns {Behaviour}
 */
const says =
  (body, type = JSON_TYPE, headers = {}) =>
  (response, id) => {
    const bytes = Buffer.from(body(id));
    response.writeHead(200, { 'Content-Type': type, 'Content-Length': bytes.length, ...headers }).end(bytes);
  };

/**
 * A reply that is right but for these members.
 *
 * @param {Record<string, unknown>} members undefined: without it
 * @param {string} [type]
 */
const reply = (members, type) => says((id) => json({ jsonrpc: '2.0', id, result: {}, ...members }), type);

/** @param {(id: unknown) => string} body @returns {Behaviour} */
const sse = (body) => says(body, SSE_TYPE);

/** @param {unknown} id @param {Record<string, unknown>} [members] */
const data = (id, members = { result: {} }) => `data: ${json({ jsonrpc: '2.0', id, ...members })}\n\n`;

/**
 * The same text again and again, until the client has had enough.
 *
 * @param {string} type
 * @param {string} text
 * @param {{first?: (id: unknown) => string, everyMs?: number}} [how]
 * @returns {Behaviour}
 */
const endless =
  (type, text, { first = () => '', everyMs = 10 } = {}) =>
  (response, id) => {
    response.writeHead(200, { 'Content-Type': type }).write(first(id));
    const timer = setInterval(() => response.write(text), everyMs);
    response.on('close', () => clearInterval(timer));
  };

/** @param {(id: unknown) => string | Buffer} bytes what goes over the wire instead of an answer of Node's @returns {Behaviour} */
const raw = (bytes) => (response, id) => response.socket?.end(bytes(id));

/**
 * In two pieces: without a Content-Length the answer is chunked.
 *
 * @param {(id: unknown) => Buffer} body
 * @returns {Behaviour}
 */
const chunked = (body) => (response, id) => {
  const bytes = body(id);
  response.writeHead(200, { 'Content-Type': JSON_TYPE }).write(bytes.subarray(0, 20));
  response.end(bytes.subarray(20));
};

/** @param {unknown} id a string with bytes that UTF-8 has not */
const notUtf8 = (id) =>
  Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":{"text":"caf\xe9 \xff\xfe"}}`, 'latin1');

/** @param {unknown} id */
const huge = (id) => `{"jsonrpc":"2.0","id":${id},"result":{"text":"${'x'.repeat(50 * MIB)}"}}`;

/** @param {unknown} id @param {number} depth @param {number} closed */
const nested = (id, depth, closed) =>
  `{"jsonrpc":"2.0","id":${id},"result":{"deep":${'['.repeat(depth)}${']'.repeat(closed)}}}`;

/**
 * path -> behaviour; the part of the path before the dash is the failure's kind, or `ok`. Where that is a matter of
 * judgement, its reason stands next to it.
 *
 * @type {Record<string, Behaviour>}
 */
const BEHAVIOURS = {
  'ok-json': reply({}),
  'ok-pretty': says((id) => `\n${JSON.stringify({ result: {}, id, jsonrpc: '2.0' }, null, 2)}\n`),
  'ok-charset': reply({}, 'Application/JSON; charset=utf-8'),
  'ok-id-as-float': says((id) => `{"jsonrpc":"2.0","id":${id}.0,"result":{}}`),
  // Escapes are characters like any other, and a lone surrogate is one that no byte on the wire is wrong for.
  'ok-escapes': says((id) => `{"\\u006asonrpc":"2.0","id":${id},"result":{"text":"\\ud800 \\u0000"}}`),
  // Data that was damaged before it got here is not an answer that is.
  'ok-replacement-character': reply({ result: { text: 'caf\ufffd' } }),
  'ok-replacement-character-chunked': chunked((id) =>
    Buffer.from(json({ jsonrpc: '2.0', id, result: { text: 'caf\ufffd' } })),
  ),
  // Said in a text, or in the tool's own data: not about the call.
  'ok-error-in-text': reply({
    result: { content: [{ type: 'text', text: '"isError":true, "error":{"code":1}' }], isError: false },
  }),
  'ok-error-in-data': reply({
    result: { structuredContent: { isError: true, error: { code: 1 }, resultType: 'none' }, content: [] },
  }),
  'too_large-nested': says((id) => nested(id, 100_000, 100_000)),
  // Of two members with one name the last one counts, as in JavaScript, Python and Go.
  'ok-last-id': says((id) => `{"jsonrpc":"2.0","id":"other","result":{},"id":${id}}`),
  // What says that there is no error says that there is none.
  'ok-error-null': reply({ error: null }),
  'ok-is-error-null': reply({ result: { content: [], isError: null } }),
  'ok-gzip': says((id) => gzipSync(json({ jsonrpc: '2.0', id, result: {} })), JSON_TYPE, {
    'Content-Encoding': 'gzip',
  }),
  'ok-big-header': (response, id) => {
    response.setHeader('X-Padding', 'x'.repeat(60_000));
    reply({})(response, id);
  },
  'ok-status-201': (response, id) =>
    response.writeHead(201, { 'Content-Type': JSON_TYPE }).end(json({ jsonrpc: '2.0', id, result: {} })),
  // Answered before the request is read: unusual, and right.
  'ok-early': reply({}),
  'ok-sse': sse(
    (id) =>
      `: hi\r\nid: 1\r\ndata:\r\n\r\ndata: ${json({ jsonrpc: '2.0', method: 'notifications/progress' })}\r\n\r\n` +
      `event: message\r\ndata: ${json({ jsonrpc: '2.0', id, result: {} })}\r\n\r\n`,
  ),
  'ok-sse-capitals': says(data, 'Text/Event-Stream; Charset=UTF-8'),
  'ok-sse-cr': sse((id) => data(id).replaceAll('\n', '\r')),
  // The event stream's own format takes one byte order mark away.
  'ok-sse-bom': sse((id) => `\ufeff${data(id)}`),
  'ok-sse-split': sse((id) => `data: {"jsonrpc":"2.0",\ndata: "id":${id},\ndata:"result":{}}\n\n`),
  // The reply is there all the same.
  'ok-sse-junk-first': sse((id) => `data: not JSON\n\ndata: {"half":\n\nnonsense\n\n${data(id)}`),
  'ok-sse-no-end': sse((id) => data(id).trimEnd()),
  'ok-sse-reply-of-others-first': sse((id) => `${data('x')}${data(99, { error: { code: 1 } })}${data(id)}`),
  // A request of the server's own has its own ids.
  'ok-sse-same-id-of-theirs': sse((id) => `${data(id, { method: 'ping' })}${data(id)}`),
  // A request has one reply, the first.
  'ok-sse-twice': sse((id) => data(id) + data(id, { error: { code: -1, message: 'second' } })),

  'connect-reset': (response) => response.socket?.destroy(),
  'connect-cut': (response) => {
    response.writeHead(200, { 'Content-Type': JSON_TYPE, 'Content-Length': '1000' }).write('{"jsonrpc":');
    setTimeout(() => response.socket?.destroy(), 20);
  },
  'connect-cut-chunked': (response, id) => {
    response.writeHead(200, { 'Content-Type': JSON_TYPE }).write(`{"jsonrpc":"2.0","id":${id},"result":{}}`);
    setTimeout(() => response.socket?.destroy(), 20);
  },
  'connect-cut-sse': (response, id) => {
    response
      .writeHead(200, { 'Content-Type': SSE_TYPE })
      .write(`: soon\n\ndata: {"jsonrpc":"2.0","id":${id}`);
    setTimeout(() => response.socket?.destroy(), 20);
  },
  'protocol-gzip-cut': says(
    (id) => gzipSync(json({ jsonrpc: '2.0', id, result: {} })).subarray(0, -12),
    JSON_TYPE,
    {
      'Content-Encoding': 'gzip',
    },
  ),
  // No answer in HTTP is no answer at all.
  'connect-not-http': raw(() => 'SSH-2.0-OpenSSH_9.9\r\n'),
  'connect-bad-status': raw(() => 'HTTP/1.1 two hundred\r\n\r\n'),
  'too_large-header': raw(() => `HTTP/1.1 200 OK\r\nX-Padding: ${'x'.repeat(12 * MIB)}\r\n\r\n`),

  'timeout-silent': () => {},
  'stalled-half': (response) => response.writeHead(200, { 'Content-Type': JSON_TYPE }).write('{"jsonrpc":'),
  'stalled-drip': endless(JSON_TYPE, ' ', { first: () => '{', everyMs: 100 }),
  'stalled-length-too-long': (response, id) => {
    response.writeHead(200, { 'Content-Type': JSON_TYPE, 'Content-Length': '1000' });
    response.write(json({ jsonrpc: '2.0', id, result: {} }));
  },
  'stalled-sse': (response) => {
    response.writeHead(200, { 'Content-Type': SSE_TYPE }).write(': waiting\n\n');
  },
  'stalled-sse-comments': endless(SSE_TYPE, ': still there\n\n'),
  'stalled-sse-notifications': endless(
    SSE_TYPE,
    `data: ${json({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } })}\n\n`,
  ),
  'too_large-sse-flood': endless(SSE_TYPE, `data: ${'x'.repeat(MIB / 8)}\n\n`),
  'too_large-sse-line': endless(SSE_TYPE, 'x'.repeat(MIB / 8), { first: () => 'data: ' }),
  // A reply ends its call, and not its stream.
  'ok-sse-open': endless(SSE_TYPE, ': still there\n\n', { first: data }),

  'auth-401': answer(401, 'text/plain', 'who are you?'),
  'http_4xx-404': answer(404, JSON_TYPE, json({ error: { code: -32601, message: 'no such method' } })),
  'http_4xx-huge': answer(400, 'text/plain', 'x'.repeat(5 * MIB)),
  'rate_limited-429': answer(429, 'text/plain', 'slow down', { 'Retry-After': '1' }),
  'http_5xx-500': answer(500, 'text/html', '<h1>oops</h1>'),
  'http_5xx-503': answer(503),
  // A good reply in an answer that says that it is none.
  'http_5xx-with-reply': (response, id) =>
    response.writeHead(500, { 'Content-Type': JSON_TYPE }).end(json({ jsonrpc: '2.0', id, result: {} })),

  'protocol-html': answer(200, 'text/html', '<!doctype html><h1>Welcome</h1>'),
  'protocol-html-as-json': answer(200, JSON_TYPE, '<!doctype html><h1>Welcome</h1>'),
  'protocol-html-as-sse': answer(200, SSE_TYPE, '<!doctype html><h1>Welcome</h1>'),
  // The specification has two types, and the official clients refuse any other.
  'protocol-text-plain': reply({}, 'text/plain'),
  'protocol-no-type': (response, id) => response.writeHead(200).end(json({ jsonrpc: '2.0', id, result: {} })),
  'protocol-sse-as-json': says(data),
  'protocol-json-as-sse': sse((id) => json({ jsonrpc: '2.0', id, result: {} })),
  'protocol-empty': answer(202),
  'protocol-empty-200': answer(200),
  'protocol-empty-204': (response) => response.writeHead(204).end(),
  'protocol-redirect': answer(307, 'text/plain', '', { Location: '/protocol-redirect' }),
  'protocol-redirect-301': answer(301, JSON_TYPE, '', { Location: 'http://127.0.0.1:1/' }),
  'protocol-not-modified': answer(304),

  'protocol-truncated': answer(200, JSON_TYPE, '{"jsonrpc":"2.0","id":1,"result":{'),
  'protocol-truncated-late': says(
    (id) => `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"isError":false}`,
  ),
  'protocol-truncated-inside': says((id) => `{"id":${id},"jsonrpc":"2.0","result":{"content":[{}}}`),
  'protocol-length-too-short': raw(
    (id) =>
      `HTTP/1.1 200 OK\r\nContent-Type: ${JSON_TYPE}\r\nContent-Length: 20\r\n\r\n` +
      json({ jsonrpc: '2.0', id, result: {} }),
  ),
  'protocol-more-after': says((id) => `${json({ jsonrpc: '2.0', id, result: {} })}}`),
  'protocol-two-replies': says((id) => json({ jsonrpc: '2.0', id, result: {} }).repeat(2)),
  'protocol-not-quite-json': says((id) => `{jsonrpc:"2.0","id":${id},"result":{"n":NaN,}}`),
  'protocol-control-character': says((id) => `{"jsonrpc":"2.0","id":${id},"result":{"text":"a\u0000\nb"}}`),
  'protocol-binary': answer(200, JSON_TYPE, '\u0000\u0001\u0002'),
  'protocol-utf16': says((id) => Buffer.from(json({ jsonrpc: '2.0', id, result: {} }), 'utf16le')),
  'protocol-utf8': says(notUtf8),
  'protocol-utf8-chunked': chunked(notUtf8),
  'protocol-utf8-sse': says(
    (id) => Buffer.concat([Buffer.from('data: '), notUtf8(id), Buffer.from('\n\n')]),
    SSE_TYPE,
  ),
  // JSON on a network has none; what reads it may be kinder, but need not.
  'protocol-bom': says((id) => `\ufeff${json({ jsonrpc: '2.0', id, result: {} })}`),
  'protocol-gzip-of-nothing': says(() => Buffer.from([0x1f, 0x8b, 8, 0, 0]), JSON_TYPE, {
    'Content-Encoding': 'gzip',
  }),
  'protocol-gzip-is-plain': says((id) => json({ jsonrpc: '2.0', id, result: {} }), JSON_TYPE, {
    'Content-Encoding': 'gzip',
  }),
  // A reply, were it not that a hundred users who parse such answers need more memory than a machine has.
  'too_large-50-mb': says(huge),
  'too_large-50-mb-chunked': (response, id) =>
    response.writeHead(200, { 'Content-Type': JSON_TYPE }).end(huge(id)),
  'too_large-50-mb-sse': sse((id) => `data: ${huge(id)}\n\n`),
  'too_large-50-mb-gzip': says((id) => gzipSync(huge(id)), JSON_TYPE, { 'Content-Encoding': 'gzip' }),
  'too_large-nested-open': says((id) => nested(id, 100_000, 0)),

  'protocol-id': reply({ id: 'other' }),
  'protocol-id-as-string': says((id) => json({ jsonrpc: '2.0', id: String(id), result: {} })),
  'protocol-id-null': reply({ id: null, result: undefined, error: { code: -32700, message: 'parse error' } }),
  'protocol-id-missing': reply({ id: undefined }),
  'protocol-id-in-array': says((id) => json({ jsonrpc: '2.0', id: [id], result: {} })),
  'protocol-id-inside': says((id) => json({ jsonrpc: '2.0', result: { id } })),
  'protocol-id-longer': says((id) => `{"jsonrpc":"2.0","id":${id}0,"result":{}}`),
  'protocol-last-id': says((id) => `{"jsonrpc":"2.0","id":${id},"result":{},"id":"other"}`),
  'protocol-version-1': reply({ jsonrpc: '1.0' }),
  'protocol-version-missing': reply({ jsonrpc: undefined }),
  'protocol-version-number': reply({ jsonrpc: 2.0 }),
  // Batches were in one version, and there in answer to a batch.
  'protocol-batch': says((id) => json([{ jsonrpc: '2.0', id, result: {} }])),
  'protocol-sse-batch': sse((id) => `data: ${json([{ jsonrpc: '2.0', id, result: {} }])}\n\n`),
  'protocol-echo': reply({ method: 'tools/call', params: {}, result: undefined }),
  'protocol-result-missing': reply({ result: undefined }),
  'protocol-result-null': reply({ result: null }),
  'protocol-result-string': reply({ result: 'done' }),
  'protocol-result-true': reply({ result: true }),
  'protocol-result-array': reply({ result: [] }),
  'protocol-last-result': says((id) => `{"jsonrpc":"2.0","id":${id},"result":{},"result":[]}`),
  'protocol-null': says(() => 'null'),
  'protocol-number': says((id) => String(id)),

  'jsonrpc-error': reply({ result: undefined, error: { code: -32602, message: 'bad arguments' } }),
  'jsonrpc-error-sse': sse((id) => data(id, { error: { code: -32602, message: 'bad arguments' } })),
  'jsonrpc-error-without-code': reply({ result: undefined, error: {} }),
  'jsonrpc-error-string': reply({ result: undefined, error: 'bad arguments' }),
  // One of the two is wrong, and the call can't be relied on.
  'jsonrpc-error-and-result': reply({ error: { code: -1, message: 'both' } }),
  'jsonrpc-error-escaped': says((id) => `{"jsonrpc":"2.0","id":${id},"result":{},"\\u0065rror":{"code":-1}}`),
  'tool-error': reply({
    result: { isError: true, content: [{ type: 'text', text: '\u001b[31mno such\nplace\u2028' }] },
  }),
  'tool-error-sse': sse((id) => data(id, { result: { isError: true, content: [] } })),
  'tool-error-spaced': says((id) => `{"jsonrpc":"2.0","id":${id},"result":{"isError" :\n\ttrue}}`),
  'tool-error-escaped': says((id) => `{"jsonrpc":"2.0","id":${id},"result":{"isErr\\u006fr":true}}`),
  'tool-error-last': says((id) => `{"jsonrpc":"2.0","id":${id},"result":{"isError":false,"isError":true}}`),
  // Not what the schema has, and not what a server says of a call that went well.
  'tool-error-as-string': reply({ result: { content: [], isError: 'true' } }),
  'tool-error-as-number': reply({ result: { content: [], isError: 1 } }),
  'unexpected-input': reply({ result: { resultType: 'input_required' } }),
  'unexpected-result-type': reply({ result: { resultType: 'banana' } }),
  'unexpected-result-type-escaped': says(
    (id) => `{"jsonrpc":"2.0","id":${id},"result":{"result\\u0054ype":"input_required"}}`,
  ),
};

export const PATHS = Object.keys(BEHAVIOURS);

/**
 * Under `/later/` a path begins to fail with a client's third request: what has seen answers like it before must still
 * look at this one.
 *
 * @returns {Promise<{url: string, close: () => Promise<void>}>} on a free port of 127.0.0.1
 */
export async function startFailingServer() {
  const server = createServer(async (request, response) => {
    const [, later, path = ''] = /^\/(later\/)?(.*)$/.exec(request.url ?? '') ?? [];
    const behaviour = BEHAVIOURS[path] ?? answer(404);
    if (path === 'ok-early' && !later) {
      behaviour(response, 1);
      return;
    }
    let body = '';
    for await (const chunk of request) body += chunk;
    const id = body === '' ? undefined : JSON.parse(body).id;
    if (later && id < 3) reply({})(response, id);
    else behaviour(response, id);
  });
  return listen(server);
}

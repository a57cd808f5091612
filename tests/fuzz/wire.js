import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { ConfigError } from '../../contract/config-error.js';
import { readVariables } from '../../contract/variable.js';
import { variables } from '../../lib/config.js';
import { checkDocument } from '../../lib/workload-document.js';
import { body, contentType, ID, isClassified, kindOf, status } from './answers.js';
import { anyText, changed, damagedText, nearly } from './generated.js';
import { answerJson } from './k6/byte-server.js';
import { TasksInK6 } from './k6/tasks-in-k6.js';
import { isOneLine } from './oracles.js';
import { property } from './property.js';
import { textsOf } from './variables.js';
import { DOCUMENTS } from './workload.js';

/**
 * How an answer goes over the wire. Whole: as HTTP has it; the others break off, lie about their length or are no HTTP.
 *
 * @typedef {'length' | 'chunked' | 'close' | 'gzip' | 'early' | 'too-short' | 'too-long' | 'cut' | 'cut-chunked' | 'bad-chunk' | 'bad-gzip' | 'silent' | 'reset' | 'no-http'} Framing
 *
 * @typedef {{status: number, type: string, body: string, bytes: number[], framing: Framing, headers: [string, string][]}} Answer bytes
 *   come after the body's and are not UTF-8, most of the time
 */

/** @type {Framing[]} */
const WHOLE = ['length', 'chunked', 'close', 'gzip', 'early'];
/** @type {Framing[]} */
const BROKEN = [
  'too-short',
  'too-long',
  'cut',
  'cut-chunked',
  'bad-chunk',
  'bad-gzip',
  'silent',
  'reset',
  'no-http',
];

const HEADERS = [
  'X-Padding',
  'Mcp-Session-Id',
  'Retry-After',
  'WWW-Authenticate',
  'Location',
  'Content-Type',
  'Set-Cookie',
  'Connection',
  'Link',
  'Server',
];

/** @type {fc.Arbitrary<Answer>} */
const answer = fc.record({
  status: fc.oneof({ weight: 9, arbitrary: status }, fc.constantFrom(204, 304, 999)),
  type: contentType,
  body,
  bytes: fc.oneof(
    { weight: 9, arbitrary: fc.constant(/** @type {number[]} */ ([])) },
    fc.array(fc.nat(255), { maxLength: 4 }),
  ),
  framing: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...WHOLE) }, fc.constantFrom(...BROKEN)),
  headers: fc.array(
    fc.tuple(
      fc.constantFrom(...HEADERS),
      fc
        .oneof(
          fc.constantFrom(
            'close',
            'Bearer',
            'Bearer resource_metadata="x',
            '/mcp',
            'x'.repeat(20_000),
            '',
            'text/html',
          ),
          fc.string({ maxLength: 20 }),
        )
        .map((value) => value.replace(/[^\x20-\x7e]/g, '')),
    ),
    { maxLength: 2 },
  ),
});

/** A number beyond a double: to Node it is infinite, to k6 the text around it is no JSON. */
const TOO_GREAT = /\d{309}|\d[eE]\+?(?:[3-9]\d\d|\d{4})/;

/** No answer that breaks off may be waited for longer than this. */
const PATIENCE_S = 0.4;

/** @type {Answer | null} */
let current = null;
/** The requests before it are answered as they should be. */
let before = 0;
/** @type {Record<string, string> | null} the bodies of results, by method */
let server = null;

const k6 = new TasksInK6(({ method, path, body }, socket) => {
  if (path === '/connect' && server) serve(server, method, body, socket);
  else if (before > 0) {
    before -= 1;
    answerJson(socket, 200, `{"jsonrpc":"2.0","id":${idIn(body)},"result":{}}`);
  } else if (current) send(current, idIn(body), socket);
});

/** @param {string} text */
function idIn(text) {
  try {
    return JSON.parse(text).id ?? ID;
  } catch {
    return ID;
  }
}

/** The generated id is the request's own. @param {string} text @param {number} id */
const withId = (text, id) =>
  text.replaceAll(`"id":${ID}`, `"id":${id}`).replaceAll(`"id": ${ID}`, `"id": ${id}`);

/** @param {Answer} answer @param {number} id */
const bytesOf = ({ body, bytes }, id) => Buffer.concat([Buffer.from(withId(body, id)), Buffer.from(bytes)]);

/** @param {Answer} answer @param {number} id @param {import('node:net').Socket} socket */
function send(answer, id, socket) {
  const { status, type, framing, headers } = answer;
  const whole = bytesOf(answer, id);
  const zipped = gzipSync(whole);
  const half = Math.floor(whole.length / 2);
  const chunk = (/** @type {Buffer} */ part) =>
    part.length === 0 ? '' : `${part.length.toString(16)}\r\n${part.toString('latin1')}\r\n`;
  /** @type {Record<Framing, [headers: [string, string][], text: string, ends: boolean]>} text: latin1, a character a byte */
  const framed = {
    length: [[['Content-Length', `${whole.length}`]], whole.toString('latin1'), false],
    early: [
      [
        ['Content-Length', `${whole.length}`],
        ['Connection', 'close'],
      ],
      whole.toString('latin1'),
      true,
    ],
    chunked: [
      [['Transfer-Encoding', 'chunked']],
      `${chunk(whole.subarray(0, half))}${chunk(whole.subarray(half))}0\r\n\r\n`,
      false,
    ],
    close: [[['Connection', 'close']], whole.toString('latin1'), true],
    gzip: [
      [
        ['Content-Encoding', 'gzip'],
        ['Content-Length', `${zipped.length}`],
      ],
      zipped.toString('latin1'),
      false,
    ],
    'too-short': [[['Content-Length', `${half}`]], whole.toString('latin1'), true],
    'too-long': [[['Content-Length', `${whole.length + 10}`]], whole.toString('latin1'), false],
    cut: [[['Content-Length', `${whole.length + 10}`]], whole.toString('latin1'), true],
    'cut-chunked': [[['Transfer-Encoding', 'chunked']], chunk(whole), true],
    'bad-chunk': [[['Transfer-Encoding', 'chunked']], `${chunk(whole)}nonsense\r\n${chunk(whole)}`, true],
    'bad-gzip': [
      [
        ['Content-Encoding', 'gzip'],
        ['Content-Length', `${zipped.length - 5}`],
      ],
      zipped.subarray(5).toString('latin1'),
      false,
    ],
    silent: [[['Content-Length', `${whole.length}`]], '', false],
    reset: [[], '', true],
    'no-http': [[], `SSH-2.0-x\r\n${whole.toString('latin1')}`, true],
  };
  const [own, text, ends] = framed[framing];
  const all = [
    ...(type === '' ? [] : [['Content-Type', type]]),
    ...own,
    ...headers.filter(([name]) => name !== 'Content-Type' && !own.some(([mine]) => mine === name)),
  ];
  const head = ['no-http', 'reset'].includes(framing)
    ? ''
    : `HTTP/1.1 ${status} Some Reason\r\n${all.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
  if (framing === 'reset') socket.resetAndDestroy();
  else if (ends) socket.end(head + text, 'latin1');
  else socket.write(head + text, 'latin1');
}

/**
 * @param {Answer} answer
 * @param {number} id
 * @param {boolean} first of this user's
 * @returns {string[]} the kinds that are right
 */
function rightKinds(answer, id, first) {
  const { status, type, framing } = answer;
  // No body belongs to them, whatever is sent.
  const without = status === 204 || status === 304;
  if (framing === 'reset' || framing === 'no-http') return ['connect'];
  if (without) return ['protocol', 'connect', 'timeout'];
  if (!WHOLE.includes(framing) && framing !== 'too-short') return ['connect', 'timeout', 'protocol'];
  const all = bytesOf(answer, id);
  const bytes = framing === 'too-short' ? all.subarray(0, Math.floor(all.length / 2)) : all;
  const text = bytes.toString('utf8');
  const read = kindOf({ status, type: type.trim(), body: text, id });
  // What is not UTF-8 is not JSON, whatever a lenient reader makes of it.
  const damaged = !Buffer.from(text).equals(bytes);
  if (damaged && read === 'ok') return ['protocol'];
  // A first answer's type is looked at; later ones are proven by their text, of whatever type they call it.
  return !first && read === 'protocol' ? [read, ...provenAnyway({ ...answer, status }, id, text)] : [read];
}

/** @param {Answer} answer @param {number} id @param {string} text @returns {string[]} `ok` where the reply is there, under the name of something else */
function provenAnyway({ status }, id, text) {
  const types = ['application/json', 'text/event-stream'];
  return types.some((type) => kindOf({ status, type, body: text, id }) === 'ok') ? ['ok'] : [];
}

/** What a small server says of itself and of what it has. */
const TOOLS = [
  {
    name: 'echo',
    description: 'says it again',
    annotations: { readOnlyHint: true },
    inputSchema: {
      type: 'object',
      properties: { message: { type: 'string', maxLength: 5 }, n: { type: 'integer', minimum: 1 } },
      required: ['message'],
    },
  },
  {
    name: 'add',
    annotations: { readOnlyHint: true },
    inputSchema: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } },
  },
];
const ABOUT = {
  serverInfo: { name: 'x', version: '1' },
  capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
};
const RESULTS = {
  'server/discover': { resultType: 'complete', supportedVersions: ['2026-07-28', '2025-11-25'], ...ABOUT },
  initialize: { protocolVersion: '2025-11-25', ...ABOUT },
  'tools/list': { resultType: 'complete', tools: TOOLS, ttlMs: 10, cacheScope: 'public' },
  'resources/list': {
    resultType: 'complete',
    resources: [{ uri: 'file:///a', name: 'a', mimeType: 'text/plain' }],
  },
  'resources/templates/list': {
    resultType: 'complete',
    resourceTemplates: [{ uriTemplate: 'file:///{a}', name: 'b' }],
  },
  'prompts/list': {
    resultType: 'complete',
    prompts: [{ name: 'p', arguments: [{ name: 'x', required: true }] }],
  },
};
const METHODS = Object.keys(RESULTS);

/**
 * @param {Record<string, string>} results
 * @param {string} verb
 * @param {string} text
 * @param {import('node:net').Socket} socket
 */
function serve(results, verb, text, socket) {
  if (verb !== 'POST') {
    answerJson(socket, 405);
    return;
  }
  const { id = ID, method } = JSON.parse(text);
  const result = results[method];
  if (result !== undefined) answerJson(socket, 200, withId(result, id));
  else if (method.startsWith('notifications/')) answerJson(socket, 202);
  else
    answerJson(
      socket,
      404,
      JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no such method' } }),
    );
}

/** @param {any} answer of k6 */
function notThrown(answer) {
  assert.ok(answer && !answer.thrown, answer?.thrown ?? 'k6 has nothing to say');
}

/** @type {import('./property.js').Area} */
const area = {
  name: 'wire',
  close: () => k6.close(),
  properties: [
    property({
      name: 'whatever a call is answered with, in k6 it is a success or one kind of failure',
      runs: 250,
      input: fc.record({
        answer,
        era: fc.constantFrom('modern', 'modern', 'legacy'),
        after: fc.constantFrom(0, 2),
      }),
      holds: async ({ answer, era, after }) => {
        current = answer;
        before = after;
        const said = await k6.do({
          kind: 'call',
          era,
          after,
          timeoutS: BROKEN.includes(answer.framing) || era === 'legacy' ? PATIENCE_S : 10,
        });
        notThrown(said);
        assert.equal(said.before, undefined, JSON.stringify(said.before));
        isClassified(said.failure);
        if (TOO_GREAT.test(answer.body)) return;
        const kind = said.failure?.kind ?? 'ok';
        const right = rightKinds(answer, after + 1, after === 0);
        // A stream that breaks off is asked for again in the legacy era, which may end otherwise.
        const resumed =
          era === 'legacy' && right.includes('protocol')
            ? ['timeout', 'connect', 'http_4xx', 'http_5xx']
            : [];
        // The last round has an id of its own.
        const asked = right.includes('unexpected') ? ['protocol'] : [];
        assert.ok(
          [...right, ...resumed, ...asked].includes(kind),
          `${kind}, where it is ${right}: ${said.failure?.detail}`,
        );
      },
    }),
    property({
      name: 'whatever a server says of itself, connecting ends with a workload or with one line',
      runs: 80,
      input: fc.record({
        version: fc.constantFrom('', '', '2026-07-28', '2025-11-25'),
        changes: fc.dictionary(
          fc.constantFrom(...METHODS),
          fc.oneof(
            changed(Object.values(RESULTS)).map((result) =>
              JSON.stringify({ jsonrpc: '2.0', id: ID, result }),
            ),
            body,
          ),
          { maxKeys: 3, noNullPrototype: true },
        ),
        without: fc.constantFrom('', 'server/discover', 'initialize'),
      }),
      holds: async ({ version, changes, without }) => {
        const own = Object.entries(RESULTS).map(([method, result]) => [
          method,
          JSON.stringify({ jsonrpc: '2.0', id: ID, result }),
        ]);
        const results = { ...Object.fromEntries(own), ...changes };
        delete results[without];
        server = results;
        const said = await k6.do({ kind: 'connect', version });
        server = null;
        notThrown(said);
        if (said.refused !== undefined) {
          isOneLine(said.refused);
          assert.ok(said.refused.length < 1500, `${said.refused.length} characters`);
        } else if (said.document) checkDocument(said.document);
      },
    }),
    property({
      name: 'k6 takes the workload files that Node takes, for the same reasons',
      runs: 400,
      input: damagedText(DOCUMENTS).map((text) => text.toWellFormed()),
      holds: async (text) => {
        const said = await k6.do({ kind: 'workload', text });
        notThrown(said);
        if (said.notJson && TOO_GREAT.test(text)) return;
        assert.deepEqual(said, overTheWire(inNode(() => ({ document: checkDocument(JSON.parse(text)) }))));
      },
    }),
    property({
      name: 'k6 takes the variables that Node takes, for the same reasons',
      runs: 400,
      input: fc
        .constantFrom(.../** @type {(keyof typeof variables)[]} */ (Object.keys(variables)))
        .chain((name) =>
          fc.record({
            name: fc.constant(name),
            text: fc
              .oneof(anyText, nearly(fc.constantFrom(...textsOf(name))))
              .map((text) => text.toWellFormed()),
          }),
        ),
      holds: async ({ name, text }) => {
        const said = await k6.do({ kind: 'variable', name, text });
        notThrown(said);
        assert.deepEqual(
          said,
          overTheWire(
            inNode(() => ({ value: readVariables({ [name]: variables[name] }, { [name]: text })[name] })),
          ),
        );
      },
    }),
  ],
};
export default area;

/** @param {() => unknown} run @returns {unknown} as tasks.js has it */
function inNode(run) {
  try {
    return run();
  } catch (error) {
    if (error instanceof ConfigError) return { refused: error.message };
    if (error instanceof SyntaxError) return { notJson: true };
    throw error;
  }
}

/**
 * k6 writes what it says as UTF-8, where half a character is U+FFFD. (Not where a backslash stands in front of the escape.)
 *
 * @param {unknown} value
 */
function overTheWire(value) {
  return JSON.parse(JSON.stringify(value).replace(/(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/gi, '$1\ufffd'));
}

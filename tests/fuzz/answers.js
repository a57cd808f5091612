import assert from 'node:assert/strict';
import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { readAnswer } from '../../lib/mcp/answer.js';
import { FAILURE_KINDS } from '../../lib/mcp/failure-kinds.js';
import { resumePoint } from '../../lib/mcp/resume.js';
import { eventData } from '../../lib/mcp/sse.js';
import { changed, nearly } from './generated.js';
import { isOneLine } from './oracles.js';
import { property } from './property.js';

/** The request's id, which is put in where the request is known. */
export const ID = 7;

const MESSAGES = [
  { jsonrpc: '2.0', id: ID, result: { content: [{ type: 'text', text: 'hi' }], isError: false } },
  {
    jsonrpc: '2.0',
    id: ID,
    result: { resultType: 'complete', content: [], structuredContent: { a: [1, null] } },
  },
  { jsonrpc: '2.0', id: ID, result: { isError: true, content: [{ type: 'text', text: 'no such\nplace' }] } },
  {
    jsonrpc: '2.0',
    id: ID,
    result: {
      resultType: 'input_required',
      inputRequests: {
        a: {
          method: 'elicitation/create',
          params: { message: 'which?', requestedSchema: { type: 'object', properties: {} } },
        },
      },
      requestState: 's',
    },
  },
  { jsonrpc: '2.0', id: ID, error: { code: -32602, message: 'bad arguments', data: { a: 1 } } },
  { jsonrpc: '2.0', id: ID, result: {}, error: null },
  { jsonrpc: '2.0', id: 99, result: {} },
  { jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1, progressToken: ID } },
  { jsonrpc: '2.0', id: ID, method: 'ping' },
  { id: ID, jsonrpc: '2.0', result: { text: '"isError":true \u2028 😀 \ufffd' } },
];

/** Members that come a second time, as other readers of JSON see them first. */
const AGAIN = [
  `"id":${ID}`,
  '"id":99',
  '"result":{}',
  '"result":{"isError":true}',
  '"error":{"code":1}',
  '"isErr\\u006fr":true',
  '"jsonrpc":"2.0"',
];

const whole = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...MESSAGES).map((message) => JSON.stringify(message)) },
  { weight: 4, arbitrary: changed(MESSAGES).map((message) => JSON.stringify(message) ?? '') },
  fc
    .tuple(fc.constantFrom(...MESSAGES), fc.constantFrom(...AGAIN), fc.boolean())
    .map(([message, again, inFront]) => {
      const text = JSON.stringify(message);
      return inFront ? `{${again},${text.slice(1)}` : `${text.slice(0, -1)},${again}}`;
    }),
  fc.constantFrom(...MESSAGES).map((message) => JSON.stringify(message, null, 2)),
  fc
    .nat(3000)
    .map(
      (depth) => `{"jsonrpc":"2.0","id":${ID},"result":{"deep":${'['.repeat(depth)}${']'.repeat(depth)}}}`,
    ),
  fc
    .constantFrom('1e400', `${ID}.0`, '7e0', '"7"', '07', '+7', '-0', '9'.repeat(400))
    .map((id) => `{"jsonrpc":"2.0","id":${id},"result":{}}`),
);

/** The text of one message, or of something that is none. */
const text = fc.oneof({ weight: 3, arbitrary: whole }, nearly(whole, 2));

const lineEnd = fc.constantFrom('\n', '\r\n', '\r');

/** One event: its fields in any order, its data on one line or several. */
const event = fc
  .tuple(
    text,
    fc.array(
      fc.constantFrom(
        ': comment',
        'id: 1',
        'id',
        'event: message',
        'retry: 10',
        'retry: -1',
        'data:',
        'data',
        'nonsense',
        'datax: 1',
        ' data: 1',
      ),
      { maxLength: 3 },
    ),
    fc.constantFrom('data: ', 'data:', 'data:  ', 'DATA: ', 'data : '),
    fc.boolean(),
    lineEnd,
    fc.constantFrom(1, 1, 1, 0, 2),
  )
  .map(([message, fields, field, split, end, blank]) => {
    const parts = split ? message.split(/(?<=[,[{])/) : [message];
    return (
      [...fields, ...parts.map((part) => field + part)].map((line) => line + end).join('') + end.repeat(blank)
    );
  });

const stream = fc
  .tuple(
    fc.constantFrom('', '', '', '\ufeff', '\ufeff\ufeff', '\n'),
    fc.array(event, { minLength: 1, maxLength: 4 }),
  )
  .map(([mark, events]) => mark + events.join(''));

export const body = fc.oneof(text, { weight: 2, arbitrary: fc.oneof(stream, nearly(stream, 2)) });

export const contentType = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('application/json', 'text/event-stream') },
  fc.constantFrom(
    'application/json; charset=utf-8',
    'Text/Event-Stream;x=y',
    'application/json;',
    ' application/json',
    'text/html',
    'text/plain',
    'application/jsonx',
    'application/json, text/event-stream',
    '',
    ';',
    'application/problem+json',
  ),
);

export const status = fc.oneof(
  { weight: 6, arbitrary: fc.constant(200) },
  fc.constantFrom(
    201,
    202,
    206,
    299,
    300,
    302,
    307,
    400,
    401,
    403,
    404,
    406,
    422,
    429,
    451,
    499,
    500,
    501,
    502,
    503,
    504,
    599,
  ),
);

/**
 * What an answer is, said once more and in other words, with another reader of event streams.
 *
 * @param {{status: number, type: string, body: string, id: number}} answer
 * @returns {string} `ok`, or the kind of failure
 */
export function kindOf({ status, type, body, id }) {
  if (status === 429) return 'rate_limited';
  if (status >= 500) return 'http_5xx';
  if (status >= 400) return 'http_4xx';
  if (status < 200 || status >= 300) return 'protocol';
  const media = type.split(';')[0]?.trim().toLowerCase();
  /** @type {string[]} */
  let texts = [];
  if (media === 'application/json') texts = [body];
  else if (media === 'text/event-stream') {
    const parser = createParser({ onEvent: ({ data }) => void texts.push(data) });
    // A stream's last event counts, also where the server forgot its end.
    parser.feed(`${body.replace(/^\ufeff/, '')}\n\n`);
  }
  const message = texts
    .map((one) => {
      try {
        return JSON.parse(one);
      } catch {
        return null;
      }
    })
    .find((one) => one?.jsonrpc === '2.0' && one.id === id && one.method === undefined);
  if (!message) return 'protocol';
  if (message.error) return 'jsonrpc';
  const { result } = message;
  if (Object.prototype.toString.call(result) !== '[object Object]') return 'protocol';
  if (result.isError) return 'tool';
  return result.resultType === undefined || result.resultType === 'complete' ? 'ok' : 'unexpected';
}

/** @param {import('../../lib/mcp/answer.js').Failure | null} failure */
export function isClassified(failure) {
  if (!failure) return;
  assert.ok(FAILURE_KINDS.includes(failure.kind), failure.kind);
  assert.ok(failure.detail.length <= 200);
  if (failure.detail !== '') isOneLine(failure.detail);
}

/** @type {import('./property.js').Area} */
const area = {
  name: 'answers',
  properties: [
    property({
      name: 'an answer is what it is: a success, or one kind of failure with one line',
      runs: 5000,
      input: fc.record({ status, type: contentType, body }),
      holds: ({ status, type, body }) => {
        const response = { status, error_code: 0, error: '', body, headers: { 'Content-Type': type } };
        const { failure, result } = readAnswer(response, ID);
        isClassified(failure);
        assert.equal(failure?.kind ?? 'ok', kindOf({ status, type, body, id: ID }));
        if (!failure) assert.equal(typeof result, 'object');
      },
    }),
    property({
      name: 'an event stream has the events that another reader finds in it',
      runs: 3000,
      input: fc.oneof(
        stream,
        nearly(stream, 3),
        fc.string({ unit: fc.constantFrom('\r', '\n', 'd', 'data:', ' ', ':', 'x', '\ufeff', 'id: 1') }),
      ),
      holds: (body) => {
        /** @type {string[]} */
        const events = [];
        const parser = createParser({ onEvent: ({ data }) => void events.push(data) });
        parser.feed(`${body.replace(/^\ufeff/, '')}\n\n`);
        // Lines that hold nothing are nothing to JSON.
        const said = (/** @type {string[]} */ texts) =>
          texts.map((one) => one.replace(/^\n+|\n+$/g, '').replace(/\n+/g, '\n')).filter((one) => one !== '');
        assert.deepEqual(said(eventData(body)), said(events));
        const { lastEventId, retryMs } = resumePoint(body);
        assert.equal(typeof lastEventId, 'string');
        assert.ok(retryMs === null || retryMs >= 0);
      },
    }),
  ],
};
export default area;

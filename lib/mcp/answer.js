/**
 * What an HTTP response says about one JSON-RPC request, and whether that is a failure.
 */
import { eventData } from './sse.js';

/**
 * @typedef {'connect' | 'timeout' | 'http_4xx' | 'rate_limited' | 'http_5xx' | 'protocol' | 'jsonrpc' | 'tool' | 'unexpected'} FailureKind
 *
 * @typedef {(result: any, args: Record<string, unknown>) => boolean} Expectation
 *   false: the result is not what the arguments asked for
 *
 * @typedef {object} Failure
 * @property {FailureKind} kind
 * @property {string} detail one line, bounded, for the log
 *
 * @typedef {object} HttpResponse the part of a k6 response that is read here
 * @property {number} status 0: no answer
 * @property {number} error_code k6's code, where there was no answer
 * @property {string} error
 * @property {any} body text, or null
 * @property {Record<string, string>} headers by canonical name
 *
 * @typedef {object} Answer exactly one of failure and result is set
 * @property {Failure | null} failure
 * @property {any} result the JSON-RPC result; null on failure, but for `tool` and `unexpected`, which have one
 */

/** Every kind, outermost layer first: the first layer that failed names the failure, so no request has two. */
export const FAILURE_KINDS = /** @type {const} */ ([
  'connect',
  'timeout',
  'http_4xx',
  'rate_limited',
  'http_5xx',
  'protocol',
  'jsonrpc',
  'tool',
  'unexpected',
]);

/** k6: "request timeout", with or without a part of the answer. */
const K6_REQUEST_TIMEOUT = 1050;
const DETAIL_LENGTH = 200;
/** Control characters and line ends: a server's text must stay one harmless line. k6 knows no `\p{Cc}`. */
const CONTROL = /[^\x20-\x7e\u00a0-\u2027\u202a-\uffff]+/g;

/**
 * @param {HttpResponse} response
 * @param {number} id of the request; the reply is found by it, wherever in the answer it stands
 * @param {Expectation} [expect]
 * @param {Record<string, unknown>} [args] of the call, for the expectation
 * @returns {Answer}
 */
export function readAnswer(response, id, expect, args = {}) {
  const { status } = response;
  if (status === 0) {
    const kind = response.error_code === K6_REQUEST_TIMEOUT ? 'timeout' : 'connect';
    return failed(kind, response.error || 'no answer');
  }
  if (status === 429) return failed('rate_limited', describe(response));
  if (status >= 500) return failed('http_5xx', describe(response));
  if (status >= 400) return failed('http_4xx', describe(response));
  if (status >= 300) return failed('protocol', `a redirect where an answer was due: ${describe(response)}`);

  const message = findReply(response, id);
  if (!message) return failed('protocol', `no JSON-RPC reply to request ${id}: ${describe(response)}`);
  if (message.error) return failed('jsonrpc', `${message.error.code}: ${message.error.message}`);
  const { result } = message;
  if (typeof result !== 'object' || result === null) return failed('protocol', 'neither result nor error');
  if (result.isError === true) return failed('tool', toolError(result), result);
  // A server that wants input before it goes on has not done what was asked.
  if (result.resultType !== undefined && result.resultType !== 'complete') {
    return failed('unexpected', `resultType is ${result.resultType}`, result);
  }
  if (expect && !meets(expect, result, args))
    return failed('unexpected', 'the result is not what was asked for', result);
  return { failure: null, result };
}

/**
 * @param {HttpResponse} response
 * @param {number} id
 * @returns {any} the JSON-RPC message with that id, or null
 */
function findReply(response, id) {
  const body = response.body ?? '';
  const texts = response.headers['Content-Type']?.startsWith('text/event-stream') ? eventData(body) : [body];
  for (const text of texts) {
    const message = parse(text);
    if (message?.jsonrpc === '2.0' && message.id === id && message.method === undefined) return message;
  }
  return null;
}

/** @param {string} text */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** @param {Expectation} expect @param {any} result @param {Record<string, unknown>} args */
function meets(expect, result, args) {
  try {
    return expect(result, args);
  } catch {
    // An expectation that reads a member that is not there is an expectation not met.
    return false;
  }
}

/** @param {any} result */
function toolError(result) {
  const text = Array.isArray(result.content)
    ? result.content.find((/** @type {any} */ part) => part?.type === 'text')?.text
    : undefined;
  return typeof text === 'string' ? text : 'isError without a text';
}

/** @param {HttpResponse} response */
function describe({ status, headers, body }) {
  const message = parse(body)?.error?.message;
  const text = typeof message === 'string' ? message : (body ?? '');
  const type = headers['Content-Type'] ?? 'without a content type';
  return `HTTP ${status} ${type}${text ? `: ${text.slice(0, DETAIL_LENGTH)}` : ''}`;
}

/**
 * @param {FailureKind} kind
 * @param {string} detail
 * @param {any} [result]
 * @returns {Answer}
 */
function failed(kind, detail, result = null) {
  const line = String(detail).replace(CONTROL, ' ').trim();
  return { failure: { kind, detail: line.slice(0, DETAIL_LENGTH) }, result };
}

/**
 * What an HTTP response says about one JSON-RPC request, and whether that is a failure.
 */
import { asText } from '../../contract/as-text.js';
import { oneLine } from '../../contract/one-line.js';
import { eventData } from './sse.js';

/**
 * @typedef {'connect' | 'timeout' | 'http_4xx' | 'rate_limited' | 'http_5xx' | 'protocol' | 'jsonrpc' | 'tool' | 'unexpected'} FailureKind
 *
 * @typedef {(reply: Reply, args: any) => boolean} Expectation
 *   false: the reply is not what the arguments asked for. Reading `reply.text` is cheap, `reply.result` costs a JSON.parse
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
 * @typedef {object} Answer exactly one of failure and result is set, but for a success that was proven without being
 *   read, which has neither, and failures of the kinds `tool` and `unexpected`, which have both
 * @property {Failure | null} failure
 * @property {any} result the JSON-RPC result
 */

/** A JSON-RPC message with a result. */
export class Reply {
  /** @param {string} text @param {any} [result] where it has been parsed already */
  constructor(text, result) {
    this.text = text;
    this.parsed = result;
  }

  get result() {
    this.parsed ??= JSON.parse(this.text).result;
    return this.parsed;
  }
}

/** k6: "request timeout", with or without a part of the answer. */
const K6_REQUEST_TIMEOUT = 1050;
/** k6: a dial that failed, timed out, was refused, failed otherwise. */
const K6_NO_CONNECTION = [1210, 1211, 1212, 1213];
/** k6: the answer's content encoding is not what its bytes are. */
const K6_DECOMPRESSION = 1701;
/** Longer answers are not read: k6 holds them in memory already, and parsing would take a multiple of that. */
export const MAX_LENGTH = 16 * 1024 * 1024;
const DETAIL_LENGTH = 200;

/**
 * Reads an answer in full.
 *
 * @param {HttpResponse} response
 * @param {number} id of the request; the reply is found by it, wherever in the answer it stands
 * @param {Expectation} [expect]
 * @param {any} [args] of the call, for the expectation
 * @returns {Answer}
 */
export const readAnswer = (response, id, expect, args) => {
  const { status } = response;
  if (status === 0) return failed(unanswered(response.error_code), response.error || 'no answer');
  if (status === 429) return failed('rate_limited', describe(response));
  if (status >= 500) return failed('http_5xx', describe(response));
  if (status >= 400) return failed('http_4xx', describe(response));
  if (status >= 300) return failed('protocol', `a redirect where an answer was due: ${describe(response)}`);

  const problem = unreadable(response);
  if (problem) return failed('protocol', problem);
  const found = findReply(response, id);
  if (!found) return failed('protocol', `no JSON-RPC reply to request ${id}: ${describe(response)}`);
  const { error, result } = found.message;
  if (error) return failed('jsonrpc', `${asText(error.code)}: ${asText(error.message)}`);
  if (typeof result !== 'object' || result === null || Array.isArray(result)) {
    return failed('protocol', 'neither a result that is an object nor an error');
  }
  // Truthy, not just true: a server that says "true" means it.
  if (result.isError) return failed('tool', toolError(result), result);
  // A server that wants input before it goes on has not done what was asked.
  if (result.resultType !== undefined && result.resultType !== 'complete') {
    return failed('unexpected', `resultType is ${asText(result.resultType)}`, result);
  }
  if (expect && !meets(expect, new Reply(found.text, result), args)) return unexpected(result);
  return { failure: null, result };
};

/** @param {any} [result] @returns {Answer} */
export const unexpected = (result) => failed('unexpected', 'the result is not what was asked for', result);

/** @param {number} code k6's @returns {FailureKind} */
const unanswered = (code) => {
  if (code === K6_REQUEST_TIMEOUT) return 'timeout';
  return code === K6_DECOMPRESSION ? 'protocol' : 'connect';
};

/**
 * @param {HttpResponse} response to a request that failed
 * @returns {boolean} whether it was turned away, rather than let in and then lost
 */
export const wasRefused = ({ status, error_code: code }) =>
  status === 0 ? K6_NO_CONNECTION.includes(code) : status === 429 || status === 503;

/** @param {HttpResponse} response @returns {string} why a successful answer can't be read; '' = it can */
const unreadable = (response) => {
  const body = response.body ?? '';
  if (body.length > MAX_LENGTH) {
    return `an answer of ${body.length} characters; more than ${MAX_LENGTH} are not read`;
  }
  if (!['application/json', 'text/event-stream'].includes(mediaType(response))) {
    return `neither application/json nor text/event-stream: ${describe(response)}`;
  }
  return '';
};

/** @param {HttpResponse} response */
const mediaType = ({ headers }) =>
  (headers['Content-Type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';

/**
 * @param {HttpResponse} response
 * @param {number} id
 * @returns {{message: any, text: string} | null} the JSON-RPC message with that id
 */
export const findReply = (response, id) => {
  const body = response.body ?? '';
  for (const text of mediaType(response) === 'text/event-stream' ? eventData(body) : [body]) {
    const message = parse(text);
    if (message?.jsonrpc === '2.0' && message.id === id && message.method === undefined) {
      return { message, text };
    }
  }
  return null;
};

/** @param {string} text */
const parse = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

/** @param {Expectation} expect @param {Reply} reply @param {any} args */
export const meets = (expect, reply, args) => {
  try {
    return expect(reply, args);
  } catch {
    // An expectation that reads a member that is not there is an expectation not met.
    return false;
  }
};

/** @param {any} result */
const toolError = (result) => {
  const text = Array.isArray(result.content)
    ? result.content.find((/** @type {any} */ part) => part?.type === 'text')?.text
    : undefined;
  return typeof text === 'string' ? text : 'isError without a text';
};

/** @param {HttpResponse} response */
const describe = ({ status, headers, body }) => {
  const message = parse(body)?.error?.message;
  const text = typeof message === 'string' ? message : (body ?? '');
  const type = headers['Content-Type'] ?? 'without a content type';
  return `HTTP ${status} ${type}${text ? `: ${text.slice(0, DETAIL_LENGTH)}` : ''}`;
};

/**
 * @param {FailureKind} kind
 * @param {string} detail
 * @param {any} [result]
 * @returns {Answer}
 */
export const failed = (kind, detail, result = null) => ({
  failure: { kind, detail: oneLine(detail, DETAIL_LENGTH) },
  result,
});

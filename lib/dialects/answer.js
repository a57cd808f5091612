/** What the answers of servers that do not speak MCP say, in the terms of mcp/answer.js. */

import { asText } from '../../contract/as-text.js';
import { failed, readAnswer } from '../mcp/answer.js';

/**
 * @typedef {import('../mcp/answer.js').Answer} Answer
 * @typedef {import('../mcp/answer.js').HttpResponse} HttpResponse
 */

const DETAIL_LENGTH = 200;

/** @param {HttpResponse} response @returns {any} undefined: no JSON */
function json({ body }) {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** @param {HttpResponse} response */
const isSuccess = ({ status }) => status >= 200 && status < 300;

/** @param {HttpResponse} response */
const describe = ({ status, headers, body }) =>
  `HTTP ${status} ${headers['Content-Type'] ?? 'without a content type'}: ${String(body ?? '').slice(0, DETAIL_LENGTH)}`;

/**
 * @param {HttpResponse} response to a JSON-RPC request; its result may be any JSON
 * @param {number} id
 * @returns {Answer}
 */
export function readJsonRpc(response, id) {
  // No answer, or a status that says what it is.
  if (!isSuccess(response)) return readAnswer(response, id);
  const message = json(response);
  if (message?.jsonrpc !== '2.0' || message.id !== id) {
    return failed('protocol', `no JSON-RPC reply to request ${id}: ${describe(response)}`);
  }
  if (message.error)
    return failed('jsonrpc', `${asText(message.error.code)}: ${asText(message.error.message)}`);
  if (!('result' in message)) return failed('protocol', 'neither result nor error');
  return resultOf(message.result);
}

/**
 * @param {any} result
 * @returns {Answer}
 */
function resultOf(result) {
  if (result?.isError === true) return failed('tool', JSON.stringify(result.content ?? result), result);
  return { failure: null, result: result ?? null };
}

/**
 * @param {HttpResponse} response
 * @param {readonly number[] | undefined} expected statuses that are no failure; by default every success
 * @returns {Answer}
 */
export function readRest(response, expected) {
  const wanted = expected ? expected.includes(response.status) : isSuccess(response);
  if (!wanted) {
    return isSuccess(response)
      ? failed('unexpected', `HTTP ${response.status} instead of ${expected?.join(' or ')}`)
      : readAnswer(response, -1);
  }
  const result = json(response);
  // A refusal that was expected may be worded as it likes, and 204 and 205 have no body.
  const mustBeJson = isSuccess(response) && response.status !== 204 && response.status !== 205;
  if (result === undefined && mustBeJson) return failed('protocol', `no JSON: ${describe(response)}`);
  return resultOf(result);
}

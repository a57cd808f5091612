/**
 * What may still become of a call whose first answer is not its result: the server wants input, has ended the session,
 * or has closed the stream before the reply. Not on the way of an ordinary call.
 */
import { sleep } from 'k6';
import http from 'k6/http';
import { sessionsExpired } from '../metrics.js';
import { failed, findReply, readAnswer } from './answer.js';
import { inputParams } from './input-required.js';
import { resume, resumePoint } from './resume.js';

/** Rounds of input that a server gets for one call. */
const MAX_ROUNDS = 5;

/**
 * @typedef {import('./client.js').McpClient} McpClient
 * @typedef {import('./client.js').Call} Call
 * @typedef {import('./client.js').Arguments} Arguments
 * @typedef {import('./answer.js').Answer} Answer
 * @typedef {{response: any, answer: Answer}} Exchange
 */

/**
 * @param {McpClient} client
 * @param {Call} call
 * @param {Arguments | undefined} args
 * @param {Exchange} first a failure, not recorded yet
 * @returns {Exchange} the last one, recorded
 */
export const recover = (client, call, args, first) => {
  const { response, answer } = first;
  if (answer.result?.resultType === 'input_required') return giveInput(client, call, args, first);
  if (client.session && sessionIsGone(first)) return inNewSession(client, call, args, first);
  const cutShort = client.connection.era === 'legacy' && answer.failure?.kind === 'protocol';
  if (cutShort && isStream(response) && resumePoint(response.body).lastEventId !== '') {
    return onResumedStream(client, call, args, first);
  }
  return recorded(client, call, first);
};

/** @param {McpClient} client @param {Call} call @param {Exchange} exchange */
const recorded = (client, call, exchange) => {
  client.record(call, exchange.response, exchange.answer.failure);
  return exchange;
};

/** @param {any} response */
const isStream = ({ status, headers }) =>
  status === 200 && /^text\/event-stream/i.test(headers['Content-Type'] ?? '');

/**
 * The specification's answer is 404; the TypeScript SDK's example servers say 400 and name the session.
 *
 * @param {Exchange} exchange
 */
const sessionIsGone = ({ response: { status }, answer: { failure } }) =>
  status === 404 || (status === 400 && /session/i.test(failure?.detail ?? ''));

/** @param {McpClient} client @param {Call} call @param {Arguments | undefined} args @param {Exchange} first */
const giveInput = (client, call, args, first) => {
  let last = first;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const { result } = last.answer;
    if (result?.resultType !== 'input_required') break;
    const input = inputParams(result);
    if (!input) {
      const answer = failed('unexpected', 'it asks for input that this client cannot give', result);
      return recorded(client, call, { ...last, answer });
    }
    // This round did what it was to do: it is a request like any other.
    client.recordFurther(call, last.response, null);
    last = client.exchange(client.makeCall(call.method, { ...call.params, ...input }, call.options), args);
  }
  return recorded(client, call, last);
};

/** @param {McpClient} client @param {Call} call @param {Arguments | undefined} args @param {Exchange} first */
const inNewSession = (client, call, args, first) => {
  client.recordFurther({ ...call, ofSession: true }, first.response, null);
  if (client.measured) sessionsExpired.add(1);
  const failure = client.open();
  if (failure) return { ...first, answer: { failure, result: null } };
  // `open` knows the prepared calls alone.
  client.setHeaders(call);
  const last = recorded(client, call, client.exchange(call, args));
  if (client.session && last.answer.failure && sessionIsGone(last)) client.forget();
  return last;
};

/** @param {McpClient} client @param {Call} call @param {Arguments | undefined} args @param {Exchange} first */
const onResumedStream = (client, call, args, first) => {
  const startedMs = Date.now() - first.response.timings.duration;
  const id = client.lastId;
  const get = client.makeCall('GET', {}, { ...call.options, ofSession: true });
  const response = resume(first.response, {
    hasReply: (answer) => findReply(answer, id) !== null,
    get(lastEventId, timeout) {
      const headers = { ...get.http.headers, 'Last-Event-ID': lastEventId };
      const answer = http.get(client.url, { ...get.http, headers, timeout: Math.ceil(timeout) });
      client.recordFurther(get, answer, null);
      return answer;
    },
    sleep: (ms) => sleep(ms / 1000),
    now: Date.now,
    deadlineMs: startedMs + client.timeoutMs,
  });
  // The call took all of that time.
  const whole = { ...response, timings: { duration: Date.now() - startedMs } };
  return recorded(client, call, { response: whole, answer: readAnswer(response, id, call.expect, args) });
};

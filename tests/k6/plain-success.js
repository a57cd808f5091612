/**
 * The cheap proof of a success against the full reading, on generated and hostile answers: what is proven must be a
 * success by the full reading too, without a single exception, and of ordinary answers nearly all must be proven.
 */
import { check } from 'k6';
import http from 'k6/http';
import { readAnswer } from '../../lib/mcp/answer.js';
import { makeProver } from '../../lib/mcp/plain-success.js';

export const options = { iterations: 1, vus: 1, thresholds: { checks: ['rate==1.0'] } };

const CASES = Number(__ENV.CASES || 10_000);
const ID = 7;

let state = Number(__ENV.SEED || 1);
/** mulberry32 @returns {number} 0 <= n < 1 */
function random() {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
}
const below = (/** @type {number} */ n) => Math.floor(random() * n);
/** @template T @param {T[]} list @returns {T} */
const oneOf = (list) => /** @type {T} */ (list[below(list.length)]);
const rarely = () => random() < 0.15;

const NAMES = [
  'content',
  'structuredContent',
  'isError',
  'resultType',
  'id',
  'jsonrpc',
  'result',
  'error',
  'method',
  'text',
  '_meta',
];
const TEXTS = [
  'ok',
  'no "isError":true here',
  'data: x',
  '"error"',
  '\\u0041',
  '',
  'ünïcödé',
  '\ufffd',
  'a\nb',
  '},"jsonrpc":"2.0","id":7}',
  '\u2028',
];

/** @param {number} depth @returns {any} */
function value(depth) {
  const kind = below(depth > 2 ? 5 : 7);
  if (kind === 0) return oneOf([0, ID, 1.5, -3, 1e21]);
  if (kind === 1) return oneOf([true, false, null]);
  if (kind < 5) return oneOf([...TEXTS, 'complete', '2.0', 'input_required', 'true']);
  if (kind === 5) return Array.from({ length: below(3) }, () => value(depth + 1));
  return Object.fromEntries(Array.from({ length: below(4) }, () => [oneOf(NAMES), value(depth + 1)]));
}

/** What servers usually send, now and then with a member that changes its meaning. */
function result() {
  /** @type {any} */
  const made = { content: [{ type: 'text', text: oneOf(TEXTS) }] };
  if (random() < 0.5) made.structuredContent = value(1);
  if (random() < 0.5) made.isError = rarely() ? oneOf([true, 'true', 1, null, {}]) : false;
  if (random() < 0.5) made.resultType = rarely() ? oneOf(['input_required', 'task', 1]) : 'complete';
  if (rarely()) made[oneOf(NAMES)] = value(1);
  return made;
}

/** @param {any} message @returns {string} as different servers write it, sometimes with a member twice */
function serialise(message) {
  const members = Object.entries(message).map(([name, member]) => [name, JSON.stringify(member)]);
  if (rarely()) members.splice(below(members.length + 1), 0, [oneOf(NAMES), JSON.stringify(value(1))]);
  if (rarely()) members.sort(() => random() - 0.5);
  const colon = rarely() ? oneOf([': ', ' :', ':\t', ':\n']) : ':';
  const comma = rarely() ? oneOf([', ', ' ,', ',\r\n']) : ',';
  const text = `{${members.map(([name, member]) => `"${name}"${colon}${member}`).join(comma)}}`;
  return rarely() ? text + oneOf(['\n', ' ', '\r\n']) : text;
}

const DAMAGE = [
  '{',
  '}',
  '"',
  '\\',
  ',',
  ':',
  '[',
  ']',
  '7',
  '0',
  'e',
  ' ',
  '\n',
  '\r',
  '\ufeff',
  '\\u0045',
  '"isError":true,',
  '"error":{},',
  '"id":{},',
];

/** @param {string} text @returns {string} */
function damage(text) {
  const at = below(text.length + 1);
  const kind = below(6);
  if (kind === 0) return text.slice(0, at);
  if (kind === 1) return text.slice(0, at) + text.slice(at + 1 + below(3));
  if (kind === 2) return text.slice(0, at) + oneOf(DAMAGE) + text.slice(at);
  if (kind === 3)
    return text.replace(
      oneOf(['isError', 'result', 'id', 'error']),
      oneOf(['is\\u0045rror', 'resul\\u0074', 'isError', 'error']),
    );
  if (kind === 4) return text.replace('false', 'true');
  return text + text.slice(at);
}

/** @param {string} text @returns {string} as an event stream */
function stream(text) {
  const end = oneOf(['\n', '\n', '\r\n', '\r']);
  const lines = ['event: message', `data: ${text}`, '', ''];
  if (random() < 0.3) lines.unshift(oneOf(['id: 1', ': hi', 'retry: 5', 'data:', 'data: ', '\ufeffid: 2']));
  if (random() < 0.3) lines.unshift('id: 0', 'data:', '');
  if (rarely())
    lines.splice(
      below(lines.length),
      0,
      oneOf([`data: ${text}`, 'data: {"jsonrpc":"2.0","method":"x"}', 'data', 'datax: 1', '\rdata: {}']),
    );
  const body = lines.join(end);
  return rarely() ? damage(body) : body;
}

export default function () {
  const url = `${__ENV.SERVER_URL}/ok-json`;
  let ordinary = 0;
  let ordinaryProven = 0;
  let proven = 0;
  let proves = makeProver();
  let last = { body: '', sse: false };
  /** @type {string[]} */
  const wrong = [];
  for (let n = 0; n < CASES; n += 1) {
    const id = rarely() ? oneOf([70, '7', null, 8]) : ID;
    const made = result();
    let text = serialise(
      random() < 0.5 ? { jsonrpc: '2.0', id, result: made } : { result: made, jsonrpc: '2.0', id },
    );
    const damaged = random() < 0.3;
    if (damaged) text = damage(text);
    if (rarely()) text = damage(text);
    let sse = random() < 0.4;
    let body = sse ? stream(text) : text;
    // Now and then the last proven answer, with its id or another, whole or damaged, to try what is remembered of it.
    if (random() < 0.2) {
      sse = last.sse;
      body = last.body.replace('"id":7', `"id":${oneOf(['7', '7', '70', '6'])}`);
      if (rarely()) body = damage(body);
    }
    const headers = { 'Content-Type': sse ? 'text/event-stream' : 'application/json' };
    const truth = readAnswer({ status: 200, error_code: 0, error: '', headers, body }, ID);
    // k6 remembers of a response that its JSON is valid: each case needs one of its own.
    const response = /** @type {any} */ (http.post(url, '{"jsonrpc":"2.0","id":1,"method":"x"}'));
    response.body = body;
    const message = proves(response, String(ID));
    if (truth.failure === null && !damaged) ordinary += 1;
    if (message === null) {
      if (response.body !== body) wrong.push(`changed the body of ${body}`);
      continue;
    }
    proven += 1;
    if (truth.failure === null && !damaged) ordinaryProven += 1;
    if (truth.failure !== null) wrong.push(`${truth.failure.detail}: ${JSON.stringify(body)}`);
    else if (JSON.parse(message).id !== ID || body.indexOf(message) < 0)
      wrong.push(`read ${message} in ${body}`);
    last = { body, sse };
    if (rarely()) proves = makeProver();
  }
  console.log(`${CASES} answers, ${proven} proven, of ${ordinary} undamaged successes ${ordinaryProven}`);
  for (const line of wrong.slice(0, 5)) console.error(line);
  check(null, {
    'no failure was taken for a success': () => wrong.length === 0,
    'there was much to prove, and much not to': () => proven > CASES / 20 && proven < CASES / 2,
    'most of what is undamaged is proven': () => ordinaryProven > ordinary / 3,
  });
}

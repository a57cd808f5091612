/** The dialects against real servers: what is sent, and how each answer is judged. */
import { check, fail } from 'k6';
import { fixedAuth } from '../../lib/auth/fixed-auth.js';
import { dialectClients } from '../../lib/dialects/clients.js';
import { reach } from '../../lib/dialects/reach.js';
import { TargetError } from '../../lib/mcp/target-error.js';

export const options = { iterations: 1, thresholds: { checks: ['rate==1.0'] } };

const { GATEWAY_URL = '', REST_URL = '' } = __ENV;

/** @param {'jsonrpc' | 'rest'} dialect @param {string} url @param {Record<string, string>} [headers] */
function clientOf(dialect, url, headers) {
  return new dialectClients[dialect](reach(url, dialect), {
    auth: fixedAuth('sesame', headers),
    timeoutS: 2,
  });
}

/**
 * @param {string} what
 * @param {import('../../lib/mcp/answer.js').Answer} answer
 * @param {string} wanted a kind of failure, or ok
 */
function ends(what, { failure }, wanted) {
  check(failure, { [`${what}: ${wanted}`]: () => (failure?.kind ?? 'ok') === wanted }) ||
    fail(JSON.stringify(failure));
}

function jsonrpc() {
  const client = clientOf('jsonrpc', GATEWAY_URL);
  const convert = client.prepare('convert_time', { time: '09:00' });
  const converted = client.send(convert);
  ends('a method of its own', converted, 'ok');
  check(converted, { 'its result may be a text': ({ result }) => result === '09:00+1' });
  ends('a result may be null', client.send(client.prepare('convert_time', {})), 'ok');
  const add = client.prepare('tools/call', { name: 'add' }, { withArguments: true });
  check(client.send(add, { a: 1, b: 2 }), { 'arguments as an object': ({ result }) => result.sum === 3 });
  check(client.send(add, '{"a":2,"b":2}'), { 'arguments as a text': ({ result }) => result.sum === 4 });
  ends('an unknown method', client.send(client.prepare('nothing', {})), 'jsonrpc');
  const lost = clientOf('jsonrpc', `${GATEWAY_URL}/x`);
  ends('a path of nothing', lost.send(lost.prepare('convert_time', {})), 'http_4xx');
}

function rest() {
  const client = clientOf('rest', `${REST_URL}/`, { 'X-User-ID': 'dev_user' });
  /** @param {string} name @param {import('../../lib/dialects/clients.js').DialectCallOptions} [options] */
  const call = (name, options) =>
    client.send(client.prepare('tools/call', { name }, { ...options, withArguments: true }), {
      path: '/tmp',
    });
  const listed = call('list_files');
  ends('a tool', listed, 'ok');
  check(listed, { 'its answer': ({ result }) => result.result.files.length === 2 });
  ends('a tool with a name that must be encoded', call('read file/of mine'), 'ok');
  const noArguments = client.prepare('tools/call', { name: 'list_files' });
  ends('without arguments', client.send(noArguments), 'ok');
  ends('no JSON', call('broken'), 'protocol');
  ends('too many', call('busy'), 'rate_limited');
  ends('down', call('down'), 'http_5xx');
  ends('a success of another kind', call('odd'), 'ok');
  ends('a success that is not the expected one', call('odd', { expect_status: [200] }), 'unexpected');
  ends('a refusal', call('delete_all'), 'http_4xx');
  ends('a refusal that is expected', call('delete_all', { expect_status: [403] }), 'ok');
  ends('a refusal that was due', call('list_files', { expect_status: [403] }), 'unexpected');
  ends('a refusal of another kind', call('delete_all', { expect_status: [200, 404] }), 'http_4xx');
  const asGuest = { request_headers: { 'X-User-ID': 'guest_user' } };
  ends("an operation's own user", call('broken', { ...asGuest, expect_status: [403] }), 'ok');
}

export default function () {
  jsonrpc();
  rest();
  let message = '';
  try {
    reach('http://127.0.0.1:1/rpc', 'jsonrpc');
  } catch (error) {
    message = error instanceof TargetError ? error.message : '';
  }
  check(message, { 'no one there is told in set-up': (text) => text.includes('is the server running') });
}

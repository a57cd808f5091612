import assert from 'node:assert/strict';
import { test } from 'node:test';
import { probeAll } from '../../../lib/probe.js';

const error = (/** @type {number} */ code) => JSON.stringify({ jsonrpc: '2.0', id: null, error: { code } });

/** An answer to the probe, and how the server failed; absent: that is not what it is left out for. @type {[string, any, string?][]} */
const CASES = [
  ['http_5xx', { status: 500 }, 'HTTP 500'],
  ['http_5xx', { status: 503, text: '<html>' }, 'HTTP 503'],
  ['http_4xx', { status: 404, text: 'null' }, 'HTTP 404'],
  ['http_4xx', { status: 400, text: error(-32603) }, 'HTTP 400'],
  ['http_4xx', { status: 400, text: error(-32602) }],
  ['http_4xx', { status: 404, text: error(-32601) }],
  ['rate_limited', { status: 429 }, 'HTTP 429'],
  ['auth', { status: 403 }, 'HTTP 403'],
  ['timeout', { status: 0 }, 'no answer within 5 s'],
  ['stalled', { status: 200 }, 'its answer stalled'],
  ['connect', { status: 0 }, 'no connection'],
  ['protocol', { status: 200 }, 'no MCP answer'],
  ['jsonrpc', { status: 200, detail: '-32603: Internal error' }, 'JSON-RPC error -32603'],
  ['jsonrpc', { status: 200, detail: '-32000: broken' }, 'JSON-RPC error -32000'],
  ['jsonrpc', { status: 200, detail: '0: KeyError' }, 'JSON-RPC error 0'],
  ['jsonrpc', { status: 200, detail: '-32602: Invalid params' }],
  ['jsonrpc', { status: 200, detail: '-32002: no such resource' }],
  ['jsonrpc', { status: 200, detail: ': without a code' }],
  ['tool', { status: 200, detail: 'no such user' }],
  ['unexpected', { status: 200 }],
  ['too_large', { status: 200 }],
];

/** @param {any[]} answers in turn @param {any[]} [variants] */
function probed(answers, variants) {
  const client = /** @type {any} */ ({ prepare: () => ({ send: () => answers.shift() }) });
  const operation = {
    class: 'read',
    method: 'tools/call',
    params: {},
    ...(variants && { arguments: variants }),
  };
  const found = probeAll(client, /** @type {any} */ ({ one: operation }), 5, () => {});
  return JSON.parse(found).one;
}

const failing = (/** @type {string} */ kind, { status = 0, text = '', detail = 'as it was' }) => ({
  ...{ status, text, failure: { kind, detail } },
});

for (const [kind, answer, failed] of CASES) {
  test(`a probe that failed, ${kind} ${Object.values(answer).join(' ')}: ${failed ?? 'not for the server'}`, () => {
    const found = probed([failing(kind, answer)]);
    assert.deepEqual(found.works, []);
    assert.equal(found.failed, failed);
    assert.notEqual(found.reason, '');
  });
}

test('the first failure says how the server failed; one set of arguments that works is enough', () => {
  const bad = failing('tool', { status: 200 });
  const broken = failing('http_5xx', { status: 500 });
  assert.equal(probed([broken, bad], [{}, {}]).failed, 'HTTP 500');
  assert.equal(probed([bad, broken], [{}, {}]).failed, undefined);
  assert.deepEqual(probed([broken, { status: 200, failure: null }], [{}, {}]).works, [1]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toWorkload } from '../../../cli/run/payload.ts';
import { onlyTools } from '../../../scenarios/gateway/tools.ts';

const CONVERT = {
  jsonrpc: '2.0',
  id: 1,
  method: 'convert_time',
  params: { source_timezone: 'Europe/Berlin', target_timezone: 'Europe/Dublin', time: '09:00' },
};
const CALL = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'get_user', arguments: { user_id: 1 }, _meta: { a: 1 } },
};

test('a method of its own is plain JSON-RPC', () => {
  const { dialect, operations, mixes } = toWorkload(CONVERT, 'payload.json');
  assert.equal(dialect, 'jsonrpc');
  assert.deepEqual(operations, {
    convert_time: { class: 'read', method: 'convert_time', params: CONVERT.params },
  });
  assert.deepEqual(mixes, { default: { convert_time: 100 } });
});

test('a tool call is MCP, with its arguments', () => {
  const { dialect, operations } = toWorkload(CALL, 'payload.json');
  assert.equal(dialect, 'mcp');
  assert.deepEqual(operations, {
    get_user: {
      class: 'read',
      method: 'tools/call',
      params: { name: 'get_user', _meta: { a: 1 } },
      arguments: [{ user_id: 1 }],
    },
  });
  assert.equal(toWorkload({ jsonrpc: '2.0', method: 'tools/list' }, 'x').dialect, 'mcp');
});

/** @type {[string, unknown, RegExp][]} */
const WRONG = [
  ['a list', [CALL], /it is not a JSON object/],
  ['another version', { ...CALL, jsonrpc: '1.0' }, /jsonrpc is not "2.0"/],
  ['no method', { jsonrpc: '2.0' }, /method is not a string/],
  ['parameters by position', { ...CONVERT, params: [1] }, /params are not an object/],
  ['a call of nothing', { ...CALL, params: {} }, /params\.name is not a string/],
  ['arguments by position', { ...CALL, params: { name: 'x', arguments: [] } }, /params\.arguments are no/],
];
for (const [what, request, message] of WRONG) {
  test(`${what} is refused`, () => assert.throws(() => toWorkload(request, 'x'), message));
}

test('for a gateway, a method of its own is the tool that it stands for, and all else is left out', () => {
  const document = toWorkload(CONVERT, 'payload.json');
  const list = { class: /** @type {const} */ ('protocol'), method: 'tools/list', params: {} };
  const tools = onlyTools({
    ...document,
    operations: { ...document.operations, 'tools/list': list },
    mixes: { default: { convert_time: 1, 'tools/list': 1 } },
  });
  assert.equal(tools.dialect, 'mcp');
  assert.deepEqual(tools.operations, {
    convert_time: {
      class: 'read',
      method: 'tools/call',
      params: { name: 'convert_time' },
      arguments: [CONVERT.params],
    },
  });
  assert.deepEqual(tools.mixes, { default: { convert_time: 1 } });
  const lists = toWorkload({ jsonrpc: '2.0', method: 'tools/list' }, 'lists');
  assert.throws(() => onlyTools(lists), /the workload lists calls no tools/);
});

test('a name that is no text is not taken for one', () => {
  const request = { jsonrpc: '2.0', method: 'own', params: { name: { toString: 1 } } };
  assert.deepEqual(Object.keys(toWorkload(request, 'x'.repeat(300)).operations), ['own']);
});

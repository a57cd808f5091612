import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestHeaders } from '../../../../lib/mcp/protocol.js';

const base64 = (/** @type {string} */ text) => Buffer.from(text).toString('base64');
const MODERN = /** @type {const} */ ({
  era: 'modern',
  version: '2026-07-28',
  headers: {},
  session: '',
  method: 'tools/call',
  params: { name: 'echo' },
});

test('a modern call names its method and tool in headers', () => {
  const headers = requestHeaders(MODERN, base64);
  assert.equal(headers['MCP-Protocol-Version'], '2026-07-28');
  assert.equal(headers['Mcp-Method'], 'tools/call');
  assert.equal(headers['Mcp-Name'], 'echo');
  assert.equal(headers.Authorization, undefined);
  assert.equal(headers.Accept, 'application/json, text/event-stream');
});

test('a resource is named by its uri, a list by nothing', () => {
  assert.equal(
    requestHeaders({ ...MODERN, method: 'resources/read', params: { uri: 'a://b' } }, base64)['Mcp-Name'],
    'a://b',
  );
  assert.equal(
    requestHeaders({ ...MODERN, method: 'tools/list', params: {} }, base64)['Mcp-Name'],
    undefined,
  );
});

test('a name that is unsafe in a header travels as base64', () => {
  for (const name of ['größe', ' lead', 'line\nbreak', '=?base64?eA==?=']) {
    assert.equal(
      requestHeaders({ ...MODERN, params: { name } }, base64)['Mcp-Name'],
      `=?base64?${base64(name)}?=`,
      name,
    );
  }
});

test('a legacy request carries version and session once they are known', () => {
  const legacy = /** @type {const} */ ({
    ...MODERN,
    era: 'legacy',
    headers: { Authorization: 'Bearer t' },
    session: 's1',
  });
  const headers = requestHeaders({ ...legacy, version: '2025-06-18' }, base64);
  assert.equal(headers['MCP-Protocol-Version'], '2025-06-18');
  assert.equal(headers['Mcp-Session-Id'], 's1');
  assert.equal(headers.Authorization, 'Bearer t');
  assert.equal(headers['Mcp-Method'], undefined);
  const opening = { ...legacy, version: '2025-11-25', session: '', method: 'initialize' };
  assert.equal(requestHeaders(opening, base64)['MCP-Protocol-Version'], undefined);
  assert.equal(
    requestHeaders({ ...legacy, version: '2025-03-26' }, base64)['MCP-Protocol-Version'],
    undefined,
  );
});

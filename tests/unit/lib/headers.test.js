import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseHeaders } from '../../../contract/headers.js';

test('headers come as lines or as one JSON object', () => {
  const headers = { 'X-Api-Key': 'a:b c', 'x-user': 'me' };
  assert.deepEqual(parseHeaders('X-Api-Key: a:b c\r\n\n  x-user:me  \n'), headers);
  assert.deepEqual(parseHeaders(' {"X-Api-Key": "a:b c", "x-user": " me "}'), headers);
  assert.deepEqual(parseHeaders(''), {});
});

test('what no request may carry is refused', () => {
  for (const text of [
    'no colon',
    ': no name',
    'X Y: space in the name',
    'X-Empty:',
    'X-Bad: caf\u00e9',
    'X-Tab: a\tb',
    'X-A: 1\nx-a: 2',
    'Content-Length: 5',
    'mcp-session-id: stolen',
    'Mcp-Param-Region: x',
    '{"X-A": 1}',
    '{"X-A": "a\\r\\nX-B: injected"}',
    '{"X-A": "a"',
  ]) {
    assert.equal(parseHeaders(text), undefined, text);
  }
});

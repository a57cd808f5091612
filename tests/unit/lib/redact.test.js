import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headerSecrets, redactor } from '../../../lib/redact.js';

test('secrets leave a text in every spelling', () => {
  const redact = redactor(['se"cret/1', 'se"cret/1-longer', '']);
  assert.equal(redact('got se"cret/1 and se"cret/1-longer'), 'got [secret] and [secret]');
  assert.equal(redact(JSON.stringify({ got: 'se"cret/1' })), '{"got":"[secret]"}');
  assert.equal(redact(`?t=${encodeURIComponent('se"cret/1')}&x`), '?t=[secret]&x');
});

test('a secret that a text was cut off in leaves it, too', () => {
  const token = `eyJ${'abcdefgh'.repeat(50)}`;
  const redact = redactor([token]);
  for (const length of [4, 50, token.length - 1]) {
    assert.equal(redact(`token ${token}: no`.slice(0, 6 + length)), 'token [secret]');
  }
  assert.equal(
    redact(`(token ${token.slice(0, 90)}); and ${token.slice(0, 8)}!`),
    '(token [secret]); and [secret]!',
  );
  assert.equal(redact('a text that ends like nothing known'), 'a text that ends like nothing known');
});

test('short values are no secrets', () => {
  assert.equal(redactor(['1', 'yes'])('yes, 1 of 1'), 'yes, 1 of 1');
});

test('of a header with credentials, what follows the scheme is a secret by itself', () => {
  const redact = redactor(headerSecrets({ authorization: 'ApiKey k-4711-xyz', 'X-Team': 'blue team' }));
  assert.equal(redact('k-4711-xyz of team blue!'), '[secret] of team blue!');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refusedHint } from '../../../lib/refused-hint.js';

test('after a 401, the credentials that are set are named, or those that can be set', () => {
  for (const [env, hint] of /** @type {[Record<string, string>, string][]} */ ([
    [{}, 'set TARGET_TOKEN, TARGET_HEADERS or OAUTH_CLIENT_ID'],
    [{ TARGET_TOKEN: '' }, 'set TARGET_TOKEN, TARGET_HEADERS or OAUTH_CLIENT_ID'],
    [{ TARGET_TOKEN: 't-1' }, 'the server refused TARGET_TOKEN; is it right?'],
    [{ TARGET_HEADERS: 'X-Key: 1' }, 'the server refused TARGET_HEADERS; is it right?'],
    [
      { TARGET_TOKEN: 't-1', TARGET_HEADERS: 'X-Key: 1' },
      'the server refused TARGET_TOKEN and TARGET_HEADERS; are they right?',
    ],
    [
      { OAUTH_CLIENT_ID: 'me' },
      'the server refused the token of OAUTH_CLIENT_ID; are OAUTH_SCOPE and OAUTH_RESOURCE right?',
    ],
  ]))
    assert.equal(refusedHint(env), hint);
});

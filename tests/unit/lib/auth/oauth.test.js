import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  bearerChallenge,
  chooseMethod,
  isResourceOf,
  readTokenAnswer,
  resourceMetadataUrls,
  serverMetadataUrls,
  tokenRequest,
} from '../../../../lib/auth/oauth.js';

const base64 = (/** @type {string} */ text) => Buffer.from(text).toString('base64');
const GRANT = { endpoint: 'https://as/token', issuer: '', scope: 'a b', resource: 'https://host/mcp' };

test('the Bearer challenge is found among others, quoted or not', () => {
  assert.deepEqual(
    bearerChallenge(
      'Basic realm="x", Bearer error="invalid_token", scope="a b", resource_metadata=https://h/m',
    ),
    { error: 'invalid_token', scope: 'a b', resource_metadata: 'https://h/m' },
  );
  assert.equal(bearerChallenge('bearer note="say \\"hi\\""').note, 'say "hi"');
  assert.deepEqual(bearerChallenge('Basic realm="x"'), {});
  assert.deepEqual(bearerChallenge(''), {});
});

test('metadata are looked for where the specifications say', () => {
  assert.deepEqual(resourceMetadataUrls('https://host:8443/public/mcp'), [
    'https://host:8443/.well-known/oauth-protected-resource/public/mcp',
    'https://host:8443/.well-known/oauth-protected-resource',
  ]);
  assert.deepEqual(resourceMetadataUrls('https://host/'), [
    'https://host/.well-known/oauth-protected-resource',
  ]);
  assert.deepEqual(serverMetadataUrls('https://as/tenant1/'), [
    'https://as/.well-known/oauth-authorization-server/tenant1',
    'https://as/.well-known/openid-configuration/tenant1',
    'https://as/tenant1/.well-known/openid-configuration',
  ]);
  assert.deepEqual(serverMetadataUrls('https://as'), [
    'https://as/.well-known/oauth-authorization-server',
    'https://as/.well-known/openid-configuration',
  ]);
});

test('metadata of another resource are not used', () => {
  for (const resource of ['https://host/mcp', 'https://HOST', 'https://host/']) {
    assert.ok(isResourceOf('https://host/mcp', resource), resource);
  }
  for (const resource of [
    'https://evil/mcp',
    'http://host/mcp',
    'https://host/mcp2',
    'https://host/m',
    'host',
    7,
  ]) {
    assert.ok(!isResourceOf('https://host/mcp', resource), String(resource));
  }
});

test('the way to prove oneself is one that both sides have', () => {
  assert.equal(chooseMethod('auto', false, undefined), 'client_secret_basic');
  assert.equal(chooseMethod('auto', false, ['private_key_jwt', 'client_secret_post']), 'client_secret_post');
  assert.equal(chooseMethod('auto', true, ['private_key_jwt', 'client_secret_post']), 'private_key_jwt');
  assert.equal(chooseMethod('auto', false, ['private_key_jwt']), null);
  assert.equal(chooseMethod('client_secret_post', false, ['client_secret_basic']), 'client_secret_post');
});

test('a token request holds what its method asks for', () => {
  const client = { id: 'me:&', secret: 'a b+c%', assertion: 'j.w.t' };
  const basic = tokenRequest({ ...GRANT, method: 'client_secret_basic' }, client, base64);
  assert.equal(basic.headers.Authorization, `Basic ${base64('me%3A%26:a%20b%2Bc%25')}`);
  assert.deepEqual(Object.fromEntries(new URLSearchParams(basic.body)), {
    grant_type: 'client_credentials',
    scope: 'a b',
    resource: 'https://host/mcp',
  });
  const post = tokenRequest(
    { ...GRANT, method: 'client_secret_post', scope: '', resource: '' },
    client,
    base64,
  );
  assert.equal(post.headers.Authorization, undefined);
  assert.deepEqual(Object.fromEntries(new URLSearchParams(post.body)), {
    grant_type: 'client_credentials',
    client_id: 'me:&',
    client_secret: 'a b+c%',
  });
  const signed = new URLSearchParams(
    tokenRequest({ ...GRANT, method: 'private_key_jwt' }, client, base64).body,
  );
  assert.equal(signed.get('client_assertion'), 'j.w.t');
  assert.equal(signed.get('client_assertion_type'), 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
  assert.equal(signed.get('client_secret'), null);
});

test('only a bearer token is a token', () => {
  /** @param {object} answer */
  const read = (answer) => readTokenAnswer(200, JSON.stringify(answer));
  assert.deepEqual(read({ access_token: 'x', token_type: 'bearer', expires_in: '60' }), {
    token: { value: 'x', lifeMs: 60_000 },
  });
  for (const expires_in of [undefined, 0, 'soon', null]) {
    assert.deepEqual(read({ access_token: 'x', token_type: 'Bearer', expires_in }), {
      token: { value: 'x', lifeMs: Number.POSITIVE_INFINITY },
    });
  }
  assert.deepEqual(read({ access_token: 'x', token_type: 'DPoP' }), {
    problem: 'the token_type is "DPoP", only Bearer is supported',
  });
  assert.deepEqual(read({ access_token: 'x\r\nX: 1', token_type: 'Bearer' }), { problem: 'no access_token' });
  assert.deepEqual(readTokenAnswer(200, '<html>'), { problem: 'no access_token' });
  assert.deepEqual(readTokenAnswer(400, '{"error":"invalid_scope","error_description":"no such scope"}'), {
    problem: 'HTTP 400 invalid_scope: no such scope',
  });
  assert.deepEqual(readTokenAnswer(502, 'null'), { problem: 'HTTP 502' });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from '../../../contract/config-error.js';
import { readConfig } from '../../../lib/config.js';
import { clientCertificates, tlsHint } from '../../../lib/tls.js';

/** @type {Record<string, string>} */
const FILES = {
  '/cert': '-----BEGIN CERTIFICATE-----\n',
  '/key': '-----BEGIN PRIVATE KEY-----\n',
  '/locked': '-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n',
  '/locked8': '-----BEGIN ENCRYPTED PRIVATE KEY-----\n',
};

/** @param {Record<string, string>} env */
const read = (env) =>
  clientCertificates(readConfig({ TARGET_URL: 'https://127.0.0.1/mcp', ...env }), (path) => {
    const text = FILES[path];
    if (text === undefined) throw new Error('no such file');
    return text;
  });

test('a certificate goes with its key', () => {
  assert.equal(read({}), null);
  assert.equal(read({ TARGET_CA: '/cert' }), null);
  assert.deepEqual(read({ TARGET_CERT: '/cert', TARGET_KEY: '/key' }), [
    { cert: FILES['/cert'], key: FILES['/key'] },
  ]);
  assert.deepEqual(read({ TARGET_CERT: '/cert', TARGET_KEY: '/locked', TARGET_KEY_PASSWORD: 'p' }), [
    { cert: FILES['/cert'], key: FILES['/locked'], password: 'p' },
  ]);
});

test('a wrong file is named before k6 stumbles over it', () => {
  for (const [env, message] of /** @type {[Record<string, string>, RegExp][]} */ ([
    [{ TARGET_CERT: '/cert' }, /^set both TARGET_CERT and TARGET_KEY/],
    [{ TARGET_CERT: '/nowhere', TARGET_KEY: '/key' }, /^TARGET_CERT is "\/nowhere", which cannot be read/],
    [{ TARGET_CERT: '/key', TARGET_KEY: '/key' }, /^TARGET_CERT is "\/key", which contains no certificate/],
    [{ TARGET_CERT: '/cert', TARGET_KEY: '/cert' }, /^TARGET_KEY is "\/cert", which contains no private key/],
    [{ TARGET_CERT: '/cert', TARGET_KEY: '/locked' }, /which is encrypted; valid: with TARGET_KEY_PASSWORD/],
    [{ TARGET_CERT: '/cert', TARGET_KEY: '/key', TARGET_KEY_PASSWORD: 'p' }, /not encrypted; valid: without/],
    [
      { TARGET_CERT: '/cert', TARGET_KEY: '/locked8', TARGET_KEY_PASSWORD: 'p' },
      /PKCS #8, which k6 cannot read/,
    ],
    [{ TARGET_CA: '/key' }, /^TARGET_CA is "\/key", which contains no certificate/],
  ])) {
    assert.throws(
      () => read(env),
      (error) => error instanceof ConfigError && message.test(error.message),
      JSON.stringify(env),
    );
  }
});

test('a failure that is not about TLS gets no hint about it', () => {
  assert.equal(tlsHint('dial: connection refused'), null);
  assert.match(tlsHint('x509: unknown authority') ?? '', /TARGET_CA/);
});

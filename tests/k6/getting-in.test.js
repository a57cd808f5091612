/** Every way in which k6/x/mcp is let in, against servers that check it: an OAuth server, TLS with certificates of openssl. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { command } from '../lab.js';
import { scratchFolder } from '../scratch.js';
import { setUp, toolPath } from '../tool.js';
import { SCOPE, startAuthorizationServer } from './authorization-server.js';
import { makeCertificates } from './certificates.js';
import { bearerOf, startGuardedServer } from './guarded-server.js';

setUp('k6');

const TOKEN_LIFE_S = 5;

/** @type {Awaited<ReturnType<typeof startGuardedServer>>} */
let target;
/** @type {Awaited<ReturnType<typeof startAuthorizationServer>>} */
let oauth;

before(async () => {
  target = await startGuardedServer({
    refuse: async (request) => ((await oauth.accepts(bearerOf(request))) ? null : `no: ${bearerOf(request)}`),
    documents: {
      '/.well-known/oauth-protected-resource/mcp': (origin) => ({
        resource: `${origin}/mcp`,
        authorization_servers: [oauth.issuer],
        scopes_supported: [SCOPE],
      }),
    },
  });
  oauth = await startAuthorizationServer({ resource: target.url, lifeS: TOKEN_LIFE_S });
});
after(() => Promise.all([target?.close(), oauth?.close()]));

/**
 * @param {object} client its options
 * @param {Record<string, string>} [env]
 * @param {string[]} [args] for k6
 */
function k6(client, env = {}, args = []) {
  return command(toolPath('k6'), ['run', '--quiet', '--address', '', ...args, 'tests/k6/getting-in.js'], {
    CLIENT: JSON.stringify(client),
    ...env,
  });
}

/** @param {Parameters<typeof k6>} run */
async function passes(...run) {
  const { code, output } = await k6(...run);
  assert.equal(code, 0, output);
  assert.ok(!output.includes(oauth.secret));
  assert.doesNotMatch(output, /level=(error|warning)/);
}

/** Nobody can be reached without getting in: set-up says so in one line. @param {RegExp} why @param {Parameters<typeof k6>} run */
async function stopsInSetup(why, ...run) {
  const { code, output } = await k6(...run);
  assert.notEqual(code, 0, output);
  const errors = output.split('\n').filter((line) => line.includes('level=error'));
  assert.equal(errors.length, 1, output);
  assert.match(String(errors[0]), why);
  assert.ok(!output.includes(oauth.secret));
}

/** The authorization server is on another port than the target: the options have to name it. */
const trusted = () => ({ trustedHosts: [new URL(oauth.issuer).host] });

/** @type {[string, () => object][]} */
const CLIENTS = [
  ['client_secret_basic', () => ({ clientId: 'basic', clientSecret: oauth.secret })],
  [
    'client_secret_post',
    () => ({ clientId: 'post', clientSecret: oauth.secret, authMethod: 'client_secret_post' }),
  ],
  ['private_key_jwt with a P-256 key', () => ({ clientId: 'ec', privateKey: oauth.keys.ec })],
  ['private_key_jwt with an RSA key', () => ({ clientId: 'rsa', privateKey: oauth.keys.rsa })],
];
for (const [name, client] of CLIENTS) {
  test(`OAuth: ${name}, found from the server's 401: one token for set-up and all VUs`, async () => {
    const before = oauth.issued();
    await passes({ base_url: target.url, oauth: { ...client(), ...trusted() } });
    assert.equal(oauth.issued() - before, 1);
  });
}

test('a run outlives its tokens: one VU renews them for all', async () => {
  const before = oauth.issued();
  await passes(
    { base_url: target.url, oauth: { clientId: 'basic', clientSecret: oauth.secret, ...trusted() } },
    { DURATION: '9s' },
  );
  const tokens = oauth.issued() - before;
  // Each is renewed after 2.8 to 3.6 seconds; on a busy machine later.
  assert.ok(tokens >= 2 && tokens <= 4, `${tokens} tokens`);
});

test('a secret from k6 itself, and a token endpoint that is named', async () => {
  const file = join(scratchFolder(), 'secrets');
  writeFileSync(file, `client=${oauth.secret}\n`, { mode: 0o600 });
  await passes(
    { base_url: target.url, oauth: { clientId: 'basic', tokenUrl: `${oauth.issuer}/token`, scope: SCOPE } },
    { SECRET: 'client' },
    [`--secret-source=file=${file}`],
  );
});

test('what the authorization server refuses stops a run in set-up, without the secret', async () => {
  const client = { clientId: 'basic', clientSecret: oauth.secret, ...trusted() };
  await stopsInSetup(/cannot be used: no token: \S+: HTTP 401 invalid_client/, {
    base_url: target.url,
    oauth: { ...client, clientSecret: `not ${oauth.secret.slice(3)}` },
  });
  await stopsInSetup(/HTTP 400 invalid_target/, {
    base_url: target.url,
    oauth: { ...client, resource: 'https://other.example' },
  });
  await stopsInSetup(/cannot be used: HTTP 401/, { base_url: target.url, token: 'wrong' });
});

test('mTLS and a private authority, by the options of k6', async () => {
  const { ca, serverKey, serverCert, clientCert, clientKey, encryptedKey, password } = makeCertificates(
    scratchFolder(),
  );
  const server = await startGuardedServer({
    tls: {
      key: readFileSync(serverKey),
      cert: readFileSync(serverCert),
      ca: readFileSync(ca),
      requestCert: true,
      rejectUnauthorized: true,
    },
  });
  try {
    const client = { base_url: server.url };
    const env = { SSL_CERT_FILE: ca };
    await passes(client, { ...env, CERT: clientCert, KEY: clientKey });
    await passes(client, { ...env, CERT: clientCert, KEY: encryptedKey, PASSWORD: password });
    await stopsInSetup(/cannot be used: remote error: tls: certificate required/, client, env);
    await stopsInSetup(/cannot be used: .*unknown authority/, client);
  } finally {
    await server.close();
  }
});

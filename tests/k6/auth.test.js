/** Every way of being let in, against servers that check it: an OAuth server, TLS with certificates of openssl. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { assertMeasured, k6Run, runTest } from '../lab.js';
import { ownStack } from '../own-stack.js';
import { SCOPE, startAuthorizationServer } from './authorization-server.js';
import { makeCertificates } from './certificates.js';
import { bearerOf, startGuardedServer } from './guarded-server.js';

await ownStack({ up: 'later' });

/** A tenth of it is what a busy machine may be late by. */
const TOKEN_LIFE_S = 5;

/** @type {string} */
let folder;
/** @type {ReturnType<typeof makeCertificates>} */
let certificates;
/** @type {Awaited<ReturnType<typeof startGuardedServer>>} */
let target;
/** @type {Awaited<ReturnType<typeof startAuthorizationServer>>} */
let oauth;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mcp-load-lab-auth-'));
  certificates = makeCertificates(folder);
  /** @type {Record<string, string>} */
  const challenge = {};
  target = await startGuardedServer({
    refuse: async (request) => ((await oauth.accepts(bearerOf(request))) ? null : `no: ${bearerOf(request)}`),
    challenge,
    documents: {
      '/elsewhere/metadata': (origin) => ({
        resource: `${origin}/mcp`,
        authorization_servers: [oauth.issuer],
        scopes_supported: [SCOPE],
      }),
    },
  });
  challenge['WWW-Authenticate'] =
    `Bearer error="invalid_token", resource_metadata="${target.origin}/elsewhere/metadata"`;
  oauth = await startAuthorizationServer({ resource: target.url, lifeS: TOKEN_LIFE_S });
});
after(async () => {
  await target?.close();
  await oauth?.close();
  rmSync(folder, { recursive: true });
});

/** @param {string} name @param {string} text */
function file(name, text) {
  writeFileSync(join(folder, name), text, { mode: 0o600 });
  return join(folder, name);
}

/** As the runner calls k6, so that the variables mean what they mean there. @param {Record<string, string>} env */
function k6(env) {
  return k6Run('tests/k6/auth.js', env);
}

/** @param {Record<string, string>} env */
async function passes(env) {
  const { code, output } = await k6(env);
  assert.equal(code, 0, output.slice(-4000));
  return output;
}

const RENEW = String(TOKEN_LIFE_S * 1000);

/** @type {[string, () => Record<string, string>][]} */
const CLIENTS = [
  ['client_secret_basic', () => ({ OAUTH_CLIENT_ID: 'basic', OAUTH_CLIENT_SECRET: oauth.secret })],
  [
    'client_secret_post',
    () => ({
      OAUTH_CLIENT_ID: 'post',
      OAUTH_CLIENT_SECRET: oauth.secret,
      OAUTH_CLIENT_AUTH: 'client_secret_post',
    }),
  ],
  [
    'private_key_jwt with a P-256 key',
    () => ({ OAUTH_CLIENT_ID: 'ec', OAUTH_CLIENT_KEY: file('ec.pem', oauth.keys.ec) }),
  ],
  [
    'private_key_jwt with an RSA key',
    () => ({ OAUTH_CLIENT_ID: 'rsa', OAUTH_CLIENT_KEY: file('rsa.pem', oauth.keys.rsa) }),
  ],
];
for (const [name, client] of CLIENTS) {
  test(`OAuth: ${name}, found from the target's 401`, async () => {
    const before = oauth.issued();
    const output = await passes({ TARGET_URL: target.url, RENEW, ...client() });
    assert.equal(oauth.issued() - before, 2, 'one token for set-up and users, one more when renewed');
    assert.ok(!output.includes(oauth.secret));
  });
}

test('OAuth: a token endpoint that is named, and a secret from k6 itself', async () => {
  const output = await passes({
    TARGET_URL: target.url,
    RENEW,
    OAUTH_TOKEN_URL: `${oauth.issuer}/token`,
    OAUTH_SCOPE: SCOPE,
    OAUTH_CLIENT_ID: 'basic',
    SECRET_SOURCE: `file=${file('secrets', `OAUTH_CLIENT_SECRET=${oauth.secret}\n`)}`,
  });
  assert.ok(!output.includes(oauth.secret));
});

test('OAuth: what the authorization server refuses is said, without the secret', async () => {
  const client = { TARGET_URL: target.url, OAUTH_CLIENT_ID: 'basic' };
  const wrong = 'not-the-clients-secret';
  const output = await passes({
    ...client,
    OAUTH_CLIENT_SECRET: wrong,
    WANT_PROBLEM: 'gives no token to OAUTH_CLIENT_ID \\(client_secret_basic: HTTP 401 invalid_client',
  });
  assert.ok(!output.includes(wrong));
  const right = { ...client, OAUTH_CLIENT_SECRET: oauth.secret };
  await passes({
    ...right,
    OAUTH_RESOURCE: 'https://other.example',
    WANT_PROBLEM: 'HTTP 400 invalid_target',
  });
  await passes({ ...client, WANT_PROBLEM: 'with either OAUTH_CLIENT_SECRET or OAUTH_CLIENT_KEY' });
  await passes({ ...right, TARGET_TOKEN: 'x', WANT_PROBLEM: 'TARGET_TOKEN and OAUTH_CLIENT_ID are set' });
  await passes({
    ...client,
    OAUTH_CLIENT_KEY: join(folder, 'nowhere.pem'),
    WANT_PROBLEM: 'OAUTH_CLIENT_KEY is ".*nowhere.pem", where no such key is',
  });
});

test('several headers, as lines or as JSON', async () => {
  const server = await startGuardedServer({
    refuse: ({ headers }) =>
      headers['x-api-key'] === 'k-123:456' && headers['x-tenant'] === 'acme and sons' ? null : 'no',
  });
  try {
    await passes({
      TARGET_URL: server.url,
      TARGET_HEADERS: 'X-Api-Key: k-123:456\nX-Tenant:acme and sons\n',
    });
    const TARGET_HEADERS = JSON.stringify({ 'X-Api-Key': 'k-123:456', 'x-tenant': 'acme and sons' });
    await passes({ TARGET_URL: server.url, TARGET_HEADERS });
  } finally {
    await server.close();
  }
});

/** A server's side of mTLS. */
const mutualTls = () => ({
  key: readFileSync(certificates.serverKey),
  cert: readFileSync(certificates.serverCert),
  ca: readFileSync(certificates.ca),
  requestCert: true,
  rejectUnauthorized: true,
});

test('mTLS and a private authority', async () => {
  const { ca, otherCa, clientCert, clientKey, encryptedKey, password } = certificates;
  const server = await startGuardedServer({ tls: mutualTls() });
  try {
    const env = { TARGET_URL: server.url, TARGET_CA: ca };
    await passes({ ...env, TARGET_CERT: clientCert, TARGET_KEY: clientKey });
    const output = await passes({
      ...env,
      TARGET_CERT: clientCert,
      TARGET_KEY: encryptedKey,
      TARGET_KEY_PASSWORD: password,
    });
    assert.ok(!output.includes(password));
    await passes({ ...env, WANT_HINT: 'set TARGET_CERT and TARGET_KEY' });
    await passes({ ...env, TARGET_CA: otherCa, WANT_HINT: 'set TARGET_CA' });
    await passes({ ...env, TARGET_CA: '', WANT_HINT: 'set TARGET_CA' });
    await passes({
      TARGET_URL: server.url.replace('127.0.0.1', 'localhost'),
      TARGET_CA: ca,
      TARGET_CERT: clientCert,
      TARGET_KEY: clientKey,
      WANT_HINT: 'must name a host that its certificate is for',
    });
  } finally {
    await server.close();
  }
});

/** @param {{folder: string, output: string}} run @param {string[]} secrets */
function assertNoneIn({ folder: results, output }, secrets) {
  const files = readdirSync(results);
  assert.ok(files.includes('k6.log') && files.includes('summary.json') && files.includes('run.json'));
  for (const secret of secrets) {
    assert.ok(secret.length > 8 && !output.includes(secret), 'on the terminal');
    for (const name of files) assert.ok(!readFileSync(join(results, name), 'utf8').includes(secret), name);
  }
}

/** @returns {Record<string, string>} the variables of a short run with OAuth */
const SHORT_RUN = () => ({
  TARGET_URL: target.url,
  TOOL: 'whoami',
  ARGS: '{}',
  PROFILE: 'smoke',
  DURATION: '7s',
  THRESHOLDS: 'off',
  MAX_VUS: '20',
  TARGET_HEADERS: 'X-Api-Key: header-secret-4711',
  OAUTH_CLIENT_ID: 'basic',
  OAUTH_CLIENT_SECRET: oauth.secret,
});

/** @param {any} document run.json */
const measuredPhase = ({ phases }) => phases.find((/** @type {any} */ phase) => phase.measured);

test('a run over mTLS outlives its tokens, and leaves none of its secrets', async () => {
  const { ca, clientCert, encryptedKey, password } = certificates;
  const server = await startGuardedServer({
    refuse: async (request) =>
      request.headers['x-api-key'] === 'header-secret-4711' && (await oauth.accepts(bearerOf(request)))
        ? null
        : 'no',
    tls: mutualTls(),
  });
  const variables = {
    ...SHORT_RUN(),
    TARGET_URL: server.url,
    OAUTH_TOKEN_URL: `${oauth.issuer}/token`,
    OAUTH_SCOPE: SCOPE,
    OAUTH_RESOURCE: target.url,
    TARGET_CERT: clientCert,
    TARGET_KEY: encryptedKey,
    TARGET_KEY_PASSWORD: password,
  };
  try {
    const unknown = await runTest('sustained', variables);
    assert.equal(unknown.code, 3, unknown.output);
    assert.match(unknown.output, /set TARGET_CA/);

    const before = oauth.issued();
    const run = await runTest('sustained', { ...variables, TARGET_CA: ca });
    assertMeasured(run);
    const { error_rate: errors, requests, failures } = measuredPhase(run.document);
    assert.equal(errors, 0, JSON.stringify(failures));
    // Ten seconds with tokens of five: each user that was at work got several.
    const tokens = oauth.issued() - before;
    assert.ok(tokens > 3 && tokens < requests / 3, `${tokens} tokens for ${requests} calls`);
    const keyLines = readFileSync(encryptedKey, 'utf8').split('\n').slice(4, 8);
    assertNoneIn(run, [oauth.secret, 'header-secret-4711', password, ...keyLines, ...oauth.presented]);
  } finally {
    await server.close();
  }
});

test('renewals that are refused: the calls fail, the reason is told, the secrets are not', async () => {
  try {
    const run = await runTest('sustained', SHORT_RUN(), async () => oauth.setOpen(false));
    const { failures, error_rate: errors } = measuredPhase(run.document);
    assert.deepEqual(Object.keys(failures), ['http_4xx'], run.output);
    assert.ok(failures.http_4xx > 50 && errors > 0.5, JSON.stringify(failures));
    const log = readFileSync(join(run.folder, 'k6.log'), 'utf8');
    assert.match(log, /failure http_4xx of token renewal: HTTP 503 temporarily_unavailable; calls go on/);
    assertNoneIn(run, [oauth.secret, 'header-secret-4711', ...oauth.presented]);
  } finally {
    oauth.setOpen(true);
  }
});

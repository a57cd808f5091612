/** Every way of being let in, against servers that check it: an OAuth server, TLS with certificates of openssl. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { total } from '../../analysis/collect/groups.ts';
import { readSummary } from '../../analysis/collect/summary.ts';
import { labOutput, runK6 } from '../../cli/k6.ts';
import { assertMeasured, runTest } from '../lab.js';
import { ownStack } from '../own-stack.js';
import { scratchFolder } from '../scratch.js';
import { setUp } from '../tool.js';
import { SCOPE, startAuthorizationServer } from './authorization-server.js';
import { makeCertificates } from './certificates.js';
import { bearerOf, startGuardedServer } from './guarded-server.js';

await ownStack({ up: 'later' });
setUp('k6');

/** A tenth of it is what a busy machine may be late by. */
const TOKEN_LIFE_S = 5;

const folder = scratchFolder();
/** @type {ReturnType<typeof makeCertificates>} */
let certificates;
/** @type {Awaited<ReturnType<typeof startGuardedServer>>} */
let target;
/** @type {Awaited<ReturnType<typeof startAuthorizationServer>>} */
let oauth;

before(async () => {
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
});

/** @param {string} name @param {string} text */
function file(name, text) {
  writeFileSync(join(folder, name), text, { mode: 0o600 });
  return join(folder, name);
}

/**
 * A short load in k6, as the runner calls k6: the variables mean what they mean there.
 *
 * @param {Record<string, string>} env
 */
async function k6(env) {
  const results = scratchFolder();
  const args = ['run', '--quiet', '--address', '', ...labOutput(results), 'tests/k6/few-calls.js'];
  const { code, all: output } = await runK6(args, {
    env: {
      TOOL: 'whoami',
      ARGS: '{}',
      PROFILE: 'smoke',
      DURATION: '1s',
      MAX_VUS: '5',
      THRESHOLDS: 'off',
      // The authorization server is on another port than the target.
      TARGET_CONFIRM: new URL(oauth.issuer).host,
      ...env,
    },
    all: true,
  });
  for (const secret of secretsIn(env)) assert.ok(!output.includes(secret), 'a secret is shown');
  return { code, output, results };
}

/** @param {Record<string, string>} env */
const secretsIn = (env) =>
  ['TARGET_TOKEN', 'OAUTH_CLIENT_SECRET', 'TARGET_KEY_PASSWORD'].flatMap((name) => env[name] ?? []);

/** @param {Record<string, string>} env */
async function isLetIn(env) {
  const { code, output, results } = await k6(env);
  assert.equal(code, 0, output);
  const { summary } = readSummary(results);
  const groups = summary?.groups ?? [];
  assert.ok(total(groups, 'failed') === 0 && total(groups, 'requests') > 10, output);
  return output;
}

/** @param {RegExp} message @param {Record<string, string>} env */
async function isNotLetIn(message, env) {
  const { code, output } = await k6(env);
  assert.notEqual(code, 0, output);
  assert.match(output, message);
  return output;
}

/** @type {[string, () => Record<string, string>][]} */
const WAYS = [
  ['OAUTH_CLIENT_SECRET', () => ({ OAUTH_CLIENT_ID: 'basic', OAUTH_CLIENT_SECRET: oauth.secret })],
  [
    'OAUTH_CLIENT_AUTH',
    () => ({
      OAUTH_CLIENT_ID: 'post',
      OAUTH_CLIENT_SECRET: oauth.secret,
      OAUTH_CLIENT_AUTH: 'client_secret_post',
    }),
  ],
  ['OAUTH_CLIENT_KEY', () => ({ OAUTH_CLIENT_ID: 'ec', OAUTH_CLIENT_KEY: file('ec.pem', oauth.keys.ec) })],
  [
    'OAUTH_TOKEN_URL, OAUTH_SCOPE, and SECRET_SOURCE',
    () => ({
      OAUTH_TOKEN_URL: `${oauth.issuer}/token`,
      OAUTH_SCOPE: SCOPE,
      OAUTH_CLIENT_ID: 'basic',
      SECRET_SOURCE: `file=${file('secrets', `OAUTH_CLIENT_SECRET=${oauth.secret}\n`)}`,
    }),
  ],
];
for (const [name, variables] of WAYS) {
  test(`${name}: set-up and all users have one token`, async () => {
    const before = oauth.issued();
    const output = await isLetIn({ TARGET_URL: target.url, ...variables() });
    // On a busy machine the run may outlive it.
    assert.ok(oauth.issued() - before <= 2);
    assert.ok(!output.includes(oauth.secret));
  });
}

test('what does not let a run in is said in the words of its variables', async () => {
  const client = { TARGET_URL: target.url, OAUTH_CLIENT_ID: 'basic' };
  await isNotLetIn(
    /exit 3: \S+ cannot be used \(no token: \S+: HTTP 401 invalid_client.*\); are OAUTH_CLIENT_ID, its secret or key/,
    { ...client, OAUTH_CLIENT_SECRET: "not-the-client's-secret" },
  );
  const right = { ...client, OAUTH_CLIENT_SECRET: oauth.secret };
  await isNotLetIn(/HTTP 400 invalid_target/, { ...right, OAUTH_RESOURCE: 'https://other.example' });
  await isNotLetIn(/exit 2: .*needs either OAUTH_CLIENT_SECRET or OAUTH_CLIENT_KEY/, client);
  await isNotLetIn(/exit 2: set only one of TARGET_TOKEN and OAUTH_CLIENT_ID/, {
    ...right,
    TARGET_TOKEN: 'a-token-of-its-own',
  });
  await isNotLetIn(/exit 2: OAUTH_CLIENT_AUTH: private_key_jwt does not match/, {
    ...right,
    OAUTH_CLIENT_AUTH: 'private_key_jwt',
  });
  const refused = await isNotLetIn(/exit 3: \S+\/mcp cannot be used \(no token: \S+\/token: HTTP 401/, {
    ...client,
    TARGET_URL: `${target.url}?sig=4711`,
    OAUTH_TOKEN_URL: `${oauth.issuer}/token?sig=4711`,
    OAUTH_CLIENT_SECRET: "not-the-client's-secret",
  });
  const nobody = await isNotLetIn(/exit 3: \S+\/mcp cannot be used \(no token: .*connection refused/, {
    ...right,
    TARGET_URL: 'http://127.0.0.1:9/mcp?sig=4711',
  });
  for (const said of [refused, nobody]) assert.ok(!said.includes('4711'), said);
  await isNotLetIn(/exit 2: OAUTH_CLIENT_KEY is \S+nowhere\.pem\S+ which is not a private key/, {
    ...client,
    OAUTH_CLIENT_KEY: join(folder, 'nowhere.pem'),
  });
  await isNotLetIn(
    /exit 3: \S+ cannot be used \(HTTP 401.*\); the server refused TARGET_TOKEN; is it right\?/,
    {
      TARGET_URL: target.url,
      TARGET_TOKEN: 'a-token-of-its-own',
    },
  );
});

test('several headers, as lines or as JSON', async () => {
  const server = await startGuardedServer({
    refuse: ({ headers }) =>
      headers['x-api-key'] === 'k-123:456' && headers['x-tenant'] === 'acme and sons' ? null : 'no',
  });
  try {
    for (const TARGET_HEADERS of [
      'X-Api-Key: k-123:456\nX-Tenant:acme and sons\n',
      JSON.stringify({ 'X-Api-Key': 'k-123:456', 'x-tenant': 'acme and sons' }),
    ]) {
      await isLetIn({ TARGET_URL: server.url, TARGET_HEADERS });
    }
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
    const plain = { TARGET_CERT: clientCert, TARGET_KEY: clientKey };
    await isLetIn({ ...env, ...plain });
    await isLetIn({ ...env, ...plain, TARGET_KEY: encryptedKey, TARGET_KEY_PASSWORD: password });
    await isNotLetIn(/set TARGET_CERT and TARGET_KEY/, env);
    await isNotLetIn(/set TARGET_CA/, { ...env, ...plain, TARGET_CA: otherCa });
    await isNotLetIn(/set TARGET_CA/, { ...env, ...plain, TARGET_CA: '' });
    await isNotLetIn(/must use a host name from the server's certificate/, {
      ...env,
      ...plain,
      TARGET_URL: server.url.replace('127.0.0.1', 'localhost'),
    });
  } finally {
    await server.close();
  }
});

/** @param {{folder: string, output: string}} run @param {string[]} secrets */
function assertNoneIn({ folder: results, output }, secrets) {
  const files = readdirSync(results);
  assert.ok(files.includes('k6.log') && files.includes('measured.json') && files.includes('run.json'));
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
  TARGET_CONFIRM: new URL(oauth.issuer).host,
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
    const { failure_rate: errors, requests, failures } = measuredPhase(run.document);
    assert.equal(errors, 0, JSON.stringify(failures));
    // One user renews the token of all, 3 to 4 seconds after it was issued.
    const tokens = oauth.issued() - before;
    assert.ok(tokens >= 2 && tokens <= 6 && requests > 50, `${tokens} tokens for ${requests} calls`);
    const keyLines = readFileSync(encryptedKey, 'utf8').split('\n').slice(4, 8);
    assertNoneIn(run, [oauth.secret, 'header-secret-4711', password, ...keyLines, ...oauth.presented]);
  } finally {
    await server.close();
  }
});

test('renewals that are refused: the calls fail, the reason is told, the secrets are not', async () => {
  try {
    const run = await runTest('sustained', SHORT_RUN(), async () => oauth.setOpen(false));
    const { failures, failure_rate: errors } = measuredPhase(run.document);
    assert.deepEqual(Object.keys(failures), ['auth'], run.output);
    assert.ok(failures.auth > 10 && errors > 0.1, JSON.stringify(failures));
    const log = readFileSync(join(run.folder, 'k6.log'), 'utf8');
    assert.match(log, /failure auth of token: no token: \S+: HTTP 503 temporarily_unavailable/);
    assertNoneIn(run, [oauth.secret, 'header-secret-4711', ...oauth.presented]);
  } finally {
    oauth.setOpen(true);
  }
});

/** OAuth 2.1 client credentials: one token from set-up for all users, renewed by each of them before it expires. */
import encoding from 'k6/encoding';
import http from 'k6/http';
import { ConfigError } from '../../contract/config-error.js';
import { oneLine } from '../../contract/one-line.js';
import { TargetError } from '../mcp/target-error.js';
import { assertionClaims, readTokenAnswer, tokenRequest } from './oauth.js';
import { headerSecrets, redactor } from './redact.js';
import { seal, unseal } from './seal.js';
import { signAssertion } from './sign-assertion.js';

const TIMEOUT = '10s';
/** How long a user waits after a token request that failed, or for a token that was refused at once. */
const PAUSE_MS = 5000;
/** Of what an authorization server says of a refusal. */
const MAX_PROBLEM = 300;
/** A token that is refused sooner than this after it was issued will not be mended by another one. */
const PROMPT_MS = 1000;

const KEY = readKey();

/** To be called by init code, in every user: k6 opens no files later. */
function readKey() {
  try {
    return __ENV.OAUTH_CLIENT_KEY ? open(__ENV.OAUTH_CLIENT_KEY) : '';
  } catch {
    // Set-up will say so.
    return '';
  }
}

/**
 * @typedef {import('./oauth.js').Grant} Grant
 * @typedef {import('./oauth.js').Token} Token
 *
 * @typedef {object} Client
 * @property {string} OAUTH_CLIENT_ID
 * @property {string} OAUTH_CLIENT_SECRET '' where it has a key
 * @property {Record<string, string>} TARGET_HEADERS
 */

/** @param {Client} client */
const secretOf = (client) => KEY || client.OAUTH_CLIENT_SECRET;

/**
 * @param {Client} client
 * @param {Grant} grant
 * @returns {Promise<{token: Token} | {problem: string}>}
 */
async function askForToken(client, grant) {
  const { OAUTH_CLIENT_ID: id, OAUTH_CLIENT_SECRET: secret } = client;
  const claims = {
    id,
    audience: grant.issuer || grant.endpoint,
    jti: crypto.randomUUID(),
    nowMs: Date.now(),
  };
  const assertion =
    grant.method === 'private_key_jwt' ? await signAssertion(KEY, assertionClaims(claims)) : '';
  const { headers, body } = tokenRequest(grant, { id, secret, assertion }, (text) =>
    encoding.b64encode(text),
  );
  const response = http.post(grant.endpoint, body, {
    headers,
    // No request to the target: it is in none of our metrics, and k6's own count it under this name.
    tags: { name: 'oauth/token' },
    timeout: TIMEOUT,
    redirects: 0,
    responseType: 'text',
  });
  const answer =
    response.status === 0
      ? { problem: response.error || 'no answer' }
      : readTokenAnswer(response.status, String(response.body));
  if ('token' in answer) return answer;
  const basic = (headers.Authorization ?? '').replace('Basic ', '');
  // Redacted first: a secret is one only as it was sent.
  return { problem: oneLine(redactor([secret, assertion, basic])(answer.problem), MAX_PROBLEM) };
}

/**
 * @param {Client} client
 * @param {Grant} grant
 * @param {Token} first
 * @param {number} firstMs when it was issued
 */
function makeAuth(client, grant, first, firstMs) {
  const { TARGET_HEADERS, OAUTH_CLIENT_SECRET } = client;
  let quietUntilMs = 0;
  let warned = false;

  /** @param {Token} token @param {number} issuedMs */
  const of = (token, issuedMs) => ({
    token,
    issuedMs,
    // Well before the end, and not for all users at the same moment. Servers count whole seconds: a token may end one
    // second before its time.
    dueMs: issuedMs + Math.max(token.lifeMs - 1000, token.lifeMs / 4) * (0.7 + 0.2 * Math.random()),
    headers: /** @type {Record<string, string>} */ ({
      ...TARGET_HEADERS,
      Authorization: `Bearer ${token.value}`,
    }),
    redact: redactor([token.value, OAUTH_CLIENT_SECRET, ...headerSecrets(TARGET_HEADERS)]),
  });

  const auth = {
    ...of(first, firstMs),

    /** Asks for the next token; where that fails the old one stays in use, and the target's refusals are counted. */
    async renew() {
      const now = Date.now();
      const answer = await askForToken(client, grant);
      if ('token' in answer) {
        Object.assign(auth, of(answer.token, now));
        return;
      }
      quietUntilMs = now + PAUSE_MS;
      auth.dueMs = quietUntilMs;
      if (!warned) {
        warned = true;
        // The kind under which the calls that follow will fail.
        console.error(
          `failure http_4xx of token renewal: ${auth.redact(answer.problem)}; calls go on with the old token`,
        );
      }
    },

    /** The target answered 401: the token is renewed before the next call, unless that has just been done. */
    refused() {
      const now = Date.now();
      const from = now - auth.issuedMs < PROMPT_MS ? auth.issuedMs + PAUSE_MS : now;
      auth.dueMs = Math.min(auth.dueMs, Math.max(from, quietUntilMs));
    },

    /** @returns {Promise<{iv: string, sealed: string}>} for the users, by way of set-up's data */
    handOver() {
      const { token, issuedMs } = auth;
      return seal(JSON.stringify({ grant, token, issuedMs }), secretOf(client));
    },
  };
  return auth;
}

/**
 * Set-up: the first token.
 *
 * @param {import('../config.js').Config} config
 * @param {Grant} grant
 * @throws {ConfigError}
 * @throws {TargetError}
 */
export async function signInClient(config, grant) {
  if (config.OAUTH_CLIENT_KEY && !KEY.includes('-----BEGIN PRIVATE KEY-----')) {
    throw new ConfigError(
      `OAUTH_CLIENT_KEY is "${config.OAUTH_CLIENT_KEY}", where no such key is; valid: the path of a PEM file in PKCS #8`,
    );
  }
  const now = Date.now();
  const answer = await askForToken(config, grant);
  if ('token' in answer) return makeAuth(config, grant, answer.token, now);
  throw new TargetError(
    `${grant.endpoint} gives no token to OAUTH_CLIENT_ID (${grant.method}: ${answer.problem}); ` +
      'are OAUTH_CLIENT_ID, its secret or key, OAUTH_SCOPE and OAUTH_RESOURCE right?',
  );
}

/**
 * A user: takes up what set-up handed over.
 *
 * @param {Client} client
 * @param {{iv: string, sealed: string}} box
 */
export async function takeOverClient(client, box) {
  const { grant, token, issuedMs } = JSON.parse(await unseal(box, secretOf(client)));
  // JSON has no infinity.
  const lifeMs = token.lifeMs ?? Number.POSITIVE_INFINITY;
  return makeAuth(client, grant, { ...token, lifeMs }, issuedMs);
}

/**
 * What OAuth 2.1 and MCP's authorization specification say about client credentials: which documents lead from
 * a server to its authorization server, what a token request holds, and what of the answer counts. Pure.
 */

/**
 * @typedef {object} Grant how and where this client asks for tokens
 * @property {string} endpoint the token endpoint
 * @property {string} issuer of the tokens, the audience of a signed assertion; '' = unknown, then the endpoint is
 * @property {'client_secret_basic' | 'client_secret_post' | 'private_key_jwt'} method
 * @property {string} scope '' = none
 * @property {string} resource '' = none
 *
 * @typedef {object} Token
 * @property {string} value
 * @property {number} lifeMs Infinity: the server does not say
 */

/**
 * @param {string} header the WWW-Authenticate of a 401
 * @returns {Record<string, string>} the parameters of its Bearer challenge
 */
export function bearerChallenge(header) {
  /** @type {Record<string, string>} */
  const params = {};
  const start = header.search(/\bbearer\b/i);
  if (start < 0) return params;
  for (const [, name = '', quoted, bare = ''] of header
    .slice(start)
    .matchAll(/([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/g)) {
    params[name.toLowerCase()] ??= quoted === undefined ? bare : quoted.replace(/\\(.)/g, '$1');
  }
  return params;
}

/** @param {string} url @returns {{origin: string, path: string}} path: without query, '' for the root */
function split(url) {
  const [, origin = '', path = ''] = /^(https?:\/\/[^/?#]+)([^?#]*)/.exec(url) ?? [];
  return { origin, path: path.replace(/\/+$/, '') };
}

/** @param {string} url */
export const originOf = (url) => split(url).origin;

/**
 * RFC 9728: where a server's protected resource metadata may be.
 *
 * @param {string} target
 * @returns {string[]}
 */
export function resourceMetadataUrls(target) {
  const { origin, path } = split(target);
  const root = `${origin}/.well-known/oauth-protected-resource`;
  return path === '' ? [root] : [`${root}${path}`, root];
}

/**
 * RFC 8414 and OpenID Connect Discovery, in the order that MCP asks for.
 *
 * @param {string} issuer
 * @returns {string[]}
 */
export function serverMetadataUrls(issuer) {
  const { origin, path } = split(issuer);
  const wellKnown = `${origin}/.well-known`;
  const urls = [`${wellKnown}/oauth-authorization-server${path}`, `${wellKnown}/openid-configuration${path}`];
  return path === '' ? urls : [...urls, `${origin}${path}/.well-known/openid-configuration`];
}

/**
 * @param {string} target
 * @param {unknown} resource what its metadata says it is
 * @returns {boolean} RFC 9728: metadata that speaks of another server must not be used
 */
export function isResourceOf(target, resource) {
  if (typeof resource !== 'string') return false;
  const ours = split(target);
  const theirs = split(resource);
  return (
    ours.origin.toLowerCase() === theirs.origin.toLowerCase() && `${ours.path}/`.startsWith(`${theirs.path}/`)
  );
}

/**
 * @param {string} wanted OAUTH_CLIENT_AUTH
 * @param {boolean} hasKey
 * @param {unknown} supported the authorization server's list, where it has one
 * @returns {Grant['method'] | null} null: the server takes none that fits
 */
export function chooseMethod(wanted, hasKey, supported) {
  if (wanted !== 'auto') return /** @type {Grant['method']} */ (wanted);
  /** @type {Grant['method'][]} */
  const possible = hasKey ? ['private_key_jwt'] : ['client_secret_basic', 'client_secret_post'];
  // RFC 8414: without a list, it is client_secret_basic.
  if (!Array.isArray(supported)) return possible[0] ?? null;
  return possible.find((method) => supported.includes(method)) ?? null;
}

/** @param {string} text as application/x-www-form-urlencoded has it, which is a bit more than a URI component */
const form = (text) =>
  encodeURIComponent(text).replace(/[!'()*~]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

/**
 * @param {Grant} grant
 * @param {object} client
 * @param {string} client.id
 * @param {string} client.secret '' with private_key_jwt
 * @param {string} client.assertion '' with a secret
 * @param {(text: string) => string} base64
 * @returns {{headers: Record<string, string>, body: string}} the token request
 */
export function tokenRequest({ method, scope, resource }, { id, secret, assertion }, base64) {
  /** @type {Record<string, string>} */
  const fields = { grant_type: 'client_credentials' };
  /** @type {Record<string, string>} */
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' };
  if (scope) fields.scope = scope;
  if (resource) fields.resource = resource;
  if (method === 'client_secret_basic') {
    // RFC 6749, 2.3.1: both parts are form-encoded first.
    headers.Authorization = `Basic ${base64(`${form(id)}:${form(secret)}`)}`;
  } else {
    fields.client_id = id;
    if (method === 'client_secret_post') fields.client_secret = secret;
    else {
      fields.client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
      fields.client_assertion = assertion;
    }
  }
  const body = Object.entries(fields)
    .map(([name, value]) => `${name}=${form(value)}`)
    .join('&');
  return { headers, body };
}

/**
 * @param {number} status
 * @param {string} body
 * @returns {{token: Token} | {problem: string}}
 */
export function readTokenAnswer(status, body) {
  const answer = parse(body);
  if (status !== 200) {
    const why = [answer?.error, answer?.error_description].filter((text) => typeof text === 'string');
    return { problem: `HTTP ${status}${why.length > 0 ? ` ${why.join(': ')}` : ''}` };
  }
  const { access_token: value, token_type: type, expires_in: seconds } = answer ?? {};
  if (typeof value !== 'string' || !/^[\x21-\x7e]+$/.test(value)) return { problem: 'no access_token' };
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer') {
    return { problem: `the token_type is ${JSON.stringify(type ?? null)}, only Bearer is supported` };
  }
  // Some servers write the number as text.
  const life = Number(seconds ?? Number.NaN);
  return { token: { value, lifeMs: life > 0 ? life * 1000 : Number.POSITIVE_INFINITY } };
}

/** @param {string} text @returns {any} null: no JSON object */
export function parse(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

/**
 * RFC 7523: what a signed assertion says.
 *
 * @param {object} facts
 * @param {string} facts.id the client's
 * @param {string} facts.audience
 * @param {string} facts.jti unique
 * @param {number} facts.nowMs
 */
export function assertionClaims({ id, audience, jti, nowMs }) {
  const now = Math.floor(nowMs / 1000);
  return { iss: id, sub: id, aud: audience, jti, iat: now, exp: now + 60 };
}

/** An OAuth server that no one here wrote (oidc-provider), with a client for each way to prove oneself. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { listen } from './listen.js';

export const SCOPE = 'mcp:load';

/**
 * @param {object} settings
 * @param {string} settings.resource what the tokens are for
 * @param {number} settings.lifeS of a token
 */
export async function startAuthorizationServer({ resource, lifeS }) {
  // Its start warns of what a test does on purpose: new keys, and http.
  const { warn, info } = console;
  Object.assign(console, { warn() {}, info() {} });
  // @ts-expect-error it has no types of its own
  const { default: Provider, errors } = await import('oidc-provider');
  const server = createServer();
  const { url: issuer, close } = await listen(server);
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  // A password in a Basic header is encoded: let it matter.
  const secret = `s3:cret ${randomBytes(16).toString('base64')}`;
  const common = { grant_types: ['client_credentials'], redirect_uris: [], response_types: [], scope: SCOPE };
  /** @param {string} client_id @param {import('node:crypto').KeyObject} key @param {string} alg */
  const signing = (client_id, key, alg) => ({
    ...common,
    client_id,
    token_endpoint_auth_method: 'private_key_jwt',
    token_endpoint_auth_signing_alg: alg,
    jwks: { keys: [{ ...key.export({ format: 'jwk' }), alg, use: 'sig' }] },
  });
  const provider = new Provider(issuer, {
    clients: /** @type {any} */ ([
      {
        ...common,
        client_id: 'basic',
        client_secret: secret,
        token_endpoint_auth_method: 'client_secret_basic',
      },
      {
        ...common,
        client_id: 'post',
        client_secret: secret,
        token_endpoint_auth_method: 'client_secret_post',
      },
      signing('ec', publicKey, 'ES256'),
      signing('rsa', rsa.publicKey, 'RS256'),
    ]),
    scopes: [SCOPE],
    ttl: { ClientCredentials: lifeS },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (/** @type {unknown} */ _context, /** @type {string} */ indicator) => {
          if (indicator !== resource) throw new errors.InvalidTarget();
          return { scope: SCOPE, audience: indicator, accessTokenTTL: lifeS };
        },
      },
    },
  });
  let tokens = 0;
  provider.on('grant.success', () => {
    tokens += 1;
  });
  /** @type {Set<string>} what clients brought, so also what no file may hold */
  const presented = new Set();
  let open = true;
  const handle = provider.callback();
  server.on('request', (request, response) => {
    if (open || request.url !== '/token') handle(request, response);
    else
      response
        .writeHead(503, { 'Content-Type': 'application/json' })
        .end('{"error":"temporarily_unavailable"}');
  });
  Object.assign(console, { warn, info });
  /** @param {import('node:crypto').KeyObject} key */
  const pem = (key) => String(key.export({ format: 'pem', type: 'pkcs8' }));
  return {
    issuer,
    secret,
    keys: { ec: pem(privateKey), rsa: pem(rsa.privateKey) },
    issued: () => tokens,
    presented,
    /** @param {boolean} gives tokens from now on */
    setOpen(gives) {
      open = gives;
    },
    /** @param {string} token @returns {Promise<boolean>} */
    async accepts(token) {
      if (token) presented.add(token);
      const found = await provider.ClientCredentials.find(token);
      return found?.isValid === true && found.aud === resource && found.scope === SCOPE;
    },
    close,
  };
}

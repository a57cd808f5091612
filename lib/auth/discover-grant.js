/** Set-up: finds the token endpoint of a target, as MCP's authorization specification says. */
import http from 'k6/http';
import { asText } from '../../contract/as-text.js';
import { TargetError } from '../mcp/target-error.js';
import { strangeHost } from '../target-host.js';
import {
  bearerChallenge,
  chooseMethod,
  isResourceOf,
  originOf,
  parse,
  resourceMetadataUrls,
  serverMetadataUrls,
} from './oauth.js';

const PARAMS = {
  timeout: '4s',
  // Where one leads is for nobody to choose but who started the run.
  redirects: 0,
  responseType: /** @type {const} */ ('text'),
  tags: { name: 'oauth/metadata' },
};

/**
 * @param {import('../config.js').Config} config
 * @returns {import('./oauth.js').Grant}
 * @throws {TargetError}
 */
export function discoverGrant(config) {
  const { TARGET_URL, OAUTH_TOKEN_URL, OAUTH_SCOPE, OAUTH_CLIENT_AUTH, OAUTH_CLIENT_KEY } = config;
  const target = TARGET_URL.replace(/[?#].*$/, '');
  const found = OAUTH_TOKEN_URL
    ? { endpoint: OAUTH_TOKEN_URL, issuer: '', methods: undefined, scope: '', resource: target }
    : discover(target, config);
  const method = chooseMethod(OAUTH_CLIENT_AUTH, OAUTH_CLIENT_KEY !== '', found.methods);
  if (!method) {
    throw new TargetError(
      `${found.endpoint} takes ${asText(found.methods).slice(0, 200)}; set OAUTH_CLIENT_SECRET or OAUTH_CLIENT_KEY ` +
        'to what it wants, or force one with OAUTH_CLIENT_AUTH',
    );
  }
  const resource = config.OAUTH_RESOURCE === 'off' ? '' : config.OAUTH_RESOURCE || found.resource;
  return {
    endpoint: found.endpoint,
    issuer: found.issuer,
    method,
    scope: OAUTH_SCOPE || found.scope,
    resource,
  };
}

/**
 * @param {string} target
 * @param {import('../config.js').Config} config
 */
function discover(target, config) {
  const challenge = askForChallenge(config);
  needKnown(challenge.resource_metadata, 'metadata', config);
  const urls = challenge.resource_metadata ? [challenge.resource_metadata] : resourceMetadataUrls(target);
  const resource = firstDocument(urls, (document) => Array.isArray(document.authorization_servers));
  if (resource && !isResourceOf(target, resource.document.resource)) {
    throw new TargetError(
      `${resource.url} is the metadata of another resource than ${target}; set OAUTH_TOKEN_URL if it is to be trusted`,
    );
  }
  // Servers of the first authorization specification have no resource metadata: they are their own issuer.
  const issuer = asText(resource?.document.authorization_servers[0] ?? originOf(target));
  needKnown(issuer, 'authorization server', config);
  const server = firstDocument(
    serverMetadataUrls(issuer),
    (document) => typeof document.token_endpoint === 'string',
  );
  if (!server) {
    throw new TargetError(
      `${target} does not say where its tokens come from (no authorization server metadata of ${issuer}); set OAUTH_TOKEN_URL`,
    );
  }
  const { document } = server;
  if (resource && withoutSlash(document.issuer) !== withoutSlash(issuer)) {
    throw new TargetError(`${server.url} names another issuer than ${issuer}; set OAUTH_TOKEN_URL`);
  }
  const endpoint = document.token_endpoint;
  // A secret goes to a place that the target named: not over a worse connection than the target's own.
  if (!/^https:\/\//.test(endpoint) && !(target.startsWith('http:') && /^http:\/\//.test(endpoint))) {
    throw new TargetError(
      `${server.url} names a token endpoint without TLS; set OAUTH_TOKEN_URL if it is to be trusted`,
    );
  }
  needKnown(endpoint, 'token endpoint', config);
  const scopes = resource?.document.scopes_supported;
  return {
    endpoint,
    issuer: asText(document.issuer ?? ''),
    methods: document.token_endpoint_auth_methods_supported,
    scope: challenge.scope ?? (Array.isArray(scopes) ? scopes.map(asText).join(' ') : ''),
    resource: asText(resource?.document.resource ?? target),
  };
}

/**
 * The client's secret goes there, and a request from this machine: not to whichever host a server names.
 *
 * @param {string | undefined} url
 * @param {string} what
 * @param {import('../config.js').Config} config
 * @throws {TargetError}
 */
function needKnown(url, what, { TARGET_URL, TARGET_CONFIRM }) {
  const host = url === undefined ? '' : strangeHost(url, TARGET_URL, TARGET_CONFIRM);
  if (host === '') return;
  throw new TargetError(
    `${TARGET_URL.replace(/[?#].*$/, '')} has its ${what} on ${host.slice(0, 100)}; if that is to be trusted, set ` +
      `TARGET_CONFIRM=${[...TARGET_CONFIRM, host.slice(0, 100)].join(',')} or OAUTH_TOKEN_URL`,
  );
}

/** @param {unknown} issuer */
const withoutSlash = (issuer) => asText(issuer).replace(/\/$/, '');

/** @param {import('../config.js').Config} config */
function askForChallenge({ TARGET_URL, TARGET_HEADERS }) {
  // Any request would do; this one changes nothing on a server that lets everyone in.
  const response = http.post(TARGET_URL, '{"jsonrpc":"2.0","id":1,"method":"ping"}', {
    ...PARAMS,
    headers: {
      ...TARGET_HEADERS,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
  });
  return response.status === 401 ? bearerChallenge(response.headers['Www-Authenticate'] ?? '') : {};
}

/**
 * @param {string[]} urls
 * @param {(document: any) => boolean} fits
 * @returns {{url: string, document: any} | null}
 */
function firstDocument(urls, fits) {
  for (const url of urls) {
    const response = http.get(url, { ...PARAMS, headers: { Accept: 'application/json' } });
    const document = response.status === 200 ? parse(String(response.body)) : null;
    if (document && fits(document)) return { url, document };
  }
  return null;
}

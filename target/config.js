import { COMPRESSIONS } from './compression.js';
import { nonEmpty, oneOf, readEnvironment, url, wholeNumber } from './environment.js';
import { faultsVariable } from './faults/variable.js';

/** How reads and writes of users go through Redis. */
export const CACHE_STRATEGIES = ['none', 'read-through', 'write-through', 'write-behind'];

/**
 * The formats of tool results. MCP requires `content` in every result, even if it is empty, so clients of all versions
 * can read the first two formats. MCP recommends that servers also send structured content as text.
 */
export const CONTENTS = ['structured', 'text', 'structured-only'];

/**
 * @typedef {object} Config
 * @property {string} host address to listen on
 * @property {number} port 0: any free port
 * @property {number} adminPort port of the primary's admin listener; 0: any free port
 * @property {import('./faults/table.js').FaultValues} faults faults that are active from the start
 * @property {number} workers processes that serve requests
 * @property {number} poolSize database connections per worker
 * @property {string} cacheStrategy one of {@link CACHE_STRATEGIES}
 * @property {number} cacheTtl lifetime of a cached user, seconds
 * @property {number} rateLimit requests per second of the whole service; 0: no limit
 * @property {string} compression one of {@link COMPRESSIONS}
 * @property {string} content one of {@link CONTENTS}
 * @property {boolean} sessions whether legacy clients get sessions
 * @property {number} sessionTimeout how long a session may stay idle, seconds
 * @property {number} resourceLifetime how long resources of the proxy manager are kept, seconds
 * @property {string} token bearer token that requests must contain
 * @property {import('pg').ClientConfig} database
 * @property {string} redisUrl
 * @property {string} upstreamUrl base URL of the weather service
 */

const DATABASE_URL = url(['postgres:', 'postgresql:'], { secret: true });

/** PostgreSQL's own variables, used if DATABASE_URL is unset. */
const DATABASE_PARTS = {
  PGHOST: nonEmpty('the database host, or set DATABASE_URL'),
  PGPORT: wholeNumber(1, 65535, '5432'),
  PGUSER: nonEmpty('the database user'),
  PGPASSWORD: nonEmpty("the database user's password", { secret: true }),
  PGDATABASE: nonEmpty('the database name'),
};

/** A variable with a URL of Redis: an address, or the path of a Unix socket (unix://:password@/path). */
function redisUrl() {
  const byNetwork = url(['redis:', 'rediss:'], { secret: true });
  const bySocket = /^unix:\/\/(:[^:@/?#]+@)?\/[^?#]+$/;
  return {
    ...byNetwork,
    valid: `${byNetwork.valid}, or unix:// with a path`,
    parse: (/** @type {string} */ text) => (bySocket.test(text) ? text : byNetwork.parse(text)),
  };
}

/** The server's environment variables. */
export const VARIABLES = {
  HOST: nonEmpty('an address to listen on', { fallback: '127.0.0.1' }),
  PORT: wholeNumber(0, 65535, '8000'),
  // Serves metrics. Clients on loopback with the token can also set faults.
  ADMIN_PORT: wholeNumber(0, 65535, '0'),
  WORKERS: { ...wholeNumber(1, 64, '2'), about: 'processes that serve requests' },
  POOL_SIZE: { ...wholeNumber(1, 1000, '25'), about: 'database connections per worker' },
  CACHE_STRATEGY: { ...oneOf(CACHE_STRATEGIES, 'write-behind'), about: 'how users are cached in Redis' },
  CACHE_TTL: { ...wholeNumber(1, 86_400, '300'), about: 'lifetime of a cached user, in seconds' },
  RATE_LIMIT_RPS: {
    ...wholeNumber(0, 1_000_000, '0'),
    about: 'maximum requests per second, then status 429; 0: no limit',
  },
  COMPRESSION: {
    ...oneOf(COMPRESSIONS, 'none'),
    about: 'compression of JSON answers above 1 KB, for clients that accept it',
  },
  CONTENT: {
    ...oneOf(CONTENTS, 'structured'),
    about:
      'format of tool results: structured content and JSON text, or one of the two (MCP has no other serialization format)',
  },
  SESSIONS: { ...oneOf(['0', '1'], '0'), about: '1: legacy clients get sessions' },
  SESSION_TIMEOUT: { ...wholeNumber(1, 86_400, '600'), about: 'maximum idle time of a session, in seconds' },
  RESOURCE_LIFETIME: {
    ...wholeNumber(1, 10_000_000, '7200'),
    about: 'seconds until a proxy manager resource is removed automatically',
  },
  TARGET_FAULTS: {
    ...faultsVariable(),
    about: 'faults that are active from the start, as JSON (docs/calibration.md)',
  },
  TARGET_TOKEN: nonEmpty('the bearer token that clients must send', { secret: true }),
  REDIS_URL: redisUrl(),
  UPSTREAM_URL: url(['http:', 'https:']),
};

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {Config}
 * @throws {import('./environment.js').EnvironmentError}
 */
export function readConfig(env) {
  const values = readEnvironment(VARIABLES, env);
  return {
    host: values.HOST,
    port: values.PORT,
    adminPort: values.ADMIN_PORT,
    faults: values.TARGET_FAULTS,
    workers: values.WORKERS,
    poolSize: values.POOL_SIZE,
    cacheStrategy: values.CACHE_STRATEGY,
    cacheTtl: values.CACHE_TTL,
    rateLimit: values.RATE_LIMIT_RPS,
    compression: values.COMPRESSION,
    content: values.CONTENT,
    sessions: values.SESSIONS === '1',
    sessionTimeout: values.SESSION_TIMEOUT,
    resourceLifetime: values.RESOURCE_LIFETIME,
    token: values.TARGET_TOKEN,
    database: readDatabase(env),
    redisUrl: values.REDIS_URL,
    upstreamUrl: values.UPSTREAM_URL.replace(/\/$/, ''),
  };
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {import('pg').ClientConfig}
 */
function readDatabase(env) {
  if (env.DATABASE_URL) {
    return { connectionString: readEnvironment({ DATABASE_URL }, env).DATABASE_URL };
  }
  const parts = readEnvironment(DATABASE_PARTS, env);
  return {
    host: parts.PGHOST,
    port: parts.PGPORT,
    user: parts.PGUSER,
    password: parts.PGPASSWORD,
    database: parts.PGDATABASE,
  };
}

import cluster from 'node:cluster';
import { createServer } from 'node:http';
import { createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server';
import { createApp, createMcpEndpoint } from './app.js';
import { connectClusterMetrics } from './cluster-metrics.js';
import { Database } from './database.js';
import { EnvironmentError } from './environment.js';
import { checkHealth } from './health.js';
import { log } from './log.js';
import { createMcpServer } from './mcp.js';
import { Metrics } from './metrics.js';
import { createRateLimit } from './rate-limit.js';
import { connectRedis } from './redis.js';
import { ServerPool } from './server-pool.js';
import { SessionRouter, Sessions } from './sessions.js';
import { Users } from './users.js';
import { Weather } from './weather.js';
import { WriteBehind } from './write-behind.js';

/** The primary's message that makes a worker finish and exit. */
export const STOP = 'stop';

/** Names the folder of the workers' own sockets; the primary makes it. */
export const SOCKET_FOLDER = 'TARGET_SOCKET_FOLDER';

/** How long requests under way may take to finish once the worker is told to stop, ms. */
const DRAIN_TIMEOUT = 3000;

/**
 * Serves requests until the primary says stop.
 * @param {import('./config.js').Config} config
 */
export async function runWorker(config) {
  const metrics = new Metrics();
  const database = new Database(config, metrics);
  const redis = connectRedis(config.redisUrl);
  // Not awaited: without Redis the service works, slower.
  redis.connect().catch(() => {});
  const weather = new Weather(config, metrics);
  const users = new Users({ config, database, redis, metrics });
  const writeBehind =
    config.cacheStrategy === 'write-behind' ? new WriteBehind({ config, database, redis }) : undefined;
  const mcp = await createMcp(config, metrics, () => createMcpServer({ users, database, weather }));

  const app = createApp({
    config,
    metrics,
    limit: createRateLimit(config, redis),
    endpoint: mcp.endpoint,
    health: () =>
      checkHealth({
        database: () => database.ping(),
        cache: () => redis.ping(),
        upstream: () => weather.ping(),
      }),
    renderMetrics: connectClusterMetrics(metrics),
  });
  const server = createServer((request, response) => {
    app(request, response).catch((error) => {
      // A client that goes away in the middle of its own request is no event.
      if (!request.destroyed) log('error', 'request failed', { error: String(error) });
      if (response.headersSent) response.destroy();
      else response.writeHead(500).end();
    });
  });
  await listen(server, config);

  let stopping = false;
  async function stop() {
    if (stopping) return;
    stopping = true;
    await drain(server, mcp);
    await writeBehind?.stop();
    weather.close();
    await database.close();
    redis.destroy();
    process.exit(0);
  }
  process.on('message', (message) => message === STOP && stop());
  // A supervisor may signal the whole group. A primary that died takes its workers with it, in order.
  for (const event of ['disconnect', 'SIGTERM', 'SIGINT']) process.on(event, stop);
}

/**
 * @typedef {object} Mcp
 * @property {import('./app.js').Handler} endpoint
 * @property {() => Promise<unknown>} close ends the streams that clients hold open
 */

/**
 * Both eras on one endpoint: stateless, or with sessions for legacy clients.
 * @param {import('./config.js').Config} config
 * @param {Metrics} metrics
 * @param {() => import('@modelcontextprotocol/server').McpServer} createServer
 * @returns {Promise<Mcp>}
 */
async function createMcp(config, metrics, createServer) {
  const pool = new ServerPool(createServer);
  const handler = createMcpHandler(({ era }) => pool.take(era), {
    legacy: config.sessions ? 'reject' : 'stateless',
  });
  if (!config.sessions) return { endpoint: createMcpEndpoint(handler.fetch, metrics), close: handler.close };

  const workerId = cluster.worker?.id ?? 0;
  const sessions = new Sessions({ createServer, metrics, workerId });
  const endpoint = createMcpEndpoint(
    async (request, options) =>
      (await isLegacyRequest(request, options.parsedBody))
        ? sessions.serve(request, options)
        : handler.fetch(request, options),
    metrics,
  );
  const router = new SessionRouter({ folder: process.env[SOCKET_FOLDER] ?? '', workerId, endpoint });
  await router.listen();
  return {
    endpoint: (request, response) => router.route(request, response),
    async close() {
      await Promise.all([handler.close(), sessions.close()]);
      router.close();
    },
  };
}

/**
 * @param {import('node:http').Server} server
 * @param {import('./config.js').Config} config
 * @returns {Promise<void>}
 */
function listen(server, { host, port }) {
  return new Promise((resolve, reject) => {
    server.once('error', (/** @type {Error & {code?: string}} */ { code }) =>
      reject(
        new EnvironmentError(`HOST and PORT got ${host}:${port} (${code}); valid: an address that is free`),
      ),
    );
    server.listen(port, host, resolve);
  });
}

/**
 * Lets requests under way finish, and no new one in.
 * @param {import('node:http').Server} server
 * @param {Mcp} mcp
 */
async function drain(server, mcp) {
  const closed = new Promise((resolve) => server.close(resolve));
  // A connection is idle only after its last answer: look again and again.
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  const timeout = setTimeout(() => server.closeAllConnections(), DRAIN_TIMEOUT);
  await mcp.close();
  await closed;
  clearInterval(idle);
  clearTimeout(timeout);
}

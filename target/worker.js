import cluster from 'node:cluster';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server';
import { createApp, createMcpEndpoint } from './app.js';
import { connectClusterMetrics } from './cluster-metrics.js';
import { Database } from './database.js';
import { EnvironmentError } from './environment.js';
import { takeFaults } from './faults/hand-out.js';
import { startFaults } from './faults/start.js';
import { checkHealth } from './health.js';
import { log } from './log.js';
import { mcpServerFactory } from './mcp.js';
import { Metrics } from './metrics.js';
import { Authority } from './npm/authority.js';
import { sweepOld } from './npm/sweep.js';
import { createRateLimit } from './rate-limit.js';
import { CONNECT_TIMEOUT, connectRedis, watchCommands } from './redis.js';
import { Accounts } from './rest/accounts.js';
import { createRestEndpoint } from './rest/endpoint.js';
import { ServerPool } from './server-pool.js';
import { SessionRouter, Sessions } from './sessions.js';
import { UserChanges } from './user-changes.js';
import { Users } from './users.js';
import { Weather } from './weather.js';
import { SLOT, SOCKET_FOLDER, STOP } from './worker-contract.js';
import { WriteBehind } from './write-behind.js';

/** How long active requests may take to finish after the worker is told to stop, ms. */
const DRAIN_TIMEOUT = 3000;
const POLL_INTERVAL = 20;

/** Time limit for closing the database connections, ms. */
const CLOSE_TIMEOUT = 1000;

/**
 * How long an idle connection is kept open, ms. Node's default of 5 s would close connections under light load just as
 * clients reuse them.
 */
const KEEP_ALIVE_TIMEOUT = 75_000;

/**
 * Maximum number of connections that wait to be accepted, for spikes of new connections. The kernel has its own limit.
 */
const BACKLOG = 4096;

/**
 * Serves requests until the primary sends stop.
 * @param {import('./config.js').Config} config
 */
export async function runWorker(config) {
  takeFaults();
  const metrics = new Metrics();
  const database = new Database(config, metrics);
  const redis = connectRedis(config.redisUrl);
  watchCommands(redis, metrics);
  // Waits for Redis, so that the first request already uses the cache. Without Redis the service works, but slower.
  const redisKnown = Promise.race([
    redis.connect().catch(() => {}),
    once(redis, 'error'),
    sleep(CONNECT_TIMEOUT),
  ]);
  const weather = new Weather(config, metrics);
  const users = new Users({ config, database, redis, metrics });
  const writeBehind =
    config.cacheStrategy === 'write-behind' ? new WriteBehind({ config, database, redis }) : undefined;
  const services = { users, database, weather, authority: new Authority(config, metrics) };
  sweepOld(database, config);
  startFaults(database, { slot: Number(process.env[SLOT] ?? 0), slots: config.workers });
  const changes = new UserChanges({ redis, metrics });
  const createMcpServer = mcpServerFactory(services, changes, config);
  const mcp = await createMcp({ config, metrics, changes, createServer: createMcpServer });

  const app = createApp({
    config,
    metrics,
    limit: createRateLimit(config, redis),
    endpoint: mcp.endpoint,
    restEndpoint: createRestEndpoint(new Accounts({ config, database, redis, metrics }), metrics),
    health: () =>
      checkHealth({
        database: () => database.ping(),
        cache: () => redis.ping(),
        upstream: () => weather.ping(),
      }),
    renderMetrics: connectClusterMetrics(metrics),
  });
  let underWay = 0;
  const server = createServer(async (request, response) => {
    // Event streams opened by GET do not count as active requests.
    const counts = request.method === 'GET' ? 0 : 1;
    underWay += counts;
    try {
      await app(request, response);
    } catch (error) {
      // A client that disconnects while it sends its request is not logged.
      if (!request.destroyed) log('error', 'request failed', { error: String(error) });
      if (response.headersSent) response.destroy();
      else response.writeHead(500).end();
    } finally {
      underWay -= counts;
    }
  });
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT;
  await redisKnown;
  await listen(server, config);

  let stopping = false;
  async function stop() {
    if (stopping) return;
    stopping = true;
    // Open event streams end only when the worker stops.
    await drain(server, mcp, () => underWay - changes.streams);
    await writeBehind?.stop();
    weather.close();
    // A database that has stopped answering does not close the connections either.
    await Promise.race([database.close(), sleep(CLOSE_TIMEOUT)]);
    redis.destroy();
    process.exit(0);
  }
  process.on('message', (message) => message === STOP && stop());
  // A supervisor may signal the whole process group. If the primary dies, its workers stop gracefully.
  for (const event of ['disconnect', 'SIGTERM', 'SIGINT']) process.on(event, stop);
}

/**
 * @typedef {object} Mcp
 * @property {import('./app.js').Handler} endpoint
 * @property {() => Promise<unknown>} close ends the event streams that clients keep open
 */

/**
 * Serves both eras on one endpoint: stateless, or with sessions for legacy clients.
 * @param {object} parts
 * @param {import('./config.js').Config} parts.config
 * @param {Metrics} parts.metrics
 * @param {UserChanges} parts.changes
 * @param {ReturnType<typeof mcpServerFactory>} parts.createServer
 * @returns {Promise<Mcp>}
 */
async function createMcp({ config, metrics, changes, createServer }) {
  const pool = new ServerPool((era) => createServer(era === 'modern' ? 'streams' : 'never'));
  const handler = createMcpHandler(({ era }) => pool.take(era), {
    legacy: config.sessions ? 'reject' : 'stateless',
    bus: changes,
  });
  if (!config.sessions)
    return { endpoint: createMcpEndpoint(handler.fetch, metrics, config), close: handler.close };

  const workerId = cluster.worker?.id ?? 0;
  const sessions = new Sessions({ createServer: () => createServer('session'), config, metrics, workerId });
  const endpoint = createMcpEndpoint(
    async (request, options) =>
      (await isLegacyRequest(request, options.parsedBody))
        ? sessions.serve(request, options)
        : handler.fetch(request, options),
    metrics,
    config,
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
      reject(new EnvironmentError(`HOST and PORT got ${host}:${port} (${code}); valid: a free address`)),
    );
    server.listen({ port, host, backlog: BACKLOG }, () => resolve());
  });
}

/**
 * Waits for active requests to finish, and accepts no new connections.
 * @param {import('node:http').Server} server
 * @param {Mcp} mcp
 * @param {() => number} countUnderWay
 */
async function drain(server, mcp, countUnderWay) {
  const closed = new Promise((resolve) => server.close(resolve));
  const deadline = Date.now() + DRAIN_TIMEOUT;
  while (countUnderWay() > 0 && Date.now() < deadline) await sleep(POLL_INTERVAL);
  // Closed last: it cuts off the requests that the SDK still serves.
  await mcp.close();
  const timeout = setTimeout(() => server.closeAllConnections(), DRAIN_TIMEOUT);
  // A connection becomes idle only after its last answer is sent, so idle connections are closed repeatedly.
  const idle = setInterval(() => server.closeIdleConnections(), POLL_INTERVAL);
  await closed;
  clearTimeout(timeout);
  clearInterval(idle);
}

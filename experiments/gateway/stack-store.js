import { randomBytes } from 'node:crypto';
import { createClient } from 'redis';
import { PostgresClient } from '../../target/postgres-client.js';
import { startRedisRelay } from '../redis-relay.js';

/** The target uses the first of Redis' sixteen databases. */
const REDIS_DATABASE = 15;
/** Of the hundred that PostgreSQL takes, beside the target's. */
const CONNECTIONS = 20;

/**
 * A database of the gateway's own in the stack's PostgreSQL and one in its Redis, as a gateway in production has.
 *
 * @param {object} stack
 * @param {string} stack.runDir
 * @param {number} stack.postgresPort
 * @param {Record<string, string>} stack.secrets
 * @returns {Promise<import('./contextforge.js').Store>}
 */
export async function stackStore({ runDir, postgresPort, secrets: { POSTGRES_PASSWORD, REDIS_PASSWORD } }) {
  const database = `gateway_${randomBytes(6).toString('hex')}`;
  const server = { host: '127.0.0.1', port: postgresPort, user: 'postgres', password: POSTGRES_PASSWORD };
  const relay = await startRedisRelay(runDir);
  const redisUrl = `redis://:${REDIS_PASSWORD}@127.0.0.1:${relay.port}/${REDIS_DATABASE}`;
  await asAdmin(server, `CREATE DATABASE ${database}`);
  return {
    settings: {
      DATABASE_URL: `postgresql+psycopg://postgres:${POSTGRES_PASSWORD}@127.0.0.1:${postgresPort}/${database}?require_auth=scram-sha-256`,
      DB_POOL_SIZE: String(CONNECTIONS),
      DB_MAX_OVERFLOW: '0',
      CACHE_TYPE: 'redis',
      REDIS_URL: redisUrl,
    },
    remove: async () => {
      // FORCE: a gateway that was killed has connections left.
      await asAdmin(server, `DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
      const redis = createClient({ url: redisUrl });
      await redis.connect();
      await redis.flushDb();
      redis.destroy();
      await relay.stop();
    },
  };
}

/** @param {import('pg').ClientConfig} server @param {string} statement */
async function asAdmin(server, statement) {
  const client = new PostgresClient({ ...server, database: 'postgres' });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

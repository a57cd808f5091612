import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import type { ClientConfig } from 'pg';
import { createClient } from 'redis';
import { startRedisRelay } from '../../cli/trials/redis-relay.ts';
import { PostgresClient } from '../../target/postgres-client.js';
import type { Store } from './contextforge.ts';

/** The last of Redis' sixteen databases: the target uses the first. */
const REDIS_DATABASE = 15;
/** Of PostgreSQL's limit of 100, which the target's connections share. */
const CONNECTIONS = 20;

/** A separate database for the gateway in the stack's PostgreSQL and one in its Redis, as in production. */
export async function stackStore(): Promise<Store> {
  const { RUN_DIR = '', POSTGRES_PORT: port } = process.env;
  const { POSTGRES_PASSWORD: password, REDIS_PASSWORD } = parseEnv(
    readFileSync(`${RUN_DIR}/secrets.env`, 'utf8'),
  );
  const database = `gateway_${randomBytes(6).toString('hex')}`;
  const server = { host: '127.0.0.1', port: Number(port), user: 'postgres', password };
  const relay = await startRedisRelay(RUN_DIR);
  const redisUrl = `redis://:${REDIS_PASSWORD}@127.0.0.1:${relay.port}/${REDIS_DATABASE}`;
  await asAdmin(server, `CREATE DATABASE ${database}`);
  return {
    settings: {
      DATABASE_URL: `postgresql+psycopg://postgres:${password}@127.0.0.1:${port}/${database}?require_auth=scram-sha-256`,
      DB_POOL_SIZE: String(CONNECTIONS),
      DB_MAX_OVERFLOW: '0',
      CACHE_TYPE: 'redis',
      REDIS_URL: redisUrl,
    },
    remove: async () => {
      // FORCE: a gateway that was killed leaves connections open.
      await asAdmin(server, `DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
      const redis = createClient({ url: redisUrl });
      await redis.connect();
      await redis.flushDb();
      redis.destroy();
      await relay.stop();
    },
  };
}

async function asAdmin(server: ClientConfig, statement: string): Promise<void> {
  const client = new PostgresClient({ ...server, database: 'postgres' });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

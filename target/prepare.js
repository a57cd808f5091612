import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { reasonOf } from './database.js';
import { EnvironmentError } from './environment.js';
import { log } from './log.js';
import { connectRedis, UNWRITTEN, userKey } from './redis.js';
import { seed } from './seed.js';

/** How long the target waits for the database at its start, ms. */
const DATABASE_TIMEOUT = 30_000;

/** PostgreSQL's error code cannot_connect_now. */
const STARTING_UP = '57P03';

/** How long the target waits for Redis at its start, ms. */
const REDIS_TIMEOUT = 2000;

/**
 * Waits for the database and gives it its schema and data.
 * @param {import('./config.js').Config} config
 * @returns {Promise<boolean>} whether the database was new
 * @throws {EnvironmentError} if the database grants fewer connections than the pools may open
 */
export async function prepareDatabase(config) {
  const deadline = Date.now() + DATABASE_TIMEOUT;
  for (let attempt = 1; ; attempt++) {
    try {
      const { users, seeded, maxConnections } = await seed(config.database);
      log('info', seeded ? 'database seeded' : 'database reused', { users });
      const wanted = config.workers * config.poolSize;
      if (wanted > maxConnections) {
        throw new EnvironmentError(
          `WORKERS x POOL_SIZE got ${config.workers} x ${config.poolSize} = ${wanted}; valid: at most ${maxConnections}, the database's connections`,
        );
      }
      return seeded;
    } catch (error) {
      if (error instanceof EnvironmentError) throw error;
      if (!mayRecover(error) || Date.now() > deadline) {
        throw new EnvironmentError(
          `DATABASE_URL or PG* got a failing database (${reasonOf(error)}); valid: a database that answers`,
        );
      }
      if (attempt === 1) log('warn', 'waiting for the database', { reason: reasonOf(error) });
      await sleep(1000);
    }
  }
}

/**
 * Retries if the database is starting or unreachable, but not if it refuses the connection.
 * @param {unknown} error
 */
function mayRecover(error) {
  return !(error instanceof pg.DatabaseError) || error.code === STARTING_UP;
}

/** The key that stores which strategy and which data the cache was filled for. */
const STRATEGY = 'users:strategy';

const SCAN_COUNT = 1000;

/**
 * Empties the cache if it may be inconsistent with the database: if it was filled from another database, or by a
 * strategy whose writes the current one does not handle. Otherwise the cache stays warm.
 * @param {import('./config.js').Config} config
 * @param {boolean} seeded whether the database was new
 */
export async function prepareCache({ redisUrl, cacheStrategy }, seeded) {
  const redis = connectRedis(redisUrl);
  try {
    await Promise.race([redis.connect(), sleep(REDIS_TIMEOUT, undefined, { ref: false })]);
    if (!seeded && (await redis.get(STRATEGY)) === cacheStrategy) return;
    if (seeded) await redis.del(UNWRITTEN);
    for await (const keys of redis.scanIterator({ MATCH: userKey('*'), COUNT: SCAN_COUNT })) {
      if (keys.length > 0) await redis.unlink(keys);
    }
    await redis.set(STRATEGY, cacheStrategy);
  } catch {
    log('warn', 'starting without redis');
  } finally {
    redis.destroy();
  }
}

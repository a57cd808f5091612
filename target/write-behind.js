import { setTimeout as sleep } from 'node:timers/promises';
import { log } from './log.js';
import { UNWRITTEN } from './redis.js';

/** How long a change may wait in Redis before it is written to the database, ms. */
const INTERVAL = 100;

/** Maximum number of users per transaction. */
const BATCH = 500;

/** How long a stop may take to write the pending changes, ms. */
const STOP_TIMEOUT = 4000;
const RETRY_INTERVAL = 20;

/** @type {import('./database.js').Statement} */
const TRY_LOCK = {
  name: 'write_behind_lock',
  type: 'select',
  text: "SELECT pg_try_advisory_xact_lock(hashtext('write-behind')) AS locked",
};

/** @type {import('./database.js').Statement} */
const WRITE_USERS = {
  name: 'write_users',
  type: 'update',
  text: `
    UPDATE users
       SET name = changed.name, city = changed.city, plan = changed.plan,
           version = changed.version, updated_at = changed.updated_at
      FROM jsonb_populate_recordset(NULL::users, $1::jsonb) AS changed
     WHERE users.id = changed.id AND users.version < changed.version`,
};

/**
 * Writes users that were changed in Redis to the database, in batches and with a delay. Pending changes are kept in
 * Redis, not in this process, so nothing is lost if the target crashes. The next start writes the remaining changes.
 */
export class WriteBehind {
  #database;
  #redis;
  #ttl;
  #stopped = false;
  /** @type {Promise<void>} */
  #loop;

  /**
   * @param {object} parts
   * @param {import('./config.js').Config} parts.config
   * @param {import('./database.js').Database} parts.database
   * @param {import('./redis.js').Redis} parts.redis
   */
  constructor({ config, database, redis }) {
    this.#database = database;
    this.#redis = redis;
    this.#ttl = config.cacheTtl;
    this.#loop = this.#run();
  }

  /** Writes all pending changes, unless the database or Redis are unavailable or too slow. */
  async stop() {
    this.#stopped = true;
    const written = await Promise.race([this.#writeAll(), sleep(STOP_TIMEOUT, false)]);
    if (!written) log('warn', 'changed users stay in redis until the next start');
  }

  /** @returns {Promise<boolean>} whether all pending changes are written */
  async #writeAll() {
    await this.#loop;
    for (;;) {
      const waiting = await this.#redis.hLen(UNWRITTEN).catch(() => undefined);
      if (!waiting) return waiting === 0;
      if (!(await this.#flush().catch(() => false))) await sleep(RETRY_INTERVAL);
    }
  }

  async #run() {
    let failing = false;
    while (!this.#stopped) {
      await sleep(INTERVAL);
      // The Redis client logs its outage itself.
      if (!this.#redis.isReady) continue;
      try {
        await this.#flush();
        if (failing) log('info', 'write-behind works again');
        failing = false;
      } catch (error) {
        if (!failing) log('warn', 'write-behind waits', { reason: /** @type {Error} */ (error).message });
        failing = true;
      }
    }
  }

  /**
   * Writes one batch.
   * @returns {Promise<boolean>} false if there was nothing to write or another process is writing
   */
  async #flush() {
    const entries = await this.#redis.hRandFieldCountWithValues(UNWRITTEN, BATCH);
    if (entries.length === 0) return false;
    const written = await this.#database.transaction(async (run) => {
      // One writer at a time across all processes, so that rows are always locked in the same order.
      const [{ locked }] = await run(TRY_LOCK);
      if (locked) await run(WRITE_USERS, [`[${entries.map(({ value }) => value).join()}]`]);
      return locked;
    });
    if (written) await this.#redis.markWritten(entries, this.#ttl);
    return written;
  }
}

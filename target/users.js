import { faults } from './faults/faults.js';
import { CHANGED_USERS, userKey } from './redis.js';

/**
 * @typedef {object} User
 * @property {number} id
 * @property {string} name
 * @property {string} email
 * @property {string} city
 * @property {string} region
 * @property {string} plan
 * @property {number} version incremented by every change
 * @property {string} updated_at ISO 8601
 */

/** @typedef {Partial<Pick<User, 'name' | 'city' | 'plan'>>} Changes the fields that a client may change */

const COLUMNS = 'id, name, email, city, region, plan, version, updated_at';

/** @type {import('./database.js').Statement} */
const SELECT_USER = {
  name: 'select_user',
  type: 'select',
  text: `SELECT ${COLUMNS} FROM users WHERE id = $1`,
};

/** @type {import('./database.js').Statement} */
const SEARCH_USERS = {
  name: 'search_users',
  type: 'select',
  text: `SELECT ${COLUMNS} FROM users WHERE lower(name) LIKE $1 ORDER BY lower(name), id LIMIT $2`,
};

/** @type {import('./database.js').Statement} */
const UPDATE_USER = {
  name: 'update_user',
  type: 'update',
  text: `
    UPDATE users
       SET name = coalesce($2, name), city = coalesce($3, city), plan = coalesce($4, plan),
           version = version + 1, updated_at = $5
     WHERE id = $1
    RETURNING ${COLUMNS}`,
};

/** The label for requests that do not come from a tool. */
const OTHER = 'other';

/** The users in the database and, depending on the strategy, in Redis. */
export class Users {
  #database;
  #redis;
  #metrics;
  #strategy;
  #ttl;
  #parts;
  #tool;

  /**
   * @param {object} parts
   * @param {import('./config.js').Config} parts.config
   * @param {import('./database.js').Queries} parts.database
   * @param {import('./redis.js').Redis} parts.redis
   * @param {import('./metrics.js').Metrics} parts.metrics
   * @param {string} [tool] the requesting tool, for the cache hit metrics
   */
  constructor(parts, tool = OTHER) {
    const { config, database, redis, metrics } = parts;
    this.#parts = parts;
    this.#tool = tool;
    this.#database = database;
    this.#redis = redis;
    this.#metrics = metrics;
    this.#strategy = config.cacheStrategy;
    this.#ttl = config.cacheTtl;
  }

  /**
   * @param {string} tool
   * @returns {Users} the same users; queries and cache lookups are counted for that tool
   */
  forTool(tool) {
    return new Users({ ...this.#parts, database: this.#parts.database.forTool(tool) }, tool);
  }

  /**
   * @param {number} id
   * @returns {Promise<User | undefined>}
   */
  async get(id) {
    const tool = this.#tool;
    if (this.#strategy === 'none') return this.#load(id);
    if (faults.cache_off) {
      this.#metrics.cacheMisses.inc({ tool });
      return this.#load(id);
    }
    // If Redis is unavailable, it counts as a cache miss.
    const cached = await this.#redis.get(userKey(id)).catch(() => null);
    if (cached !== null) {
      this.#metrics.cacheHits.inc({ tool });
      return JSON.parse(cached);
    }
    this.#metrics.cacheMisses.inc({ tool });
    const user = await this.#load(id);
    // The answer does not wait for the cache. NX: an entry written in the meantime is newer than the loaded user.
    if (user) {
      this.#redis
        .set(userKey(id), JSON.stringify(user), {
          expiration: { type: 'EX', value: this.#ttl },
          condition: 'NX',
        })
        .catch(() => {});
    }
    return user;
  }

  /**
   * Finds users whose name starts with a text, ignoring case. Never cached.
   * @param {string} prefix
   * @param {number} limit
   * @returns {Promise<User[]>}
   */
  async search(prefix, limit) {
    const pattern = `${prefix.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
    const rows = await this.#database.query(SEARCH_USERS, [pattern, limit]);
    return rows.map(toUser);
  }

  /**
   * @param {number} id
   * @param {Changes} changes
   * @returns {Promise<User | undefined>} the changed user
   */
  async update(id, changes) {
    if (this.#strategy === 'write-behind') return this.#changeBehind(id, changes);
    const user = await this.#store(id, changes);
    if (!user) return undefined;
    // If Redis is unavailable, the cached entry is stale until it expires.
    if (this.#strategy === 'read-through') await this.#redis.del(userKey(id)).catch(() => {});
    if (this.#strategy === 'write-through') await this.#redis.cacheNewer(user, this.#ttl).catch(() => {});
    this.#redis.publish(CHANGED_USERS, `${id} ${user.region}`).catch(() => {});
    return user;
  }

  /**
   * @param {number} id
   * @param {Changes} changes
   */
  async #changeBehind(id, changes) {
    const stamped = { ...changes, updated_at: new Date().toISOString() };
    try {
      let changed = await this.#redis.changeUnwritten(id, stamped);
      if (changed === null) {
        const base = await this.#load(id);
        if (!base) return undefined;
        changed = await this.#redis.changeUnwritten(id, stamped, base);
      }
      return /** @type {User} */ (JSON.parse(/** @type {string} */ (changed)));
    } catch (error) {
      if (this.#redis.isReady) throw error;
      return this.#store(id, changes);
    }
  }

  /**
   * @param {number} id
   * @param {Changes} changes
   * @returns {Promise<User | undefined>}
   */
  async #store(id, { name, city, plan }) {
    const rows = await this.#database.transaction((run) =>
      run(UPDATE_USER, [id, name, city, plan, new Date().toISOString()]),
    );
    return rows.map(toUser)[0];
  }

  /**
   * @param {number} id
   * @returns {Promise<User | undefined>}
   */
  async #load(id) {
    const rows = await this.#database.query(SELECT_USER, [id]);
    return rows.map(toUser)[0];
  }
}

/**
 * @param {any} row
 * @returns {User}
 */
function toUser(row) {
  return { ...row, updated_at: row.updated_at.toISOString() };
}

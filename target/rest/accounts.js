import { faults } from '../faults/faults.js';

/** How long a role is cached in Redis, seconds. Short, so that a revoked role does not stay valid for minutes. */
const TTL = 2;

/** Maximum length of an account's id; a longer id is rejected without a query. */
const LONGEST_ID = 100;

/**
 * @typedef {object} Account
 * @property {string} role
 * @property {number} clearance the highest level that the role may access, see {@link import('./tools.js').LEVELS}
 */

/** @type {import('../database.js').Statement} */
const SELECT_ACCOUNT = {
  name: 'select_account',
  type: 'select',
  text: `
    SELECT roles.name AS role, roles.clearance
      FROM accounts JOIN roles ON roles.name = accounts.role
     WHERE accounts.id = $1`,
};

/** @type {import('../database.js').Statement} */
const SELECT_ACCOUNTS = {
  name: 'select_accounts',
  type: 'select',
  text: 'SELECT id AS user_id, role FROM accounts ORDER BY id LIMIT 100',
};

const accountKey = (/** @type {string} */ id) => `account:${id}`;

/** Accounts and their roles, stored in the database and, unless caching is off, cached briefly in Redis. */
export class Accounts {
  #database;
  #redis;
  #metrics;
  #cached;

  /**
   * @param {object} parts
   * @param {import('../config.js').Config} parts.config
   * @param {import('../database.js').Database} parts.database
   * @param {import('../redis.js').Redis} parts.redis
   * @param {import('../metrics.js').Metrics} parts.metrics
   */
  constructor({ config, database, redis, metrics }) {
    this.#database = database;
    this.#redis = redis;
    this.#metrics = metrics;
    this.#cached = config.cacheStrategy !== 'none';
  }

  /**
   * @param {string} id
   * @param {string} tool the requested tool, for the cache hit metrics
   * @returns {Promise<Account | undefined>}
   * @throws {import('../database.js').DatabaseError} if the database is unavailable: access is then denied
   */
  async get(id, tool) {
    if (id === '' || id.length > LONGEST_ID) return undefined;
    if (!this.#cached) return this.#load(id);
    if (faults.cache_off) {
      this.#metrics.cacheMisses.inc({ tool });
      return this.#load(id);
    }
    // If Redis is unavailable, it counts as a cache miss.
    const cached = await this.#redis.get(accountKey(id)).catch(() => null);
    if (cached !== null) {
      this.#metrics.cacheHits.inc({ tool });
      return JSON.parse(cached);
    }
    this.#metrics.cacheMisses.inc({ tool });
    const account = await this.#load(id);
    // Only existing accounts are cached: ids made up by clients must not fill the cache. The answer does not wait for
    // Redis.
    if (account) {
      const expiration = { type: /** @type {const} */ ('EX'), value: TTL };
      this.#redis.set(accountKey(id), JSON.stringify(account), { expiration }).catch(() => {});
    }
    return account;
  }

  /** @returns {Promise<{user_id: string, role: string}[]>} */
  list() {
    return this.#database.query(SELECT_ACCOUNTS);
  }

  /**
   * @param {string} id
   * @returns {Promise<Account | undefined>}
   */
  async #load(id) {
    const [account] = await this.#database.query(SELECT_ACCOUNT, [id]);
    return account;
  }
}

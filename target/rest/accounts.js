import { faults } from '../faults/faults.js';

/** How long a role may be taken from Redis, seconds: one that was taken away must not work on for minutes. */
const TTL = 2;

/** No account has a longer name: what is longer is not worth a query. */
const LONGEST_ID = 100;

/**
 * @typedef {object} Account
 * @property {string} role
 * @property {number} clearance the highest level that the role may use, see {@link import('./tools.js').LEVELS}
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

/** Who may do what: accounts and their roles, in the database and, unless caching is off, for a moment in Redis. */
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
   * @param {string} tool that is asked for, for the hit ratio
   * @returns {Promise<Account | undefined>}
   * @throws {import('../database.js').DatabaseError} nobody is let in because the database is away
   */
  async get(id, tool) {
    if (id === '' || id.length > LONGEST_ID) return undefined;
    if (!this.#cached) return this.#load(id);
    if (faults.cache_off) {
      this.#metrics.cacheMisses.inc({ tool });
      return this.#load(id);
    }
    // Redis away is a miss, not a failure.
    const cached = await this.#redis.get(accountKey(id)).catch(() => null);
    if (cached !== null) {
      this.#metrics.cacheHits.inc({ tool });
      return JSON.parse(cached);
    }
    this.#metrics.cacheMisses.inc({ tool });
    const account = await this.#load(id);
    // Only what exists: names that clients make up must not fill the cache. The answer does not wait for it.
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

import pg from 'pg';
import { faults, onFaults } from './faults/faults.js';
import { log } from './log.js';
import { PostgresClient } from './postgres-client.js';

/** How long a request waits for a connection, new or pooled, ms. Bounds the wait if the database is down. */
const CONNECT_TIMEOUT = 2000;

/** Time limit of a statement, ms. Detects a database that accepts connections but does not answer. */
const QUERY_TIMEOUT = 4000;

/** Maximum number of requests per connection that wait for the pool. Further requests are refused immediately. */
const WAITING_PER_CONNECTION = 40;

const DEADLOCK_DETECTED = '40P01';

/**
 * A prepared statement.
 * @typedef {object} Statement
 * @property {string} name unique; each connection prepares the statement once under this name
 * @property {'select' | 'insert' | 'update' | 'upsert' | 'delete' | 'transaction'} type label of its duration metric
 * @property {string} text
 */

/** @typedef {(statement: Statement, values?: unknown[]) => Promise<any[]>} Run resolves to the rows */

/**
 * The database access of a tool.
 * @typedef {object} Queries
 * @property {Run} query see {@link Database.query}
 * @property {<T>(work: (run: Run) => Promise<T>, begin?: Statement) => Promise<T>} transaction
 *   see {@link Database.transaction}
 * @property {(tool: string) => Queries} forTool returns the same access; its queries are counted for that tool
 */

/** The database could not execute a request. The message contains no secrets and may be shown to a client. */
export class DatabaseError extends Error {}

/** A pool of PostgreSQL connections with time limits on every wait, and metrics of the waits. */
export class Database {
  #pool;
  #metrics;
  #poolSize;

  /**
   * @param {import('./config.js').Config} config
   * @param {import('./metrics.js').Metrics} metrics
   */
  constructor(config, metrics) {
    this.#metrics = metrics;
    this.#poolSize = config.poolSize;
    this.#pool = new pg.Pool({
      Client: PostgresClient,
      ...config.database,
      application_name: 'mcp-load-lab-target',
      max: config.poolSize,
      connectionTimeoutMillis: CONNECT_TIMEOUT,
      query_timeout: QUERY_TIMEOUT,
      statement_timeout: QUERY_TIMEOUT,
      // Connections opened in a spike are kept, because opening a connection is expensive. Other stacks' pools do the
      // same.
      idleTimeoutMillis: 0,
      keepAlive: true,
    });
    // Without this listener, the error of an idle connection would end the process. The pool replaces the connection.
    this.#pool.on('error', (error) => log('warn', 'database connection lost', { reason: reasonOf(error) }));
    // A connection in use may also fail between two statements. The next statement then reports the error.
    this.#pool.on('connect', (client) => client.on('error', () => {}));
    metrics.watchPool(() => this.#connections());
    onFaults(({ values }) => this.#resize(values.pool_size || config.poolSize));
  }

  /** @returns {import('./metrics.js').PoolState} */
  #connections() {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { used: totalCount - idleCount, idle: idleCount, waiting: waitingCount, size: this.#poolSize };
  }

  /**
   * Runs one statement on a connection of the pool.
   * @param {Statement} statement
   * @param {unknown[]} [values]
   * @returns {Promise<any[]>} the rows
   * @throws {DatabaseError}
   */
  query(statement, values) {
    return this.#withConnection((run) => run(statement, values));
  }

  /**
   * Runs statements in one transaction, and rolls it back if `work` throws.
   * @template T
   * @param {(run: Run) => Promise<T>} work
   * @param {Statement} [begin]
   * @returns {Promise<T>}
   * @throws {DatabaseError | Error} DatabaseError, or what `work` threw
   */
  transaction(work, begin = BEGIN) {
    return this.#withConnection(async (run) => {
      await run(begin);
      try {
        const result = await work(run);
        await run(COMMIT);
        return result;
      } catch (error) {
        // If the rollback fails too, the first error is the informative one.
        await run(ROLLBACK).catch(() => {});
        throw error;
      }
    });
  }

  /**
   * @param {string} tool
   * @returns {Queries} access whose queries are counted for that tool; BEGIN, COMMIT and ROLLBACK are not counted
   */
  forTool(tool) {
    const queries = this.#metrics.databaseQueries.labels({ tool });
    /** @param {Run} run @returns {Run} */
    const counting = (run) => (statement, values) => {
      queries.inc();
      return run(statement, values);
    };
    return {
      query: counting((statement, values) => this.query(statement, values)),
      transaction: (work, begin) => this.transaction((run) => work(counting(run)), begin),
      forTool: (other) => this.forTool(other),
    };
  }

  /** Resolves when the database answers. */
  async ping() {
    await this.query(PING);
  }

  /**
   * Takes a connection out of the pool.
   * @returns {Promise<() => void>} returns the connection to the pool
   */
  async take() {
    const client = await this.#pool.connect();
    return () => client.release(this.#hasSurplus());
  }

  /** @param {number} size new limit of the pool's connections */
  #resize(size) {
    this.#poolSize = size;
    this.#pool.options.max = size;
    // Connections in use are closed when they are returned.
    const surplus = Math.min(this.#pool.idleCount, this.#pool.totalCount - size);
    for (let n = 0; n < surplus; n++)
      this.take().then(
        (giveBack) => giveBack(),
        () => {},
      );
  }

  #hasSurplus() {
    return this.#pool.totalCount > this.#poolSize;
  }

  /** Closes the pool once all connections are returned. */
  close() {
    return this.#pool.end();
  }

  /**
   * @template T
   * @param {(run: Run) => Promise<T>} work
   * @returns {Promise<T>}
   */
  async #withConnection(work) {
    const client = await this.#acquire();
    /** @type {Error | undefined} */
    let broken;
    /** @type {Run} */
    const run = async ({ name, type, text }, values) => {
      const end = this.#metrics.databaseQueryDuration.startTimer({ query_type: type });
      try {
        // The sleep runs in the same transaction, so that it counts as part of the statement.
        if (faults.slow_statement_ms > 0 && type !== 'transaction')
          await client.query({ ...SLEEP, values: [faults.slow_statement_ms / 1000] });
        const { rows } = await client.query({ name, text, values });
        return rows;
      } catch (error) {
        if (codeOf(error) === DEADLOCK_DETECTED) this.#metrics.databaseDeadlocks.inc();
        // After an error reported by PostgreSQL the connection remains usable. After any other error (time-out, reset)
        // it does not.
        if (!(error instanceof pg.DatabaseError) || error.severity === 'FATAL')
          broken = /** @type {Error} */ (error);
        throw new DatabaseError(`database error: ${reasonOf(error)}`, { cause: error });
      } finally {
        end();
      }
    };
    try {
      return await work(run);
    } finally {
      client.release(broken ?? this.#hasSurplus());
    }
  }

  async #acquire() {
    if (this.#pool.waitingCount >= this.#poolSize * WAITING_PER_CONNECTION) {
      throw new DatabaseError('database busy: too many requests are already waiting for a connection');
    }
    const end = this.#metrics.poolAcquireDuration.startTimer();
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw new DatabaseError(`database unavailable: ${reasonOf(error)}`, { cause: error });
    } finally {
      end();
    }
  }
}

/** Opens a transaction whose statements all see the same snapshot. */
export const BEGIN_SNAPSHOT = transactionStatement('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');

const BEGIN = transactionStatement('BEGIN');
const COMMIT = transactionStatement('COMMIT');
const ROLLBACK = transactionStatement('ROLLBACK');

/** The statement that slow_statement_ms adds before each statement. */
const SLEEP = { name: 'fault_sleep', text: 'SELECT pg_sleep($1)' };

/** @type {Statement} */
const PING = { name: 'ping', type: 'select', text: 'SELECT 1' };

/**
 * @param {string} text
 * @returns {Statement}
 */
function transactionStatement(text) {
  return { name: text.toLowerCase().replaceAll(' ', '_'), type: 'transaction', text };
}

/** @param {unknown} error */
function codeOf(error) {
  return /** @type {{code?: string}} */ (error).code;
}

/**
 * Describes a database failure without statements, values or passwords.
 * @param {unknown} error
 * @returns {string}
 */
export function reasonOf(error) {
  const { code, message } = /** @type {{code?: string, message: string}} */ (error);
  if (code) return code;
  return /timeout/i.test(message) ? 'timed out' : 'connection lost';
}

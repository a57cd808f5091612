import pg from 'pg';
import { faults, onFaults } from './faults/faults.js';
import { log } from './log.js';
import { PostgresClient } from './postgres-client.js';

/** How long a request waits for a connection, new or pooled, ms. With a dead database this bounds the wait. */
const CONNECT_TIMEOUT = 2000;

/** How long one statement may take, ms. Catches a database that accepts and then says nothing. */
const QUERY_TIMEOUT = 4000;

/** Requests that may wait for one connection of the pool; more are refused at once. */
const WAITING_PER_CONNECTION = 40;

const DEADLOCK_DETECTED = '40P01';

/**
 * A prepared statement.
 * @typedef {object} Statement
 * @property {string} name unique; each connection prepares it once
 * @property {'select' | 'insert' | 'update' | 'upsert' | 'delete' | 'transaction'} type label of its duration
 * @property {string} text
 */

/** @typedef {(statement: Statement, values?: unknown[]) => Promise<any[]>} Run resolves to the rows */

/**
 * What a tool may ask of the database.
 * @typedef {object} Queries
 * @property {Run} query see {@link Database.query}
 * @property {<T>(work: (run: Run) => Promise<T>, begin?: Statement) => Promise<T>} transaction see {@link Database.transaction}
 * @property {(tool: string) => Queries} forTool the same, with the queries counted as that tool's
 */

/** The database could not do what was asked; the message is safe to show to a client. */
export class DatabaseError extends Error {}

/** A pool of connections to PostgreSQL that never waits forever, and measures how long it waits. */
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
      // A connection is expensive to make: keep what a spike opened, like the pools of other stacks do.
      idleTimeoutMillis: 0,
      keepAlive: true,
    });
    // An idle connection that breaks would end the process if nobody listened. The pool replaces it.
    this.#pool.on('error', (error) => log('warn', 'database connection lost', { reason: reasonOf(error) }));
    // So would one that is in use, but not at this moment: whoever has it finds out at the next statement.
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
   * Runs statements in one transaction; an error in `work` rolls it back.
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
        // A connection that can't even roll back is broken; its own error says less than the first one.
        await run(ROLLBACK).catch(() => {});
        throw error;
      }
    });
  }

  /**
   * @param {string} tool
   * @returns {Queries} the queries counted as that tool's; what begins and ends a transaction is none
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
   * Takes a connection out of use.
   * @returns {Promise<() => void>} gives it back
   */
  async take() {
    const client = await this.#pool.connect();
    return () => client.release(this.#hasSurplus());
  }

  /** @param {number} size connections that the pool may have from now on */
  #resize(size) {
    this.#poolSize = size;
    this.#pool.options.max = size;
    // Those in use end when they come back.
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

  /** Closes the pool once its connections are back. */
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
        // The statement's own time: the database sleeps first, in the same transaction.
        if (faults.slow_statement_ms > 0 && type !== 'transaction')
          await client.query({ ...SLEEP, values: [faults.slow_statement_ms / 1000] });
        const { rows } = await client.query({ name, text, values });
        return rows;
      } catch (error) {
        if (codeOf(error) === DEADLOCK_DETECTED) this.#metrics.databaseDeadlocks.inc();
        // An error that PostgreSQL itself reports leaves the connection usable; any other one (time-out, reset) does not.
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
      throw new DatabaseError('database busy: too many requests already wait for a connection');
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

/** Opens a transaction in which every statement sees the same moment. */
export const BEGIN_SNAPSHOT = transactionStatement('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');

const BEGIN = transactionStatement('BEGIN');
const COMMIT = transactionStatement('COMMIT');
const ROLLBACK = transactionStatement('ROLLBACK');

/** What slow_statement_ms adds to a statement. */
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
 * Why the database failed, in words without a statement, a value or a password in them.
 * @param {unknown} error
 * @returns {string}
 */
export function reasonOf(error) {
  const { code, message } = /** @type {{code?: string, message: string}} */ (error);
  if (code) return code;
  return /timeout/i.test(message) ? 'timed out' : 'connection lost';
}

/** Distributes faults: the primary receives them over HTTP, and the workers apply them. */
import cluster from 'node:cluster';
import { log } from '../log.js';
import { setFaults } from './faults.js';
import { createHotRow } from './hot-row.js';
import { activeFaults, NO_FAULTS } from './table.js';

const SET = 'faults:set';
const IS_SET = 'faults:is-set';

/** The environment variable that passes the current faults to a new worker. */
const STATE = 'TARGET_FAULT_STATE';

/** How long to wait for a busy worker, ms. A worker that takes longer still gets the faults, but later. */
const TIMEOUT = 5000;

/** @typedef {import('./table.js').FaultValues} FaultValues */
/** @typedef {{type: string, id: number, state?: import('./faults.js').FaultState}} Message */

/** Runs in the primary. */
export class FaultControl {
  #database;
  #workers;
  #lastId = 0;
  /** @type {import('./faults.js').FaultState} */
  #state = { values: { ...NO_FAULTS }, since: { ...NO_FAULTS } };
  /** @type {Map<number, (worker: number) => void>} */
  #pending = new Map();

  /**
   * @param {object} parts
   * @param {import('pg').ClientConfig} parts.database
   * @param {() => import('node:cluster').Worker[]} parts.workers
   */
  constructor({ database, workers }) {
    this.#database = database;
    this.#workers = workers;
    cluster.on('message', (worker, /** @type {Message} */ { type, id }) => {
      if (type === IS_SET) this.#pending.get(id)?.(worker.id);
    });
  }

  /** @returns {FaultValues} */
  get values() {
    return this.#state.values;
  }

  /** The environment of a new worker. */
  get environment() {
    return { [STATE]: JSON.stringify(this.#state) };
  }

  /**
   * Sets the faults of all workers. Resolves when every worker has them, or after the time limit.
   * @param {FaultValues} values
   * @throws {Error} if the database rejects the row that lock_hold_ms locks
   */
  async set(values) {
    if (values.lock_hold_ms > 0) await createHotRow(this.#database);
    const was = this.#state;
    const now = Date.now();
    // A fault whose value does not change keeps its start time, so that a leak continues at its pace.
    const since = Object.fromEntries(
      Object.entries(values).map(([key, value]) => {
        const name = /** @type {import('./table.js').FaultName} */ (key);
        return [name, value === was.values[name] ? was.since[name] : now];
      }),
    );
    this.#state = { values, since: /** @type {FaultValues} */ (since) };
    const active = activeFaults(values);
    if (Object.keys(active).length > 0)
      log('warn', 'faults are active: this target is degraded on purpose', { faults: active });
    else if (Object.keys(activeFaults(was.values)).length > 0) log('info', 'no faults are active');
    await this.#handOut();
  }

  async #handOut() {
    const id = ++this.#lastId;
    const waiting = new Set(this.#workers().map((worker) => worker.id));
    await /** @type {Promise<void>} */ (
      new Promise((resolve) => {
        const timer = setTimeout(resolve, TIMEOUT);
        const told = (/** @type {number} */ worker) => {
          waiting.delete(worker);
          if (waiting.size > 0) return;
          clearTimeout(timer);
          resolve();
        };
        this.#pending.set(id, told);
        for (const worker of this.#workers())
          worker.send({ type: SET, id, state: this.#state }, (error) => error && told(worker.id));
        if (waiting.size === 0) told(0);
      })
    );
    this.#pending.delete(id);
  }
}

/** Runs in a worker: applies the faults that are active at its start, and every change. */
export function takeFaults() {
  const given = process.env[STATE];
  if (given) setFaults(JSON.parse(given));
  process.on('message', (/** @type {Message} */ { type, id, state }) => {
    if (type !== SET || !state) return;
    setFaults(state);
    process.send?.({ type: IS_SET, id });
  });
}

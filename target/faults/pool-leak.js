/** pool_leak_per_minute: connections that are taken from the pool and never returned. */
import { onFaults } from './faults.js';

const MINUTE = 60_000;

/**
 * Takes this worker's share of the connections. Leak n of all workers is due n minutes / rate after the fault began;
 * the workers take turns. If all connections are in use, the worker retries until it gets one.
 * @param {import('../database.js').Database} database
 * @param {{slot: number, slots: number}} place this worker's number, from 0, and the number of workers
 */
export function leakConnections(database, { slot, slots }) {
  /** @type {(() => void)[]} */
  const taken = [];
  let rate = 0;
  let start = 0;
  /** Incremented when the fault is removed. */
  let era = 0;
  /** @type {NodeJS.Timeout | undefined} */
  let timer;

  async function take() {
    const mine = era;
    while (mine === era) {
      const giveBack = await database.take().catch(() => undefined);
      if (!giveBack) continue;
      if (mine === era) taken.push(giveBack);
      else giveBack();
      return;
    }
  }

  /** @param {number} passed number of leaks of all workers that were already due */
  function schedule(passed) {
    // The next leak of this worker: the first worker has leak 1, the second leak 2, and so on.
    const number = passed + 1 + ((((slot - passed) % slots) + slots) % slots);
    const due = start + (number * MINUTE) / rate;
    timer = setTimeout(() => {
      take();
      schedule(number);
    }, due - Date.now()).unref();
  }

  onFaults(({ values, since }) => {
    if (values.pool_leak_per_minute === rate && since.pool_leak_per_minute === start) return;
    rate = values.pool_leak_per_minute;
    start = since.pool_leak_per_minute;
    clearTimeout(timer);
    if (rate > 0) return schedule(Math.max(0, Math.floor(((Date.now() - start) * rate) / MINUTE)));
    era++;
    for (const giveBack of taken.splice(0)) giveBack();
  });
}

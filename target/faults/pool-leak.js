/** pool_leak_per_minute: connections that are taken from the pool and never given back. */
import { onFaults } from './faults.js';

const MINUTE = 60_000;

/**
 * Takes this worker's part of the connections, each at its time: of all of them the first comes one minute / rate after the
 * fault began, and so on, worker by worker. One that is not to be had because all are in use is tried for until it is.
 * @param {import('../database.js').Database} database
 * @param {{slot: number, slots: number}} place this worker's number, from 0, and how many there are
 */
export function leakConnections(database, { slot, slots }) {
  /** @type {(() => void)[]} */
  const taken = [];
  let rate = 0;
  let start = 0;
  /** Changes when the fault is removed. */
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

  /** @param {number} passed leaks of all workers that are past */
  function schedule(passed) {
    // The next that is this worker's: 1 is the first worker's, 2 the second's.
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

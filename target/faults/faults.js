import { NO_FAULTS } from './table.js';

/**
 * The faults as the primary sends them to a process.
 * @typedef {object} FaultState
 * @property {import('./table.js').FaultValues} values
 * @property {import('./table.js').FaultValues} since when each fault got its value, Unix time in ms
 */

/**
 * The current faults of this process. The code of a fault reads its value each time.
 * @type {import('./table.js').FaultValues}
 */
export const faults = { ...NO_FAULTS };

/** @type {((state: FaultState) => void)[]} */
const listeners = [];

/** @type {FaultState} */
let current = { values: { ...NO_FAULTS }, since: { ...NO_FAULTS } };

/**
 * Replaces all faults.
 * @param {FaultState} state
 */
export function setFaults(state) {
  current = state;
  Object.assign(faults, state.values);
  for (const listener of listeners) listener(state);
}

/**
 * Registers a listener for faults that do not depend on requests. The listener is called now and at every change.
 * @param {(state: FaultState) => void} listener
 */
export function onFaults(listener) {
  listeners.push(listener);
  listener(current);
}

import { NO_FAULTS } from './table.js';

/**
 * What a process is told of the faults.
 * @typedef {object} FaultState
 * @property {import('./table.js').FaultValues} values
 * @property {import('./table.js').FaultValues} since when each got its value, Unix time in ms
 */

/**
 * The faults of this process as they are now. Read by whoever makes one, at the moment that it would.
 * @type {import('./table.js').FaultValues}
 */
export const faults = { ...NO_FAULTS };

/** @type {((state: FaultState) => void)[]} */
const listeners = [];

/** @type {FaultState} */
let current = { values: { ...NO_FAULTS }, since: { ...NO_FAULTS } };

/**
 * Puts these in the place of those before.
 * @param {FaultState} state
 */
export function setFaults(state) {
  current = state;
  Object.assign(faults, state.values);
  for (const listener of listeners) listener(state);
}

/**
 * For faults that do something of their own accord: told now and at every change.
 * @param {(state: FaultState) => void} listener
 */
export function onFaults(listener) {
  listeners.push(listener);
  listener(current);
}

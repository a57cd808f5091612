/** Starts the faults that do not depend on requests. */
import { onFaults } from './faults.js';
import { dropGarbage } from './garbage.js';
import { leakMemory } from './memory-leak.js';
import { leakConnections } from './pool-leak.js';

/**
 * @param {import('../database.js').Database} database
 * @param {{slot: number, slots: number}} place this worker's number, from 0, and the number of workers
 */
export function startFaults(database, place) {
  leakMemory(place);
  leakConnections(database, place);
  onFaults(({ values }) => values.gc_pressure_mb === 0 && dropGarbage());
}

/** The faults of a tool call. */
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { burnCpu } from './cpu-burn.js';
import { faults } from './faults.js';
import { makeGarbage } from './garbage.js';
import { holdHotRow } from './hot-row.js';

/** The tools that read or write users. */
const USER_TOOLS = new Set(['get_user', 'search_users', 'update_user']);

/**
 * Runs before the tool's own work.
 * @param {string} tool
 * @param {import('../database.js').Queries} [database] without it, no row is locked
 */
export async function beforeToolCall(tool, database) {
  if (faults.cpu_burn_ms > 0) burnCpu(faults.cpu_burn_ms);
  if (faults.gc_pressure_mb > 0) makeGarbage(faults.gc_pressure_mb);
  if (database && faults.lock_hold_ms > 0 && USER_TOOLS.has(tool)) await holdHotRow(database);
}

/**
 * stretch_percent: runs before the answer is sent. Timers have a resolution of a millisecond, which is too coarse for
 * short calls, so the last millisecond is spent in turns of the event loop.
 * @param {number} start when the request arrived, by performance.now()
 */
export async function stretch(start) {
  if (faults.stretch_percent === 0) return;
  const now = performance.now();
  const until = now + ((now - start) * faults.stretch_percent) / 100;
  const whole = Math.floor(until - now) - 1;
  if (whole > 0) await sleep(whole);
  while (performance.now() < until) await turn();
}

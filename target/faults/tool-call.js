/** What faults add to a tool call. */
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { burnCpu } from './cpu-burn.js';
import { faults } from './faults.js';
import { makeGarbage } from './garbage.js';
import { holdHotRow } from './hot-row.js';

/** Those that read or write users. */
const USER_TOOLS = new Set(['get_user', 'search_users', 'update_user']);

/**
 * Before the tool's own work.
 * @param {string} tool
 * @param {import('../database.js').Queries} [database] where there is none there is nothing to lock
 */
export async function beforeToolCall(tool, database) {
  if (faults.cpu_burn_ms > 0) burnCpu(faults.cpu_burn_ms);
  if (faults.gc_pressure_mb > 0) makeGarbage(faults.gc_pressure_mb);
  if (database && faults.lock_hold_ms > 0 && USER_TOOLS.has(tool)) await holdHotRow(database);
}

/**
 * Before its answer is sent: stretch_percent. Timers are a millisecond coarse, which a short call would feel, so the last
 * one is waited for turn by turn of the event loop.
 * @param {number} start when the request came, by performance.now()
 */
export async function stretch(start) {
  if (faults.stretch_percent === 0) return;
  const now = performance.now();
  const until = now + ((now - start) * faults.stretch_percent) / 100;
  const whole = Math.floor(until - now) - 1;
  if (whole > 0) await sleep(whole);
  while (performance.now() < until) await turn();
}

/** Prepares the operations that set-up planned for the VUs. */
import { shareArguments } from './shared-arguments.js';

/** @typedef {import('./workload.js').Operation} Operation */

/**
 * Runs in k6's init context, because arguments can be shared only there.
 *
 * @param {Operation[]} operations
 * @param {boolean} shared
 * @returns {import('./test.js').UserOperation[]}
 */
export function handOverOperations(operations, shared) {
  /** @type {string[]} */
  const all = [];
  /** @param {Operation} planned @returns {import('./test.js').UserOperation} */
  const handOver = ({ variants, params, args, expect, received, items, calls, ...rest }) => {
    const scripted = (args || expect || received || items) && { scripted: /** @type {const} */ (true) };
    const parts = calls && { calls: calls.map(handOver) };
    const operation = { ...rest, params: JSON.stringify(params), ...scripted, ...parts };
    if (!variants) return operation;
    const texts = variants.map((variant) => JSON.stringify(variant));
    const range = { first: all.length, length: texts.length };
    all.push(...texts);
    return { ...operation, arguments: shared ? range : texts };
  };
  const forUsers = operations.map(handOver);
  if (shared) shareArguments(all);
  return forUsers;
}

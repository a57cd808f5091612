/** cpu_burn_ms: keeps the worker's thread busy. */

/** Steps between two checks of the CPU time: at most 0.1 ms. */
const STEPS = 20_000;

/**
 * Burns CPU time, like real work: with half a core, it takes twice as long.
 * @param {number} ms
 */
export function burnCpu(ms) {
  const { user, system } = process.cpuUsage();
  const until = user + system + ms * 1000;
  let state = 1;
  for (;;) {
    for (let n = 0; n < STEPS; n++) state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const used = process.cpuUsage();
    if (used.user + used.system >= until) return state;
  }
}

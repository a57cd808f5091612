/** cpu_burn_ms: work that keeps the worker's thread busy. */

/** So much between two looks at the clock: a tenth of a millisecond at most. */
const STEPS = 20_000;

/**
 * Counted in processor time, as real work is: a process that gets half a core takes twice as long.
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

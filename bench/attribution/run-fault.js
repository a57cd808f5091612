/** The phases last 35, 14, 17 and 18 s: the signals at the end of the spike then cover only the spike. */
export const DURATION_S = 84;

/**
 * Runs the spike test with a fault that begins with the spike.
 *
 * @param {import('../lab-stack.js').LabStack} lab
 * @param {import('../attribution.js').Table['start']} start
 * @param {import('../attribution.js').Truth} made
 * @param {string} folder folder for files of the fault
 * @param {{variables?: Record<string, string>, untilTheEnd?: boolean}} [options] untilTheEnd: ignores the fault's
 * `untilS`
 * @returns {Promise<import('../lab-stack.js').LabRun>}
 */
export async function runFault(lab, start, made, folder, { variables = {}, untilTheEnd = false } = {}) {
  /** @type {(() => unknown)[]} */
  const undo = [];
  try {
    const started = await start(lab, made, folder, undo);
    const { begin, untilS } = started;
    /** @type {unknown[]} */
    const failures = [];
    let begun = false;
    const load = {
      RATE_SCALE: String(made.scale),
      DURATION: `${DURATION_S}s`,
      PROFILE: 'quick',
      ...variables,
      ...started.variables,
    };
    const ran = await lab.run('spike', load, {
      during: async ({ phase, generatorPid, after }) => {
        // A run without its fault does not count, but it is completed.
        if (phase.name === 'spike') {
          begun = true;
          await begin(generatorPid).catch((/** @type {unknown} */ error) => failures.push(error));
        }
        if (phase.name !== 'recovery' || untilS === undefined || untilTheEnd) return;
        await after(untilS);
        process.kill(generatorPid(), 'SIGINT');
      },
    });
    if (failures.length > 0) throw failures[0];
    if (!ran.run?.started) throw new Error(`exit code ${ran.code}: ${ran.output.slice(-2000)}`);
    if (!begun) throw new Error('the run ended before its fault began');
    return ran;
  } finally {
    for (const each of undo.reverse()) await each();
  }
}

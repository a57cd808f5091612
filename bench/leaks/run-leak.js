/**
 * Runs the soak test on a target that has just started, which leaks from the warm-up on.
 *
 * @param {import('../lab-stack.js').LabStack} lab
 * @param {Record<string, number>} faults of the target
 * @param {Record<string, string>} variables
 * @returns {Promise<import('../lab-stack.js').LabRun>}
 */
export async function runLeak(lab, faults, variables) {
  // Nothing of the last leak is to be in the next one's memory.
  await lab.sh(['scripts/fresh-target']);
  const ran = await lab.run(
    'soak',
    { PROFILE: 'quick', ...variables },
    { during: ({ phase }) => (phase.measured ? undefined : lab.faults(faults)) },
  );
  await lab.faults({});
  return ran;
}

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
  let begun = false;
  const ran = await lab.run(
    'soak',
    { PROFILE: 'quick', ...variables },
    {
      during: async ({ phase }) => {
        if (phase.measured) return;
        await lab.faults(faults);
        begun = true;
      },
    },
  );
  await lab.faults({});
  if (!begun) throw new Error('the run was over before its leak began');
  return ran;
}

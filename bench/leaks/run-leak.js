/**
 * Runs the soak test on a freshly started target that leaks from the warm-up on.
 *
 * @param {import('../lab-stack.js').LabStack} lab
 * @param {Record<string, number>} faults faults of the target
 * @param {Record<string, string>} variables
 * @returns {Promise<import('../lab-stack.js').LabRun>}
 */
export async function runLeak(lab, faults, variables) {
  // A fresh process: memory of the previous leak must not affect this run.
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
  if (!begun) throw new Error('the run ended before its leak began');
  return ran;
}

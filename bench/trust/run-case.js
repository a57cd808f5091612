/**
 * Runs a case.
 *
 * @param {import('../lab-stack.js').LabStack} lab
 * @param {import('./cases.js').Case} one
 * @param {Record<string, string>} [common] variables; those of the case take precedence
 * @returns {Promise<import('../lab-stack.js').LabRun>} a run with a verdict
 */
export async function runCase(lab, { test, variables, prepare, disturb, early = false }, common) {
  const prepared = await prepare?.(lab);
  /** @type {(() => unknown)[]} */
  const undo = prepared ? [prepared.undo] : [];
  let begun = false;
  try {
    const ran = await lab.run(
      test,
      { ...common, ...variables, ...prepared?.variables },
      {
        during: async ({ phase, after, generatorPid }) => {
          if (!disturb || begun || !(phase.measured || early)) return;
          begun = true;
          undo.push(await disturb({ pid: generatorPid(), lab, seconds: after }));
        },
      },
    );
    const { code, output, run } = ran;
    if (!run) throw new Error(`the run left no document: exit code ${code}\n${output.slice(-2000)}`);
    if (disturb && !begun) throw new Error('the run ended before the fault was injected');
    const { outcome, reasons } = run.verdict;
    if (outcome === 'error') throw new Error(`the run ended with an error: ${reasons.join('; ')}`);
    return ran;
  } finally {
    for (const each of undo.reverse()) await each();
  }
}

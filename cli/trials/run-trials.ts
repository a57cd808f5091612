/** Runs a test with several k6 runs. Requires a running stack with its addresses in the environment. */

import { cleanText, secretsOf } from '../../analysis/clean-text.ts';
import { INTERRUPTED } from '../../analysis/judge/verdict.ts';
import { whileTaking } from '../child.ts';
import { codeOf } from '../ending.ts';
import { logProgress } from '../log-progress.ts';
import { readConfig } from './config.ts';
import { Interrupted, Lab, type LabOptions, TrialFailed } from './lab.ts';
import type { TrialsModule } from './trials.ts';

/**
 * @returns k6's exit code: 0; 99 if a judged trial missed an objective; the code of a trial that ended the
 *   test; 1 if the test itself could not continue
 */
export async function runTrials(
  { default: trials }: TrialsModule,
  how: Omit<LabOptions<unknown>, 'config'>,
): Promise<number> {
  const lab = new Lab({ ...how, config: readConfig(process.env) });
  // A signal ends the current k6 run; then the lab notices it. A second signal must not interrupt the
  // clean-up.
  return await whileTaking(
    () => {},
    async () => {
      try {
        await trials(lab);
      } catch (error) {
        lab.code = codeAfter(lab, error);
      }
      await lab.end();
      return lab.code;
    },
  );
}

function codeAfter(lab: Lab, error: unknown): number {
  if (error instanceof Interrupted) return INTERRUPTED;
  if (error instanceof TrialFailed) return error.code;
  const message = error instanceof Error ? error.message : String(error);
  lab.error = message;
  logProgress(`error: ${cleanText(message, secretsOf(process.env), 4000)}`);
  return codeOf(error);
}

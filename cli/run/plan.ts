/** Shows the plan of a run. */
import { readMeasured, withServer } from '../../analysis/collect/measured.ts';
import { wantsColours } from '../../analysis/render/colours.ts';
import { renderPlan } from '../../analysis/render/plan.ts';
import { leaveWhereInterrupted } from '../child.ts';
import { Ending } from '../ending.ts';
import { labOutput, runK6 } from '../k6.ts';
import { logProgress } from '../log-progress.ts';
import { abortFrom } from './abort.ts';
import { type Plan, scriptPath } from './inspect.ts';

/**
 * Shows what a test would do, with the server's own information if it answers.
 *
 * @param how.scratch a temporary folder; trials: the plan is of one of several k6 runs
 * @returns the exit code
 * @throws {Ending}
 */
export async function showPlan(
  test: string,
  known: Plan,
  { scratch, trials }: { scratch: string; trials: boolean },
): Promise<number> {
  let plan = known;
  if (process.env.TARGET_URL) {
    const quiet = ['--quiet', '--address', '', '--log-format', 'raw'];
    const args = ['run', ...quiet, ...labOutput(scratch), scriptPath(test)];
    const { code, stderr } = await runK6(args, { stdout: 'ignore' });
    leaveWhereInterrupted();
    const measured = readMeasured(scratch);
    if (code !== 0 || !measured) {
      const { code: ending, reason } = abortFrom(scratch, stderr);
      throw new Ending(reason, ending);
    }
    plan = withServer(known, measured);
  } else logProgress('The reference target is not running; the plan shows how it would be loaded.');
  printPlan(plan, { brief: false, trials });
  return 0;
}

export function printPlan(plan: Plan, options: { brief: boolean; trials: boolean }) {
  process.stdout.write(renderPlan(plan, { colours: wantsColours(), ...options }));
}

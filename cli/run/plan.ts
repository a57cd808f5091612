/** The plan of a run, for people. */
import { readFileSync } from 'node:fs';
import { planOf } from '../../analysis/read-plan.js';
import { wantsColours } from '../../analysis/render/colours.js';
import { renderPlan } from '../../analysis/render/plan.js';
import { leaveWhereInterrupted } from '../child.ts';
import { Ending } from '../ending.ts';
import { runK6 } from '../k6.ts';
import { say } from '../say.ts';
import { abortIn } from './abort.ts';
import { type Plan, scenarioOf } from './inspect.ts';

/**
 * Shows what a test would do: of a target that answers with what it said of itself.
 *
 * @param how.file to write it to; legs: it is of one k6 run of several
 * @returns the exit code
 * @throws {Ending}
 */
export async function showPlan(
  test: string,
  known: Plan,
  { file, legs }: { file: string; legs: boolean },
): Promise<number> {
  let plan = known;
  if (process.env.TARGET_URL) {
    const args = ['run', '--quiet', '--address', '', '--log-format', 'raw', scenarioOf(test)];
    const { code, stderr } = await runK6(args, { stdout: 'ignore', env: { PLAN_FILE: file } });
    leaveWhereInterrupted();
    if (code !== 0) {
      const { code: ending, reason } = abortIn(stderr);
      throw new Ending(reason, ending);
    }
    plan = planOf(JSON.parse(readFileSync(file, 'utf8')));
  } else say('The reference target is not up: this is how it would be loaded.');
  printPlan(plan, { brief: false, legs });
  return 0;
}

export function printPlan(plan: Plan, options: { brief: boolean; legs: boolean }) {
  process.stdout.write(renderPlan(plan, { colours: wantsColours(), ...options }));
}

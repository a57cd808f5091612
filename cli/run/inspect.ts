/** Reads a test's plan with `k6 inspect`. Invalid values are reported here, before anything is started. */
import { join } from 'node:path';
import { planOf } from '../../analysis/collect/plan.ts';
import { scriptOf } from '../../contract/tests.js';
import { leaveWhereInterrupted } from '../child.ts';
import { usage } from '../ending.ts';
import { runK6 } from '../k6.ts';
import { ROOT } from '../stack.ts';
import { abortIn } from './abort.ts';

/** Default URL of the reference target, for a stack that is not up yet. */
const USUAL_TARGET = 'http://127.0.0.1:8000/mcp';

export type Plan = import('../../analysis/collect/plan.ts').Plan;

export interface Inspected {
  plan: Plan;
  /** Maximum concurrent VUs: those of adjacent phases overlap. */
  vus: number;
}

export const scriptPath = (test: string) => join(ROOT, scriptOf(test));

/** @param env added to this program's environment @throws {Ending} with k6's reason */
export async function inspect(test: string, env: Record<string, string> = {}): Promise<Inspected> {
  const { code, stdout, stderr } = await runK6(
    [
      'inspect',
      '--log-format',
      'raw',
      '--include-system-env-vars',
      '--execution-requirements',
      scriptPath(test),
    ],
    { env: { TARGET_URL: process.env.TARGET_URL || USUAL_TARGET, ...env } },
  );
  leaveWhereInterrupted();
  if (code !== 0) throw usage(abortIn(stderr).reason);
  // Keep only the plan: the output of k6 also contains, for example, a client's private key.
  const document = JSON.parse(stdout);
  return { plan: planOf(document), vus: document.maxVUs ?? 0 };
}

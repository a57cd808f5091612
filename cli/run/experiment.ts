/** Tests of several k6 runs. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { attend, leaveWhereInterrupted } from '../child.ts';
import { Ending } from '../ending.ts';
import { ROOT } from '../stack.ts';

/** A test that takes several k6 runs, or does things to the stack meanwhile. */
export const isExperiment = (test: string) => existsSync(join(ROOT, 'experiments', `${test}.js`));

/** Only looks at its variables. @throws {Ending} */
export async function checkExperiment(test: string) {
  if (!isExperiment(test)) return;
  const program = join(ROOT, 'experiments/main.js');
  const { code, stderr } = await attend('node', [program, test, '--check'], { stdin: 'ignore' });
  leaveWhereInterrupted();
  if (code !== 0) throw new Ending(stderr.replace(/^error: /, ''), code);
}

/** What becomes of a run of which k6 has ended. */
import { rmSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { judge } from '../../analysis/judge.js';
import { whileTaking } from '../child.ts';
import { INTERRUPTED } from '../ending.ts';
import { k6 } from '../k6.ts';
import { say } from '../say.ts';
import { resultsFolder } from '../stack.ts';

/** The run document, its reports, and the exit code of the verdict. Without a stack that is loaded, of what k6 left alone. */
export async function judged(
  folder: string,
  k6Exit: number,
  streamedUntilS: number | null = null,
): Promise<number> {
  const latest = join(resultsFolder(), 'latest');
  rmSync(latest, { force: true });
  symlinkSync(basename(folder), latest);
  const { PROMETHEUS_URL, WATCHED_SERVER = '', TARGET_KNOBS = '', RUN_LOG } = process.env;
  const { version } = await k6();
  let patient = true;
  const leave = () => {
    if (!patient) {
      say(`interrupted: not judged; what k6 left is in ${folder}`);
      process.exit(INTERRUPTED);
    }
    patient = false;
    say('the report is being written; once more to leave without it');
  };
  return await whileTaking(leave, () =>
    judge({
      directory: folder,
      k6Exit,
      prometheus: (RUN_LOG && PROMETHEUS_URL) || null,
      server: WATCHED_SERVER,
      knobs: TARGET_KNOBS,
      k6Version: version || null,
      streamedUntilS,
    }),
  );
}

/** What a server offers, as a workload document. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { oneLine } from '../../contract/one-line.js';
import { leaveWhereInterrupted } from '../child.ts';
import { TARGET } from '../ending.ts';
import { KILLED, labOutput, runK6 } from '../k6.ts';
import { say } from '../say.ts';
import { ROOT } from '../stack.ts';
import { abortFrom } from './abort.ts';

const PROGRESS = 'discovery: ';
/** Characters of a server's words that are kept, at least. */
const LOG = 100_000;

/**
 * Asks the server at TARGET_URL and writes the document.
 *
 * @returns null where it is there; else why there is none, and k6's log
 */
export async function discover(file: string): Promise<{ code: number; reason: string; log: string } | null> {
  say(`asking ${process.env.TARGET_URL?.replace(/\?.*$/, '')} what it offers ...`);
  let log = '';
  const folder = join(dirname(file), 'discovery');
  const quiet = ['--quiet', '--address', '', '--log-format', 'raw'];
  // With its summary, which is the document; to discover is no load.
  const output = labOutput(folder).slice(-2);
  const args = ['run', ...quiet, ...output, join(ROOT, 'lib/discover.js')];
  // WORKLOAD names what to load, not what to find out.
  const env = { WORKLOAD: '', WORKLOAD_FILE: file };
  const { code, stderr } = await runK6(args, { stdout: 'ignore', buffer: false, env }, (child) => {
    createInterface({ input: child.stderr as NodeJS.ReadableStream }).on('line', (line) => {
      log += `${line.slice(0, LOG)}\n`;
      // Why it ended comes last.
      if (log.length > 2 * LOG) log = log.slice(-LOG);
      if (line.startsWith(PROGRESS)) say(oneLine(line.slice(PROGRESS.length)));
    });
  });
  leaveWhereInterrupted();
  if (existsSync(file)) return null;
  // Before any load only the target can have made k6 take so much memory.
  if (code === KILLED) return { code: TARGET, reason: stderr, log: `${stderr}\n` };
  return { ...abortFrom(folder, log), log };
}

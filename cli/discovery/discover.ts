/**
 * Discovery of a server as a workload document: k6 reads the lists, Node generates arguments, k6 tries them.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { shownTarget } from '../../contract/command-line.js';
import { harmlessJson, oneLine } from '../../contract/one-line.js';
import { lineToAdd } from '../../lib/choose.js';
import type { Offered } from '../../lib/offer.js';
import type { Answered } from '../../lib/probe.js';
import type { DocumentOperation } from '../../lib/workload.js';
import { leaveWhereInterrupted } from '../child.ts';
import { TARGET } from '../ending.ts';
import { KILLED, labOutput, runK6 } from '../k6.ts';
import { logProgress } from '../log-progress.ts';
import { abortFrom } from '../run/abort.ts';
import { ROOT } from '../stack.ts';
import { addArguments } from './arguments.ts';
import { toDocument } from './document.ts';

const PROGRESS = 'discovery: ';
/** Minimum number of characters of the log that are kept. */
const LOG = 100_000;

export interface Failure {
  code: number;
  reason: string;
  /** k6's log. */
  log: string;
}

/**
 * Queries the server at TARGET_URL and writes the document.
 *
 * @param dry only list, without calls
 * @returns null if the document was written, else the failure
 */
export async function discover(file: string, dry: boolean): Promise<Failure | null> {
  const url = shownTarget(process.env.TARGET_URL ?? '');
  logProgress(`listing the operations of ${url} ...`);
  const folder = join(dirname(file), 'discovery');
  const offered = await ask<Offered>(join(folder, 'offer'));
  if ('reason' in offered) return offered;
  const { connection, seed, choice } = offered.found;
  const { operations, leftOut } = choice;
  await addArguments(choice, seed);
  if (!dry) {
    const names = Object.keys(operations);
    logProgress(`trying ${names.length} operations ...`);
    const tried = await ask<Record<string, Answered>>(join(folder, 'probe'), operations);
    if ('reason' in tried) return tried;
    for (const name of names) {
      const { works = [], reason = 'not tried', failed } = tried.found[name] ?? {};
      const { arguments: made, ...operation } = operations[name] as DocumentOperation;
      if (works.length === 0) {
        delete operations[name];
        leftOut.unshift({
          operation: name,
          reason,
          ...(failed && { failed }),
          ...(made && { add: lineToAdd(name, { ...operation, arguments: made.slice(0, 1) }) }),
        });
      } else if (made)
        operations[name] = { ...operation, arguments: made.filter((_, index) => works.includes(index)) };
    }
    logProgress(`${Object.keys(operations).length} of ${names.length} answered`);
  }
  if (Object.keys(operations).length === 0) {
    const reasons = leftOut.map(({ operation, reason }) => `${operation}: ${reason}`).slice(0, 5);
    const reason = oneLine(`${url} has no callable operations (${reasons.join('; ')})`);
    return { code: TARGET, reason, log: `${reason}\n` };
  }
  writeFileSync(file, `${harmlessJson(toDocument(connection, choice), 2)}\n`);
  return null;
}

/**
 * @param folder created by this function
 * @param operations the operations to try; without them, the lists are read
 */
async function ask<Found>(
  folder: string,
  operations?: Record<string, DocumentOperation>,
): Promise<{ found: Found } | Failure> {
  let log = '';
  const quiet = ['--quiet', '--address', '', '--log-format', 'raw'];
  // Keep k6's summary, which writes the result.
  const output = labOutput(folder).slice(-2);
  const args = ['run', ...quiet, ...output, join(ROOT, 'lib/discover.js')];
  const [found, listed] = [`${folder}.json`, `${folder}-operations.json`];
  mkdirSync(dirname(folder), { recursive: true });
  if (operations) writeFileSync(listed, JSON.stringify(operations));
  // WORKLOAD is for the load, not for discovery.
  const env = { WORKLOAD: '', FOUND_FILE: found, OPERATIONS_FILE: operations ? listed : '' };
  const { code, stderr } = await runK6(args, { stdout: 'ignore', buffer: false, env }, (child) => {
    createInterface({ input: child.stderr as NodeJS.ReadableStream }).on('line', (line) => {
      log += `${line.slice(0, LOG)}\n`;
      // Keep the end of the log, which has the reason of a failure.
      if (log.length > 2 * LOG) log = log.slice(-LOG);
      if (line.startsWith(PROGRESS)) logProgress(oneLine(line.slice(PROGRESS.length)));
    });
  });
  leaveWhereInterrupted();
  if (existsSync(found)) return { found: JSON.parse(readFileSync(found, 'utf8')) };
  // Discovery sends no load, so only large answers can have exhausted k6's memory.
  if (code === KILLED) return { code: TARGET, reason: stderr, log: `${stderr}\n` };
  return { ...abortFrom(folder, log), log };
}

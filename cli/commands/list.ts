/**
 * Lists the tests that can load a server. Reads the server's lists once, then makes the checks of each test's
 * run.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanText, secretsOf } from '../../analysis/clean-text.ts';
import type { WorkloadDocument } from '../../lib/workload.js';
import { discover } from '../discovery/discover.ts';
import { codeOf, Ending, USAGE } from '../ending.ts';
import { inspect } from '../run/inspect.ts';
import { tests } from '../run/run.ts';
import { loadStack, ROOT, setUp, stackValue } from '../stack.ts';
import { checkTrials } from '../trials/trials.ts';
import { Undo } from '../undo.ts';
import { takeWords } from '../variables.ts';

/** Maximum length of a reason, which may contain names of a server's tools. */
const MAX_REASON = 300;

export async function list(words: readonly string[]): Promise<number> {
  takeWords('list', words);
  const { env } = process;
  if (!env.TARGET_URL) {
    process.stdout.write(readFileSync(join(ROOT, 'scripts/list.txt'), 'utf8'));
    return 0;
  }
  await setUp('k6');
  const foreign = env.TARGET_URL !== stackValue('TARGET_URL');
  if (!foreign) loadStack();
  env.REFERENCE_TARGET = foreign ? '' : '1';
  const scratch = mkdtempSync(join(tmpdir(), 'mcp-load-lab-'));
  const undo = new Undo();
  undo.add(() => rmSync(scratch, { recursive: true, force: true }));
  try {
    const file = join(scratch, 'workload.json');
    // Only lists; calls no tool.
    const failure = await discover(file, true);
    if (failure) throw new Ending(failure.reason, failure.code);
    // On the reference target the tests use their own workloads.
    if (foreign) Object.assign(env, { WORKLOAD: file, TARGET_PROTOCOL: env.TARGET_PROTOCOL || 'auto' });
    delete env.TOOLS;
    const reasons = await inTurns(tests, refusalOf);
    process.stdout.write(textOf(JSON.parse(readFileSync(file, 'utf8')), reasons));
    return 0;
  } finally {
    await undo.all();
  }
}

/** @returns why the test cannot load this server; null = it can */
async function refusalOf(test: string): Promise<string | null> {
  try {
    await inspect(test);
    await checkTrials(test);
    return null;
  } catch (error) {
    if (error instanceof Error && codeOf(error) === USAGE) return error.message;
    throw error;
  }
}

/** Processes as many items at a time as there are CPUs. Results are in the order of the items. */
async function inTurns<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  const worker = async () => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  return results;
}

export function textOf(
  { name, operations, connection, left_out = [] }: WorkloadDocument,
  reasons: readonly (string | null)[],
): string {
  const clean = (text: string) => cleanText(text, secretsOf(process.env), MAX_REASON);
  const { name: server = name, version = '' } = connection?.server ?? {};
  const called = Object.keys(operations).length;
  const width = Math.max(...tests.map((test) => test.length));
  const row = (cells: [string, string, string]) =>
    `${cells[0].padEnd(width)}  ${cells[1].padEnd(4)}  ${cells[2]}`.trimEnd();
  return [
    clean(`${server} ${version}: ${called} callable operations, ${left_out.length} left out`),
    '',
    row(['test', 'runs', 'reason']),
    ...tests.map((test, index) => {
      const reason = reasons[index] ?? null;
      return row([test, reason === null ? 'yes' : 'no', reason === null ? '' : clean(reason)]);
    }),
    '',
    'No tool was called. TOOLS=name,name and ALLOW_WRITES=1 choose what a test calls (make plan shows it).',
    '',
  ].join('\n');
}

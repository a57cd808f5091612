/** Re-creates a run's reports from run.json and timeline.json, without Prometheus. */
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Timeline, validateTimeline } from '../collect/timeline.ts';
import { type Run, validateRun } from '../judge/run.ts';
import { WIDTH } from '../render/layout.ts';
import { nextCommands } from '../render/next-commands.ts';
import { UsageError } from '../usage-error.ts';
import { writeReports } from './write-reports.ts';

/** Maximum number of run names in an error message, newest first. */
const MAX_NAMES = 5;

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** @param results directory of all runs @returns the run's directory @throws {UsageError} */
export function folderOf(wanted: string, results: string): string {
  const isName = /^[\w.-]+$/.test(wanted) && wanted !== '.' && wanted !== '..';
  const found = [...(isName ? [join(results, wanted)] : []), resolve(wanted)].find(
    (path) => wanted !== '' && isFolder(path),
  );
  if (found) return realpathSync(found);
  const known = isFolder(results)
    ? readdirSync(results)
        .filter((name) => name !== 'latest' && existsSync(join(results, name, 'run.json')))
        .sort((a, b) => timeOf(b) - timeOf(a))
    : [];
  function timeOf(name: string) {
    return statSync(join(results, name, 'run.json')).mtimeMs;
  }
  const some = known.slice(0, MAX_NAMES).join(', ');
  throw new UsageError(
    `RUN is "${wanted}"; valid: latest, the path of a results folder, or a testid` +
      (some === '' ? `; ${results} has no runs` : `: ${some}${known.length > MAX_NAMES ? ' ...' : ''}`),
  );
}

/** @throws {UsageError} */
function read<T>(path: string, validate: (document: unknown) => string | null, what: string): T {
  let document: unknown;
  try {
    document = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new UsageError(`${path} cannot be read as JSON: ${(error as Error).message}`);
  }
  const problem = validate(document);
  if (problem) throw new UsageError(`${path} is not ${what} of this version: ${problem}`);
  return document as T;
}

/** @param folder directory of the run's results @throws {UsageError} */
export function runIn(folder: string): { run: Run; timeline: Timeline | null } {
  const path = join(folder, 'run.json');
  if (!existsSync(path)) throw new UsageError(`${folder} has no run.json: it contains no judged run`);
  const run: Run = read(path, validateRun, 'a run document');
  const timelinePath = join(folder, 'timeline.json');
  const timeline: Timeline | null = existsSync(timelinePath)
    ? read(timelinePath, validateTimeline, 'a timeline')
    : null;
  if (timeline && timeline.testid !== run.testid)
    throw new UsageError(`${timelinePath} belongs to ${timeline.testid}, not to ${run.testid}`);
  return { run, timeline };
}

/**
 * @param wanted a results directory, the name of a run, or `latest`
 * @param results directory of all runs
 * @throws {UsageError}
 */
export function reportAgain(wanted: string, results: string) {
  const folder = folderOf(wanted, results);
  const { run, timeline } = runIn(folder);
  const files = writeReports(folder, run, timeline).map((name) => join(folder, name));
  const [, ...commands] = nextCommands(run, folder, WIDTH);
  process.stdout.write([...files, ...commands, ''].join('\n'));
  if (!timeline)
    process.stderr.write(`report: ${folder} has no timeline.json, so report.html has no charts\n`);
}

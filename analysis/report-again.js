/** Writes a run's reports again from what it left: run.json and timeline.json. Nothing is asked of Prometheus. */
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { WIDTH } from './render/layout.js';
import { nextCommands } from './render/next-commands.js';
import { writeReports } from './report/write-reports.js';
import { validateRun } from './run.js';
import { validateTimeline } from './timeline.js';
import { UsageError } from './usage-error.js';

/** Names of runs that an error lists, the newest first. */
const MAX_NAMES = 5;

/** @param {string} path @returns {boolean} */
const isFolder = (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/**
 * @param {string} wanted
 * @param {string} results the folder of all runs
 * @returns {string} the run's folder
 * @throws {UsageError}
 */
export function folderOf(wanted, results) {
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
  /** @param {string} name */
  function timeOf(name) {
    return statSync(join(results, name, 'run.json')).mtimeMs;
  }
  const some = known.slice(0, MAX_NAMES).join(', ');
  throw new UsageError(
    `RUN is "${wanted}"; valid: latest, the path of a results folder, or a run's name` +
      (some === '' ? `, of which ${results} has none` : `: ${some}${known.length > MAX_NAMES ? ' ...' : ''}`),
  );
}

/**
 * @template T
 * @param {string} path
 * @param {(document: unknown) => string | null} validate
 * @param {string} what
 * @returns {T}
 * @throws {UsageError}
 */
function read(path, validate, what) {
  /** @type {unknown} */
  let document;
  try {
    document = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new UsageError(`${path} can't be read as JSON: ${/** @type {Error} */ (error).message}`);
  }
  const problem = validate(document);
  if (problem) throw new UsageError(`${path} is not ${what} of this version: ${problem}`);
  return /** @type {T} */ (document);
}

/**
 * @param {string} folder of its results
 * @returns {{run: import('./run.js').Run, timeline: import('./timeline.js').Timeline | null}} what it left
 * @throws {UsageError}
 */
export function runIn(folder) {
  const path = join(folder, 'run.json');
  if (!existsSync(path)) throw new UsageError(`${folder} has no run.json: no run was judged there`);
  /** @type {import('./run.js').Run} */
  const run = read(path, validateRun, 'a run document');
  const timelinePath = join(folder, 'timeline.json');
  /** @type {import('./timeline.js').Timeline | null} */
  const timeline = existsSync(timelinePath) ? read(timelinePath, validateTimeline, 'a timeline') : null;
  if (timeline && timeline.testid !== run.testid)
    throw new UsageError(`${timelinePath} is of ${timeline.testid}, and not of ${run.testid}`);
  return { run, timeline };
}

/**
 * @param {string} wanted a results folder, a run's name among the results, or `latest`
 * @param {string} results the folder of all runs
 * @throws {UsageError}
 */
export function reportAgain(wanted, results) {
  const folder = folderOf(wanted, results);
  const { run, timeline } = runIn(folder);
  const files = writeReports(folder, run, timeline).map((name) => join(folder, name));
  const [, ...commands] = nextCommands(run, folder, WIDTH);
  process.stdout.write([...files, ...commands, ''].join('\n'));
  if (!timeline)
    process.stderr.write(`report: ${folder} has no timeline.json, so report.html has no charts\n`);
}

/**
 * Finds the runs that a user specifies: a testid, a glob of testids, a results directory, the path of a
 * run.json, or the name of a baseline.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { BASELINE_NAME } from '../../contract/baseline-name.js';
import { type Run, validateRun } from '../judge/run.ts';
import { isResultName } from '../result-name.ts';
import { BASELINE_SCHEMA, digestsOf } from './baseline.ts';
import { CompareError } from './compare-error.ts';
import type { Given } from './comparison.ts';
import { type Digest, digestOf } from './digest.ts';

interface Places {
  results: string;
  baselines: string;
}

const DOCUMENT = 'run.json';
const SHOWN = 80;
/** Maximum number of testids in a message. */
const NEWEST = 3;

/**
 * @param variable name of the variable, for messages
 * @param text comma-separated items
 * @param howToCreate how to create a baseline that does not exist, for messages; without it, the valid items
 *   are listed
 * @throws {CompareError} if an item is invalid
 */
export function readSide(
  variable: string,
  text: string,
  places: Places,
  howToCreate?: (baseline: string) => string,
): Given {
  const items = text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  if (items.length === 0) throw new CompareError(`${variable} is empty; valid: ${valid(places)}`);
  return {
    given: items.join(', '),
    digests: items.flatMap((item) => digestsAt(variable, item, places, howToCreate)),
  };
}

function digestsAt(
  variable: string,
  item: string,
  places: Places,
  howToCreate?: (baseline: string) => string,
): Digest[] {
  const baseline = BASELINE_NAME.test(item) ? join(places.baselines, `${item}.json`) : '';
  const isTestid = !item.includes('/') && isRun(join(places.results, item));
  const paths = /[*?]/.test(item)
    ? matching(item, places.results)
    : [isTestid ? join(places.results, item) : existsSync(item) ? item : baseline];
  const files = paths.map((path) => (isFolder(path) ? join(path, DOCUMENT) : path)).filter(existsSync);
  if (files.length === 0) {
    const isBaseline = baseline !== '' && !isResultName(item);
    throw new CompareError(
      howToCreate && isBaseline
        ? `there is no baseline "${item}"; ${howToCreate(item)}`
        : `${variable} has "${item.slice(0, SHOWN)}"; valid: ${valid(places)}`,
    );
  }
  return files.flatMap((file) => digestsIn(file, variable));
}

function digestsIn(file: string, variable: string): Digest[] {
  const wrong = (what: string) => new CompareError(`${variable} has ${file.slice(-SHOWN)}: ${what}`);
  const document = parsed(file);
  if (document === undefined) throw wrong('it cannot be read as JSON');
  if ((document as { schema?: unknown } | null)?.schema === BASELINE_SCHEMA) {
    try {
      return digestsOf(document);
    } catch (error) {
      throw error instanceof CompareError ? wrong(error.message) : error;
    }
  }
  const problem = validateRun(document);
  if (problem) throw wrong(`it is neither a run document nor a baseline: ${problem}`);
  return [digestOf(document as Run)];
}

/** @returns undefined if the file is not JSON; its content is not included in messages */
function parsed(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

const isRun = (path: string) => existsSync(join(path, DOCUMENT));

/** @returns testids of all runs in alphabetical order, without symbolic links */
function testidsIn(results: string): string[] {
  if (!isFolder(results)) return [];
  return readdirSync(results, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && isRun(join(results, entry.name)))
    .map(({ name }) => name)
    .sort();
}

/** @returns directories that match the glob */
function matching(glob: string, results: string): string[] {
  const pattern = glob
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  const matches = new RegExp(`^${pattern}$`);
  return testidsIn(results)
    .filter((testid) => matches.test(testid))
    .map((testid) => join(results, testid));
}

/** @returns a description of valid items, with examples */
function valid({ results, baselines }: Places): string {
  const newest = testidsIn(results)
    .map((testid) => ({ testid, ms: statSync(join(results, testid, DOCUMENT)).mtimeMs }))
    .sort((a, b) => b.ms - a.ms)
    .slice(0, NEWEST)
    .map(({ testid }) => testid);
  const baselineNames = isFolder(baselines)
    ? readdirSync(baselines).flatMap((name) => /^(.*)\.json$/.exec(name)?.[1] ?? [])
    : [];
  const examples = (names: string[]) => (names.length > 0 ? ` (${names.join(', ')})` : '');
  return `testids${examples(newest)} or globs of them, results folders, paths of a run.json, names of baselines${examples(baselineNames)}; separate several with commas`;
}

/** Finds the runs that a user names: by testid, glob of testids, results folder, path of a run.json, or a baseline's name. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { BASELINE_NAME } from '../../contract/baseline-name.js';
import { validateRun } from '../run.js';
import { BASELINE_SCHEMA, digestsOf } from './baseline.js';
import { CompareError } from './compare-error.js';
import { digestOf } from './digest.js';

/**
 * @typedef {object} Places
 * @property {string} results
 * @property {string} baselines
 */

const DOCUMENT = 'run.json';
const SHOWN = 80;
/** Testids that a message names. */
const NEWEST = 3;

/**
 * @param {string} variable that it is the value of, for a message
 * @param {string} text items with commas between
 * @param {Places} places
 * @returns {import('./comparison.js').Given}
 * @throws {CompareError} where an item is nothing of the kind
 */
export function readSide(variable, text, places) {
  const items = text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  if (items.length === 0) throw new CompareError(`${variable} is empty; valid: ${valid(places)}`);
  return { given: items.join(', '), digests: items.flatMap((item) => digestsAt(variable, item, places)) };
}

/**
 * @param {string} variable
 * @param {string} item
 * @param {Places} places
 * @returns {import('./digest.js').Digest[]}
 */
function digestsAt(variable, item, places) {
  const baseline = BASELINE_NAME.test(item) ? join(places.baselines, `${item}.json`) : '';
  const isTestid = !item.includes('/') && isRun(join(places.results, item));
  const paths = /[*?]/.test(item)
    ? matching(item, places.results)
    : [isTestid ? join(places.results, item) : existsSync(item) ? item : baseline];
  const files = paths.map((path) => (isFolder(path) ? join(path, DOCUMENT) : path)).filter(existsSync);
  if (files.length === 0)
    throw new CompareError(`${variable} has "${item.slice(0, SHOWN)}"; valid: ${valid(places)}`);
  return files.flatMap((file) => digestsIn(file, variable));
}

/**
 * @param {string} file
 * @param {string} variable
 * @returns {import('./digest.js').Digest[]}
 */
function digestsIn(file, variable) {
  const wrong = (/** @type {string} */ what) =>
    new CompareError(`${variable} has ${file.slice(-SHOWN)}, and ${what}`);
  const document = parsed(file);
  if (document === undefined) throw wrong('it is not JSON, or can not be read');
  if (document?.schema === BASELINE_SCHEMA) {
    try {
      return digestsOf(document);
    } catch (error) {
      throw error instanceof CompareError ? wrong(error.message) : error;
    }
  }
  const problem = validateRun(document);
  if (problem) throw wrong(`it is no run document and no baseline: ${problem}`);
  return [digestOf(document)];
}

/** @param {string} file @returns {any} undefined: it is none; what it holds instead is for no message */
function parsed(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** @param {string} path */
const isFolder = (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** @param {string} path */
const isRun = (path) => existsSync(join(path, DOCUMENT));

/**
 * @param {string} results
 * @returns {string[]} testids of the runs that are there, in the order of their names; not the links to them
 */
function testidsIn(results) {
  if (!isFolder(results)) return [];
  return readdirSync(results, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && isRun(join(results, entry.name)))
    .map(({ name }) => name)
    .sort();
}

/** @param {string} glob @param {string} results @returns {string[]} folders */
function matching(glob, results) {
  const pattern = glob
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  const matches = new RegExp(`^${pattern}$`);
  return testidsIn(results)
    .filter((testid) => matches.test(testid))
    .map((testid) => join(results, testid));
}

/** @param {Places} places @returns {string} what an item may be, with examples that there are */
function valid({ results, baselines }) {
  const newest = testidsIn(results)
    .map((testid) => ({ testid, ms: statSync(join(results, testid, DOCUMENT)).mtimeMs }))
    .sort((a, b) => b.ms - a.ms)
    .slice(0, NEWEST)
    .map(({ testid }) => testid);
  const kept = isFolder(baselines)
    ? readdirSync(baselines).flatMap((name) => /^(.*)\.json$/.exec(name)?.[1] ?? [])
    : [];
  const examples = (/** @type {string[]} */ names) => (names.length > 0 ? ` (${names.join(', ')})` : '');
  return `testids${examples(newest)} or globs of them, results folders, paths of a run.json, names of baselines${examples(kept)}; several with commas between`;
}

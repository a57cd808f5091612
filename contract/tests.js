/**
 * Finds the tests in scenarios/. A test is a file NAME.js, or a folder NAME/ with the k6 script `test.js` and
 * optionally `trials.ts` (several k6 runs), `table.ts` (its tables) and `variables.ts` (its variables).
 */
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const SCENARIOS = new URL('../scenarios/', import.meta.url);

const NAME = /^[a-z][a-z0-9-]*$/;

/** @returns {string[]} the names of all tests, in alphabetical order */
export const testNames = () =>
  readdirSync(SCENARIOS)
    .map((file) => file.replace(/\.js$/, ''))
    .filter((name) => NAME.test(name))
    .sort();

/** @param {string} test @returns {string} its k6 script, relative to the project's folder */
export const scriptOf = (test) =>
  existsSync(new URL(`${test}.js`, SCENARIOS)) ? `scenarios/${test}.js` : `scenarios/${test}/test.js`;

/**
 * @param {string} test untrusted, for example from a document
 * @param {'trials' | 'table' | 'variables'} part
 * @returns {string | null} the path of the file; null if the test does not have it
 */
export function partOf(test, part) {
  if (!NAME.test(test)) return null;
  const file = new URL(`${test}/${part}.ts`, SCENARIOS);
  return existsSync(file) ? fileURLToPath(file) : null;
}

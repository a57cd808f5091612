/** Compares runs: is HEAD better or worse than BASE? */
import { mkdirSync } from 'node:fs';
import { basename } from 'node:path';
import { secretsOf } from '../clean-text.js';
import { wantsColours } from '../render/colours.js';
import { compare } from './comparison.js';
import { optionsOf } from './options.js';
import { readSide } from './sides.js';
import { renderTerminal } from './terminal.js';
import { writeComparison } from './write-comparison.js';

/**
 * Writes comparison.json, .md, .html and junit.xml, and a table to the terminal.
 *
 * @param {string} directory a new one
 * @param {{results: string, baselines: string}} places
 * @param {NodeJS.ProcessEnv} env with BASE, HEAD and the options; BASE_NAME and HEAD_NAME: what the sides are to be called
 * @returns {number} the exit code: 0 nothing is worse, 99 something is, 98 nothing could be judged
 * @throws {import('./compare-error.js').CompareError} where the runs can't be compared
 */
export function compareRuns(directory, places, env) {
  const options = optionsOf(env);
  /** @param {'BASE' | 'HEAD'} name */
  const side = (name) => {
    const read = readSide(name, env[name] ?? '', places);
    return { ...read, given: env[`${name}_NAME`] || read.given };
  };
  const comparison = compare(basename(directory), side('BASE'), side('HEAD'), options, secretsOf(env));
  mkdirSync(directory, { recursive: true });
  writeComparison(directory, comparison);
  process.stdout.write(renderTerminal(comparison, { directory, colours: wantsColours() }));
  return comparison.verdict.exit_code;
}

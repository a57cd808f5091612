/** Compares runs: is HEAD better or worse than BASE? */
import { mkdirSync } from 'node:fs';
import { basename } from 'node:path';
import { secretsOf } from '../clean-text.ts';
import { wantsColours } from '../render/colours.ts';
import { compare } from './comparison.ts';
import { optionsOf } from './options.ts';
import { readSide } from './sides.ts';
import { renderTerminal } from './terminal.ts';
import { writeComparison } from './write-comparison.ts';

const howToSave = (baseline: string) =>
  `create it with: make baseline-save NAME=${baseline} BASE=testid,testid`;

/**
 * Writes comparison.json, .md, .html and junit.xml, and prints a table.
 *
 * @param directory new directory for the results
 * @param env contains BASE, HEAD and the options; BASE_NAME and HEAD_NAME: names of the sides
 * @returns the exit code: 0 = nothing is worse, 99 = something is worse, 98 = nothing could be judged
 * @throws {CompareError} if the runs cannot be compared
 */
export function compareRuns(
  directory: string,
  places: { results: string; baselines: string },
  env: NodeJS.ProcessEnv,
): number {
  const options = optionsOf(env);
  const side = (name: 'BASE' | 'HEAD') => {
    const read = readSide(name, env[name] ?? '', places, name === 'BASE' ? howToSave : undefined);
    return { ...read, given: env[`${name}_NAME`] || read.given };
  };
  const comparison = compare(basename(directory), side('BASE'), side('HEAD'), options, secretsOf(env));
  mkdirSync(directory, { recursive: true });
  writeComparison(directory, comparison);
  process.stdout.write(renderTerminal(comparison, { directory, colours: wantsColours() }));
  return comparison.verdict.exit_code;
}

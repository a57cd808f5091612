/** Stores the figures of runs for later comparisons. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { baselineName } from '../../contract/baseline-name.js';
import { counted } from '../../contract/units.js';
import { secretsOf } from '../clean-text.ts';
import { writeAtomic } from '../write-atomic.ts';
import { makeBaseline } from './baseline.ts';
import { CompareError } from './compare-error.ts';
import { flag } from './options.ts';
import { readSide } from './sides.ts';

/**
 * Writes <baselines>/<NAME>.json, a file to commit and to compare with.
 *
 * @param env contains NAME, BASE, INCLUDE_FAILED
 * @throws {CompareError}
 */
export function saveBaseline(places: { results: string; baselines: string }, env: NodeJS.ProcessEnv) {
  const { NAME: name = '', BASE: runs = '' } = env;
  if (baselineName.parse(name) === undefined)
    throw new CompareError(`NAME is "${name.slice(0, 80)}"; valid: ${baselineName.valid}`);
  const includeFailed = flag('INCLUDE_FAILED', env);
  const { digests } = readSide('BASE', runs, places);
  const baseline = makeBaseline(name, digests, { includeFailed }, secretsOf(env));
  mkdirSync(places.baselines, { recursive: true });
  const file = join(places.baselines, `${name}.json`);
  writeAtomic(file, `${JSON.stringify(baseline, null, 2)}\n`);
  process.stdout.write(`${file}: ${counted(baseline.runs.length, 'run')} of ${baseline.conditions.test}\n`);
}

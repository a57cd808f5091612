/** Keeps the figures of runs for later comparisons. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { baselineName } from '../../contract/baseline-name.js';
import { counted } from '../../contract/units.js';
import { secretsOf } from '../clean-text.js';
import { writeAtomic } from '../write-atomic.js';
import { makeBaseline } from './baseline.js';
import { CompareError } from './compare-error.js';
import { flag } from './options.js';
import { readSide } from './sides.js';

/**
 * Writes <baselines>/<NAME>.json, a plain file that is to be committed and compared with.
 *
 * @param {{results: string, baselines: string}} places
 * @param {NodeJS.ProcessEnv} env with NAME, BASE, INCLUDE_FAILED
 * @throws {CompareError}
 */
export function saveBaseline(places, env) {
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

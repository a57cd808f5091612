#!/usr/bin/env node
/**
 * Keeps the figures of runs for later comparisons: `node analysis/compare/baseline-main.js <results> <baselines>`, with NAME
 * and RUNS in the environment. Writes <baselines>/<name>.json.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { secretsOf } from '../clean-text.js';
import { counted } from '../units.js';
import { writeAtomic } from '../write-atomic.js';
import { BASELINE_NAME, makeBaseline } from './baseline.js';
import { CompareError } from './compare-error.js';
import { exitWith } from './exit.js';
import { flag } from './options.js';
import { readSide } from './sides.js';

await exitWith(() => {
  const [results = '', baselines = ''] = process.argv.slice(2);
  const { NAME: name = '', RUNS: runs = '' } = process.env;
  if (!BASELINE_NAME.test(name)) {
    throw new CompareError(
      `NAME is "${name.slice(0, 80)}"; valid: up to 64 letters, digits, dots, hyphens and underscores, as in main`,
    );
  }
  const includeFailed = flag('INCLUDE_FAILED', process.env);
  const { digests } = readSide('RUNS', runs, { results, baselines });
  const baseline = makeBaseline(name, digests, { includeFailed }, secretsOf(process.env));
  mkdirSync(baselines, { recursive: true });
  const file = join(baselines, `${name}.json`);
  writeAtomic(file, `${JSON.stringify(baseline, null, 2)}\n`);
  process.stdout.write(`${file}: ${counted(baseline.runs.length, 'run')} of ${baseline.conditions.test}\n`);
  return 0;
});

#!/usr/bin/env node
/**
 * Finds change points in the history of a test: `node analysis/compare/trend-main.js <results> <baselines>`, with TEST and the
 * options in the environment. Exits with 98 where there are not enough runs.
 */
import { INVALID, PASS } from '../verdict.js';
import { CompareError } from './compare-error.js';
import { exitWith } from './exit.js';
import { optionsOf } from './options.js';
import { readSide, testidsIn } from './sides.js';
import { LEAST_RUNS, trends } from './trend.js';
import { renderTrends } from './trend-text.js';

await exitWith(() => {
  const [results = '', baselines = ''] = process.argv.slice(2);
  const { TEST: test = '', RUNS: runs = '*', METRIC, METRICS = METRIC } = process.env;
  // A run that is worse may miss an objective: without it the history would not show it.
  const INCLUDE_FAILED = process.env.INCLUDE_FAILED || '1';
  const options = optionsOf({ ...process.env, METRICS, INCLUDE_FAILED });
  if (runs === '*' && testidsIn(results).length === 0)
    throw new CompareError(`there is no run in ${results}; valid: RESULTS_DIR of some, or RUNS`);
  const { digests } = readSide('RUNS', runs || '*', { results, baselines });
  const tests = [...new Set(digests.map(({ conditions }) => conditions.test))].filter(
    (name) => name !== null,
  );
  const known = test || (tests.length === 1 ? tests[0] : '');
  if (!known || !tests.includes(known))
    throw new CompareError(`TEST is "${test.slice(0, 80)}"; valid: ${tests.join(', ')}`);
  const found = trends(
    digests.filter(({ conditions }) => conditions.test === known),
    options,
  );
  process.stdout.write(found.length > 0 ? renderTrends(found) : `${known}: no run that can be looked at\n`);
  return found.some((trend) => trend.runs.length >= LEAST_RUNS) ? PASS : INVALID;
});

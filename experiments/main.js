#!/usr/bin/env node
/**
 * Runs a test that takes several k6 runs (its trials), or does things to the system while it is loaded.
 *
 *   node experiments/main.js <test> <results-dir>
 *   node experiments/main.js <test> --check     only looks at the variables
 *
 * `scripts/run` calls it, with the stack up and its addresses in the environment. Exits with k6's codes: 0, 99 where a
 * judged trial missed an objective, else that of the trial that ended it; 2 for a wrong variable.
 */
import { INTERRUPTED } from '../analysis/judge/verdict.ts';
import { ConfigError } from '../contract/config-error.js';
import { readConfig } from './config.js';
import { Interrupted, Lab, TrialFailed } from './lab.js';

const USAGE = 2;
const BROKEN = 1;

/** @returns {Promise<number>} the exit code */
async function main() {
  const [test = '', folder = ''] = process.argv.slice(2);
  const config = readConfig(process.env);
  /** @type {{default: (lab: Lab) => Promise<void>, check?: (config: any) => void}} */
  const { default: experiment, check } = await import(`./${test}.js`);
  check?.(config);
  if (folder === '--check') return 0;
  const lab = new Lab(test, folder, config);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => lab.interrupt());
  try {
    await experiment(lab);
    return lab.code;
  } catch (error) {
    if (error instanceof Interrupted) return INTERRUPTED;
    if (error instanceof TrialFailed) return error.code;
    lab.error = error instanceof Error ? error.message : String(error);
    throw error;
  } finally {
    await lab.end();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  const usage = error instanceof ConfigError;
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = usage ? USAGE : BROKEN;
}

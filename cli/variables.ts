/** NAME=value words of a command line: they become variables of this program's environment, in which all values travel. */
import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { variables as ofExperiments } from '../experiments/variables.js';
import { variables as ofTests } from '../lib/config.js';
import { variables as ofPipelines } from '../pipeline/variables.js';
import { shown, usage } from './ending.ts';

/** As scripts/components.sh has them. */
const KNOBS = [
  ...['WORKERS', 'POOL_SIZE', 'CACHE_STRATEGY', 'CACHE_TTL', 'RATE_LIMIT_RPS', 'SESSIONS', 'SESSION_TIMEOUT'],
  ...['COMPRESSION', 'CONTENT', 'RESOURCE_LIFETIME', 'TARGET_FAULTS'],
];
const OF_ALL = ['STACK', 'RUN_DIR', 'RESULTS_DIR'];
/** Of everything that loads a server. */
export const OF_RUNS = [
  ...[...Object.keys(ofTests), ...Object.keys(ofExperiments)],
  ...['TARGET_METRICS', 'TARGET_PID', 'TARGET_CONTAINER', 'TESTID', 'MEMORY_CHECK', 'GENERATOR_MEMORY'],
  ...KNOBS,
];
const OF_COMPARISONS = ['METRICS', 'MIN_EFFECT', 'OPERATIONS', 'INCLUDE_FAILED', 'ALLOW_SINGLE'];
export const OF_COMPARE = ['BASE', 'HEAD', 'BASELINES_DIR', ...OF_COMPARISONS];
export const OF_BASELINE = ['NAME', 'RUNS', 'INCLUDE_FAILED', 'BASELINES_DIR'];
export const OF_COMPARE_AB = ['A', 'B', 'RUNS', 'TEST', ...OF_COMPARISONS];
export const OF_CI = [...Object.keys(ofPipelines), 'BASELINES_DIR', ...OF_COMPARISONS];

/**
 * @param names of the command's variables
 * @returns the words' values by name
 * @throws {Ending}
 */
export function readWords(words: readonly string[], names: readonly string[]): Record<string, string> {
  const valid = [...names, ...OF_ALL];
  return Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf('=');
      const name = at < 0 ? word : word.slice(0, at);
      // Without the value: it may be a secret under a mistyped name.
      if (at < 0 || !valid.includes(name))
        throw usage(`got "${shown(name)}"; valid: NAME=value with a NAME of ${valid.join(', ')}`);
      return [name, word.slice(at + 1)];
    }),
  );
}

/** Takes the words into the environment, and looks at what is a path there. @throws {Ending} */
export function takeWords(words: readonly string[], names: readonly string[]) {
  Object.assign(process.env, readWords(words, names));
  for (const name of ['TARGET_CERT', 'TARGET_KEY', 'TARGET_CA', 'OAUTH_CLIENT_KEY'])
    existingFile(name, 'the path of a PEM file');
  const { TARGET_PID: pid, GENERATOR_MEMORY: memory, SECRET_SOURCE: secrets = '' } = process.env;
  if (pid && !/^[1-9]\d{0,9}$/.test(pid))
    throw usage(`TARGET_PID is "${shown(pid)}"; valid: the number of a process`);
  if (memory && !/^[1-9]\d{0,8}$/.test(memory))
    throw usage(`GENERATOR_MEMORY is "${shown(memory)}"; valid: MiB, a whole number above 0`);
  if (secrets.startsWith('file=') && !isReadable(secrets.slice('file='.length)))
    throw usage(
      `SECRET_SOURCE is "${shown(secrets)}", which can't be read; valid: file= and the path of a file with NAME=value lines`,
    );
}

/** Makes the path in a variable absolute: k6 would look next to its script. @throws {Ending} */
export function existingFile(name: string, valid: string) {
  const path = process.env[name];
  if (!path) return;
  if (!isReadable(path) || !statSync(path).isFile())
    throw usage(`${name} is "${shown(path)}", which can't be read; valid: ${valid}`);
  process.env[name] = realpathSync(resolve(path));
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

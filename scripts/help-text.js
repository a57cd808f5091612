/** What `make help-all` prints: every target with its line, every variable with its default. */
import { readFileSync } from 'node:fs';
import { variables as ofExperiments } from '../experiments/variables.js';
import { variables as ofTests } from '../lib/config.js';
import { variables as ofPipelines } from '../pipeline/variables.js';
import { VARIABLES as ofTarget } from '../target/config.js';

const read = (/** @type {string} */ path) => readFileSync(new URL(path, import.meta.url), 'utf8');

/** @param {string} name @param {string} about @param {string} [value] its default */
const line = (name, about, value) => `  ${name.padEnd(24)}${about}${value ? ` [${value}]` : ''}`;

/** @param {Record<string, import('../lib/variable.js').Variable<any>>} variables @returns {string[]} */
const declared = (variables) =>
  Object.entries(variables).map(([name, { default: value, help }]) => line(name, help, String(value ?? '')));

/** @returns {string} */
export function helpText() {
  const targets = [...read('../Makefile').matchAll(/^([a-z-]+):.*## (.*)$/gm)].map(
    ([, name = '', about = '']) => line(name, about),
  );
  const settings = Object.entries(ofTarget).flatMap(([name, { about, valid, fallback }]) =>
    about ? [line(name, `${about}; ${valid}`, fallback)] : [],
  );
  return [
    'Usage: make TARGET [NAME=value ...]. A test is a target of its own: make list.',
    '',
    ...targets,
    '',
    'Variables of a test',
    ...declared(ofTests),
    ...declared(ofExperiments),
    read('variables.txt').trimEnd(),
    '',
    'Variables of ci, besides those of its test and of compare (docs/ci.md)',
    ...declared(ofPipelines),
    '',
    'Settings of the reference target: a running one is restarted with them; what is not set stays as it is, and WORKERS=default takes it back',
    ...settings,
    '',
  ].join('\n');
}

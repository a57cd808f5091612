import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { anyText, nearly } from './generated.js';
import { isOneLine } from './oracles.js';
import { property } from './property.js';
import { VARIABLES } from './variables.js';

const scripts = fileURLToPath(new URL('../../scripts/', import.meta.url));

/** What take_variables does with one argument, and what is in the environment after it, under the name before its `=`. */
const TAKE = '. "$1/variables.sh"; take_variables "$2"; printf "taken:"; printenv -- "$3"';
/** The same of the names that only the scripts for comparisons know. */
const COMPARE = 'here=$1/..; . "$1/compare-variables.sh" "BASE HEAD" "$2"; printf "taken:"; printenv -- "$3"';

const NAMES = [...Object.keys(VARIABLES), 'RESULTS_DIR', 'BASE', 'HEAD', 'WORKERS'];
/** Their value is a path of a file, which has to be there. */
const FILES = ['TARGET_CERT', 'TARGET_KEY', 'TARGET_CA', 'OAUTH_CLIENT_KEY', 'SECRET_SOURCE'];
/** These would have the scripts look elsewhere. */
const ELSEWHERE = ['RUN_DIR', 'STACK'];

const name = fc.oneof(
  fc.constantFrom(...NAMES),
  nearly(fc.constantFrom(...NAMES)),
  fc.tuple(fc.constantFrom(...NAMES), fc.constantFrom(...NAMES)).map((both) => both.join(' ')),
  fc.constantFrom(
    'PATH',
    'LD_PRELOAD',
    'BASH_ENV',
    'IFS',
    'A[$(id>&2)]',
    '-p',
    '',
    ' ',
    'PROFILE TARGET_URL',
    'x y',
    '*',
    '?',
  ),
  anyText,
);

/** @param {string} argument */
const nameIn = (argument) => argument.split('=')[0] ?? '';

/** What a program's arguments can hold. @param {string} text */
const asArgument = (text) => text.toWellFormed().replaceAll('\0', '');

/**
 * @param {string} script of bash
 * @param {string} argument
 */
function takes(script, argument) {
  const { status, stdout, stderr, error } = spawnSync(
    'bash',
    ['-euo', 'pipefail', '-c', script, 'bash', scripts, argument, nameIn(argument)],
    {
      encoding: 'utf8',
      // Bash takes a socket as standard input for a login by network.
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, HOME: process.env.HOME, STACK: 'docker', RUN_DIR: '/tmp' },
      timeout: 60_000,
    },
  );
  assert.equal(error, undefined);
  const at = argument.indexOf('=');
  if (status === 0) {
    assert.match(argument.slice(0, at), /^[A-Z_]+$/);
    const given = argument.slice(at + 1);
    // A path is one wherever it is used.
    const isPath = FILES.includes(argument.slice(0, at)) && !argument.startsWith('SECRET_SOURCE');
    const expected = isPath && given !== '' ? realpathSync(given) : given;
    assert.equal(stdout, `taken:${expected}\n`, 'the variable has the very text of the argument');
    assert.equal(stderr, '');
    return;
  }
  assert.equal(status, 2, `exit code ${status}: ${stdout}${stderr}`);
  assert.match(stderr, /^error: .*; valid: .*\n$/s);
  isOneLine(stderr.trimEnd());
  // It may be a secret under a name with a slip of the pen in it.
  const value = at < 0 ? '' : argument.slice(at + 1);
  if (value.length > 12 && !FILES.includes(argument.slice(0, at)))
    assert.ok(!stderr.includes(value), 'the value is shown');
}

const argument = fc
  .oneof(
    fc.tuple(name, anyText).map(([key, value]) => `${key}=${value}`),
    name,
    anyText,
  )
  .map(asArgument)
  .filter((text) => !ELSEWHERE.includes(nameIn(text)));

/** @type {import('./property.js').Area} */
const area = {
  name: 'arguments',
  properties: [
    property({
      name: 'an argument of scripts/run is exported as it is, or refused in one line',
      runs: 60,
      input: argument,
      holds: (text) => takes(TAKE, text),
    }),
    property({
      name: 'likewise of scripts/compare',
      runs: 30,
      input: argument,
      holds: (text) => takes(COMPARE, text),
    }),
  ],
};
export default area;

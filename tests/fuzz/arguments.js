import assert from 'node:assert/strict';
import { realpathSync } from 'node:fs';
import fc from 'fast-check';
import { codeOf } from '../../cli/ending.ts';
import { takeWords } from '../../cli/variables.ts';
import { anyText, nearly } from './generated.js';
import { isOneLine } from './oracles.js';
import { property } from './property.js';
import { VARIABLES } from './variables.js';

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
 * @param {string} command
 * @param {string} argument
 */
function takes(command, argument) {
  const before = { ...process.env };
  let taken;
  let refused = '';
  try {
    takeWords(command, [argument]);
    taken = process.env[nameIn(argument)];
  } catch (error) {
    assert.equal(codeOf(error), 2);
    refused = /** @type {Error} */ (error).message;
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  }
  const at = argument.indexOf('=');
  if (refused === '') {
    assert.match(argument.slice(0, at), /^[A-Z_]+$/);
    const given = argument.slice(at + 1);
    // A path is one wherever it is used.
    const isPath = FILES.includes(argument.slice(0, at)) && !argument.startsWith('SECRET_SOURCE');
    const expected = isPath && given !== '' ? realpathSync(given) : given;
    assert.equal(taken, expected, 'the variable has the very text of the argument');
    return;
  }
  assert.match(refused, /; valid: /);
  isOneLine(refused);
  // It may be a secret under a name with a slip of the pen in it.
  const value = at < 0 ? '' : argument.slice(at + 1);
  if (value.length > 12 && refused.startsWith('got ') && !nameIn(argument).includes(value))
    assert.ok(!refused.includes(value), 'the value is shown');
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
      name: 'an argument of scripts/run is taken as it is, or refused in one line',
      runs: 60,
      input: argument,
      holds: (text) => takes('run', text),
    }),
    property({
      name: 'likewise of scripts/compare',
      runs: 30,
      input: argument,
      holds: (text) => takes('compare', text),
    }),
  ],
};
export default area;

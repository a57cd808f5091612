/**
 * NAME=value words of a command line. They become environment variables of this program, which pass all
 * settings.
 */
import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import leven from 'leven';
import { stdioUrl } from '../contract/command-line.js';
import { readVariables } from '../contract/variable.js';
import { runs } from '../contract/variables/commands.js';
import { target } from '../contract/variables/target.js';
import { ofAll, ofCommand } from '../contract/variables.js';
import { VARIABLES as ofTarget } from '../target/config.js';
import { quotable, usage } from './ending.ts';
import { takePlaces } from './stack.ts';

/** Settings of the reference target for users. */
const SETTINGS = Object.entries(ofTarget).flatMap(([name, variable]) => ('about' in variable ? [name] : []));

/** Maximum names in a message. If there are more, only the nearest are shown. */
const LISTED = 20;
const NEAREST = 3;
/** Number of characters of a mistyped name that are compared. */
const LONGEST = 40;

/** @returns the names that a command accepts */
function namesOf(command: string): string[] {
  const own = Object.keys(ofCommand[command] ?? {});
  return [...own, ...(own.includes('TARGET_URL') ? SETTINGS : []), ...Object.keys(ofAll)];
}

/** @returns the words' values by name @throws {Ending} */
export function readWords(command: string, words: readonly string[]): Record<string, string> {
  const valid = namesOf(command);
  return Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf('=');
      const name = at < 0 ? word : word.slice(0, at);
      // Do not show the value: it may be a secret with a mistyped name.
      if (at < 0 || !valid.includes(name))
        throw usage(`got "${quotable(name)}"; valid: NAME=value with a NAME of ${listed(valid, name)}`);
      return [name, word.slice(at + 1)];
    }),
  );
}

/** Lists the valid names or, if there are too many, the most similar ones. */
function listed(valid: string[], name: string): string {
  if (valid.length <= LISTED) return valid.join(', ');
  const near = new Map(valid.map((one) => [one, leven(one, name.slice(0, LONGEST))]));
  const nearest = valid.toSorted((a, b) => (near.get(a) ?? 0) - (near.get(b) ?? 0)).slice(0, NEAREST);
  return `make help-all, such as ${nearest.join(', ')}`;
}

/** Sets the words in the environment and checks variables that are paths. @throws {Ending} */
export function takeWords(command: string, words: readonly string[]) {
  const { env } = process;
  Object.assign(env, readWords(command, words));
  takePlaces();
  takeCommand();
  for (const name of ['TARGET_CERT', 'TARGET_KEY', 'TARGET_CA', 'OAUTH_CLIENT_KEY'])
    existingFile(name, 'the path of a PEM file');
  readVariables({ ...runs, ...ofCommand[command] }, env);
  const secrets = env.SECRET_SOURCE ?? '';
  const valid = 'valid: file= and the path of a file with NAME=value lines';
  // Other secret sources of k6 would show their secrets in the process list.
  if (secrets !== '' && !/^file=./.test(secrets))
    throw usage(`SECRET_SOURCE is invalid (value not shown); ${valid}`);
  if (secrets !== '' && !isReadable(secrets.slice('file='.length)))
    throw usage(`SECRET_SOURCE is "${quotable(secrets)}", which cannot be read; ${valid}`);
}

/** Sets TARGET_URL for a server given by TARGET_COMMAND. @throws {Ending} */
function takeCommand() {
  const { env } = process;
  if (!env.TARGET_COMMAND) return;
  const { TARGET_COMMAND: words } = readVariables({ TARGET_COMMAND: target.TARGET_COMMAND }, env);
  if (env.TARGET_URL) throw usage('set only one of TARGET_URL and TARGET_COMMAND');
  if (words) env.TARGET_URL = stdioUrl(words);
}

/**
 * Makes the path in a variable absolute, because k6 resolves paths relative to its script.
 *
 * @throws {Ending}
 */
export function existingFile(name: string, valid: string) {
  const path = process.env[name];
  if (!path) return;
  if (!isReadable(path) || !statSync(path).isFile())
    throw usage(`${name} is "${quotable(path)}", which cannot be read; valid: ${valid}`);
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

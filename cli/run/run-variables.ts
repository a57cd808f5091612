/** The variables of a run as stored in its results, so that the run can be repeated. */
import { relative } from 'node:path';
import { cleanText, secretsOf } from '../../analysis/clean-text.ts';
import { hasSecret, isProgram, mentionsSecret, splitCommand } from '../../contract/command-line.js';
import { ofCommand } from '../../contract/variables.js';
import { VARIABLES as ofTarget } from '../../target/config.js';
import { ROOT } from '../stack.ts';

/** By name; null = the value is not stored: a secret or, for example, a URL with a query. */
export type RunVariables = Record<string, string | null>;

/** Not repeated: TESTID already exists, and DRY_RUN only shows a plan. */
const NOT_REPEATED = ['TESTID', 'DRY_RUN'];
const SHELL_COMMANDS = ['SERVER_COMMAND', 'RESTART_COMMAND'];
/** A query string may contain a key. */
const HAS_QUERY = /:\/\/\S*\?/;

/** @param env including the command's NAME=value words */
export function runVariables(env: NodeJS.ProcessEnv): RunVariables {
  const secrets = secretsOf(env);
  const kept = (value: string) =>
    cleanText(value, secrets) === value && !HAS_QUERY.test(value) ? value : null;
  const ofRun = Object.entries(ofCommand.run ?? {}).map(([name, { secret }]) => ({ name, secret }));
  const settings = Object.entries(ofTarget).flatMap(([name, variable]) =>
    'about' in variable ? [{ name, secret: undefined }] : [],
  );
  return Object.fromEntries(
    [...ofRun, ...settings].flatMap(({ name, secret }) => {
      const value = env[name];
      if (!value || NOT_REPEATED.includes(name) || isProgram(value)) return [];
      if (name === 'TARGET_COMMAND' && hasSecret(splitCommand(value) ?? [])) return [[name, null]];
      if (SHELL_COMMANDS.includes(name) && mentionsSecret(value)) return [[name, null]];
      return [[name, secret ? null : kept(ofProject(value))]];
    }),
  );
}

/** A path relative to the project, because a container has the project elsewhere. */
const ofProject = (value: string) => (value.startsWith(`${ROOT}/`) ? relative(ROOT, value) : value);

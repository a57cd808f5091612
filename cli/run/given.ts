/** The variables that a run was given, as its results keep them: by them it can be repeated. */
import { relative } from 'node:path';
import { cleanText, secretsOf } from '../../analysis/clean-text.ts';
import { hasSecret, isProgram, mentionsSecret, splitCommand } from '../../contract/command-line.js';
import { ofCommand } from '../../contract/variables.js';
import { VARIABLES as ofTarget } from '../../target/config.js';
import { ROOT } from '../stack.ts';

/** By name; null: its value is a secret, or nothing that a result keeps, such as a URL's query. */
export type Given = Record<string, string | null>;

/** A name that exists, and what makes a run a plan. */
const NOT_REPEATED = ['TESTID', 'DRY_RUN'];
/** A query string may hold a key. */
const HAS_QUERY = /:\/\/\S*\?/;

/** @param env with all words taken */
export function givenVariables(env: NodeJS.ProcessEnv): Given {
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
      if (name === 'SERVER_COMMAND' && mentionsSecret(value)) return [[name, null]];
      return [[name, secret ? null : kept(ofProject(value))]];
    }),
  );
}

/** A path in this project as make takes it, wherever the project is: a container has it elsewhere. */
const ofProject = (value: string) => (value.startsWith(`${ROOT}/`) ? relative(ROOT, value) : value);

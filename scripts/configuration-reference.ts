/** The tables of docs/configuration.md: every variable, from where it is read. */
import { readFileSync } from 'node:fs';
import { variables as ofExperiments } from '../experiments/variables.js';
import { variables as ofTests } from '../lib/config.js';
import type { Variable } from '../lib/variable.js';
import { variables as ofPipelines } from '../pipeline/variables.js';
import { VARIABLES as ofTarget } from '../target/config.js';
import { code, table } from './markdown-table.ts';
import type { Tables } from './reference.ts';

const declared = (variables: Record<string, Variable<unknown>>) =>
  table(
    ['variable', 'default', 'what it does', 'valid'],
    Object.entries(variables).map(([name, { default: value, help, valid }]) => [
      code(name),
      code(value),
      help,
      valid,
    ]),
  );

/**
 * What the scripts read, as `make help-all` prints it: a heading, then two blanks, names, two blanks or more, a line of text,
 * its continuation further in; the default in brackets at the end.
 * A list a heading; the first has none of its own.
 */
export function scriptVariables(): { names: string[]; about: string; value: string }[][] {
  const text = readFileSync(new URL('variables.txt', import.meta.url), 'utf8');
  return text
    .replaceAll(/\n {10,}/g, ' ')
    .split('\n\n')
    .map((group) =>
      [...group.matchAll(/^ {2}([A-Z_, ]*[A-Z]) {2,}(.*?)(?: \[([^\]]*)\])?$/gm)].map(
        ([, names = '', about = '', value = '']) => ({ names: names.split(', '), about, value }),
      ),
    );
}

export function configurationTables(): Tables {
  const [test = [], comparing = [], others = [], stack = []] = scriptVariables().map((group) =>
    group.map(({ names, about, value }) => [names.map(code).join(', '), value, about]),
  );
  const head = ['variable', 'default', 'what it does'];
  return {
    tests: declared(ofTests),
    runs: table(head, test),
    experiments: declared(ofExperiments),
    comparing: table(head, comparing),
    others: table(head, others),
    stack: table(head, stack),
    pipelines: declared(ofPipelines),
    target: table(
      ['variable', 'default', 'what it does', 'valid'],
      Object.entries(ofTarget).flatMap(([name, { about, fallback, valid }]) =>
        about ? [[code(name), code(fallback ?? ''), about, valid]] : [],
      ),
    ),
  };
}

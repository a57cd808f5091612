/** The output of `make help-all`: all targets with their descriptions, and all variables with their defaults. */
import { readFileSync } from 'node:fs';
import { groups, type Variables } from '../contract/variables.js';
import { VARIABLES as ofTarget } from '../target/config.js';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

/** A line of the list, with the default in brackets. */
const line = (name: string, about: string, value?: string) =>
  `  ${name.padEnd(24)}${about}${value ? ` [${value}]` : ''}`;

const declared = (variables: Variables) =>
  Object.entries(variables).map(([name, { default: value, help }]) => line(name, help, value));

export function helpText(): string {
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
    ...groups.flatMap(([title, variables]) => ['', title, ...declared(variables)]),
    '',
    'Settings of the reference target: a running one is restarted with them; what is not set stays as it is, and WORKERS=default takes it back',
    ...settings,
    '',
  ].join('\n');
}

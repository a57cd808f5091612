/** The tables of docs/configuration.md: all variables, generated from their declarations. */
import { validOf } from '../contract/variable.js';
import { groups } from '../contract/variables.js';
import { VARIABLES as ofTarget } from '../target/config.js';
import { code, table } from './markdown-table.ts';
import type { Tables } from './reference.ts';

const HEAD = ['variable', 'default', 'description', 'valid values'];

export function configurationTables(): Tables {
  const tables = groups.map(([, variables], index) => {
    const rows = Object.entries(variables).map(([name, variable]) => [
      code(name),
      code(variable.default ?? ''),
      variable.help,
      validOf(variable),
    ]);
    return [`group_${index + 1}`, table(HEAD, rows)];
  });
  const settings = Object.entries(ofTarget).flatMap(([name, { about, fallback, valid }]) =>
    about ? [[code(name), code(fallback ?? ''), about, valid]] : [],
  );
  return { ...Object.fromEntries(tables), target: table(HEAD, settings) };
}

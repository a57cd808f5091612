/** The tables of docs/limits.md, generated from the values and comments in analysis/limits.ts. */
import { readFileSync } from 'node:fs';
import { RULES } from '../analysis/findings/drift-rules.ts';
import * as limits from '../analysis/limits.ts';
import { number, percent } from '../contract/units.js';
import { code, table } from './markdown-table.ts';
import type { Tables } from './reference.ts';

/**
 * @returns `limits`: a heading and a table per section
 * @throws if a section or a limit has no comment
 */
export function limitTables(): Tables {
  const source = readFileSync(new URL('../analysis/limits.ts', import.meta.url), 'utf8');
  const start = (section: string) => source.indexOf(`export const ${section} =`);
  const inOrder = Object.entries(limits).toSorted(([a], [b]) => start(a) - start(b));
  const sections = inOrder.map(([section, values]) => {
    const [before = '', after = ''] = source.split(`export const ${section} = {`);
    const heading = /\/\*\* (.*) \*\/\n$/.exec(before)?.[1];
    if (!heading) throw new Error(`analysis/limits.ts: ${section} has no comment`);
    const text = after.split('\n};')[0] ?? '';
    const rows = Object.entries(values).map(([name, value]) => [
      code(name),
      textOf(value),
      about(text, name),
    ]);
    return `## ${heading}\n\n${table(['limit', 'value', 'description'], rows)}`;
  });
  return { limits: sections.join('\n\n'), drift: driftTable() };
}

function driftTable(): string {
  const rows = RULES.map(({ kind, subject, series, worse, limit, least: { share, growth } }) => [
    kind === 'note' ? `${subject} (a note)` : subject,
    `${code(series)}${worse < 0 ? ', falling' : ''}`,
    [...(growth ? [number(growth)] : []), ...(share ? [percent(share)] : [])].join(' and '),
    limit === null
      ? 'none'
      : 'ratio' in limit
        ? code(limit.ratio)
        : "the machine's free memory (`host_memory`)",
  ]);
  return table(['subject', 'series', 'minimum change', 'limit'], rows);
}

const textOf = (value: number): string => (value < 0.001 ? value.toExponential() : number(value, 3));

function about(text: string, name: string): string {
  const comment = new RegExp(`/\\*\\* ([^]*?) \\*/\\n {2}${name}:`).exec(text)?.[1]?.split('/** ').at(-1);
  if (!comment) throw new Error(`analysis/limits.ts: ${name} has no comment`);
  return comment;
}

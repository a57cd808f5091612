import { styleText } from 'node:util';
import { counted } from '../../contract/units.js';
import { cut, foldHead, grid, WIDTH, wrap } from '../render/layout.ts';
import type { Comparison } from './comparison.ts';
import { metricTable } from './tables.ts';

const MAX_CELL = 44;
/** Maximum number of rejected runs in the output. */
const MAX_REFUSED = 6;

const COLOUR: Record<Comparison['verdict']['outcome'], 'green' | 'red' | 'yellow'> = {
  pass: 'green',
  fail: 'red',
  invalid: 'yellow',
};

/** @returns lines of up to 100 columns, not counting colours */
export function renderTerminal(
  comparison: Comparison,
  { directory, colours }: { directory: string; colours: boolean },
): string {
  const { conditions, base, head, notes, verdict } = comparison;
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    colours ? styleText(style, text, { validateStream: false }) : text;
  const { title, head: names, rows } = metricTable(comparison, ['p', 'min. change']);
  const refused = [...base.refused, ...head.refused];
  const [first = '', ...others] = names;
  const heads = [`${title.toUpperCase()} ${first}`, ...others];
  const drawn = [1, 2, 3].map((maxLines) => grid([foldHead(heads, maxLines), ...rows], MAX_CELL));
  const table = drawn.find((lines) => lines.every(({ length }) => length <= WIDTH)) ?? drawn.at(-1) ?? [];
  const blocks = [
    [
      paint(
        'bold',
        cut(
          conditions ? `comparison of ${conditions.test}, profile ${conditions.profile}` : 'comparison',
          WIDTH,
        ),
      ),
      ...wrap(`${base.given} (${counted(base.runs.length, 'run')})`, 'base  '),
      ...wrap(`${head.given} (${counted(head.runs.length, 'run')})`, 'head  '),
    ],
    refused.length > 0
      ? [
          paint('bold', 'REFUSED'),
          ...refused
            .slice(0, MAX_REFUSED)
            .flatMap(({ testid, reason }) => wrap(`${testid}: ${reason}`, '- ')),
          ...(refused.length > MAX_REFUSED
            ? [`- ${refused.length - MAX_REFUSED} more in comparison.md`]
            : []),
        ]
      : [],
    rows.length > 0 ? table.map((line) => tint(cut(line, WIDTH), paint)) : [],
    notes.length > 0 ? [paint('bold', 'NOTES'), ...notes.flatMap((note) => wrap(note, '- '))] : [],
    [
      paint(
        'bold',
        paint(COLOUR[verdict.outcome], `VERDICT ${verdict.outcome} (exit code ${verdict.exit_code})`),
      ),
      ...verdict.reasons.flatMap((reason) => wrap(reason, '- ')),
      `results: ${directory}`,
    ],
  ];
  return `${blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join('\n'))
    .join('\n\n')}\n`;
}

function tint(line: string, paint: (style: 'red' | 'green', text: string) => string) {
  if (/\bworse$/.test(line)) return paint('red', line);
  return /\bbetter$/.test(line) ? paint('green', line) : line;
}

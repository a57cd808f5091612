/** Suggests commands to run after a run. */

import type { Command } from '../command-line.ts';
import type { Run } from '../judge/run.ts';
import { repeatCommands } from './repeat.ts';

/** Columns before a command. */
const INDENT = 10;

/**
 * @param directory directory of the run's results
 * @param width maximum length of a line, except for longer words
 * @param grafana whether the stack has Grafana
 * @returns commands that show the run, repeat it, and compare both
 */
export function nextCommands(run: Run, directory: string, width: number, grafana = false): string[] {
  const viewer = grafana ? 'make dashboards' : 'make live';
  const page = `see it:   ${directory}/report.html, or ${viewer}`;
  return [
    page.length <= width ? page : `see it:   report.html in that folder, or ${viewer}`,
    ...repeatCommands(run).flatMap((command) => commandLines(command, width)),
    ...compareLines(run, width),
  ];
}

/** @returns [] if the run is not comparable */
function compareLines({ testid, verdict: { outcome } }: Run, width: number): string[] {
  if (outcome !== 'pass' && outcome !== 'fail') return [];
  const words = ['make', 'compare', `BASE=${testid}`, 'HEAD=latest'];
  if (outcome === 'fail') words.push('INCLUDE_FAILED=1');
  return commandLines({ label: 'compare', words, comment: '' }, width);
}

/** @returns a command for a shell: continued lines end with a backslash, and the comment is at the end */
function commandLines({ label, words, comment }: Command, width: number): string[] {
  const [first = '', ...others] = words;
  const lines = [`${label}:`.padEnd(INDENT) + first];
  for (const word of others) {
    const line = lines.at(-1) ?? '';
    if (line.length + word.length + ' '.length + ' \\'.length <= width)
      lines[lines.length - 1] = `${line} ${word}`;
    else {
      lines[lines.length - 1] = `${line} \\`;
      lines.push(' '.repeat(INDENT) + word);
    }
  }
  if (comment === '') return lines;
  const last = `${lines.at(-1)}  # ${comment}`;
  return last.length <= width
    ? [...lines.slice(0, -1), last]
    : [...lines, `${' '.repeat(INDENT)}# ${comment}`];
}

/** A terminal of its own for a command, as a person has it: tests/docker/terminal.py. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** @param {string[]} options of terminal.py @returns {string[]} the words in front of a command that gets a terminal */
export const inTerminal = (...options) => [
  // The interpreter itself: on this PATH there is no bash for a shim of pyenv's.
  execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim(),
  join(process.cwd(), 'tests/docker/terminal.py'),
  ...options,
];

/** @param {string} output of terminal.py @returns {{code: number, cpu_s: number}} */
export const terminalResult = (output) => JSON.parse(output.trim().split('\n').at(-1) ?? '');

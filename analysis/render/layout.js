/** Lines and columns of text for a terminal. */
import Table from 'cli-table3';

export const WIDTH = 100;

/** @param {string} text @param {number} max */
export function cut(text, max) {
  const characters = [...text];
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`;
}

/**
 * @param {string[][]} rows
 * @param {number} maxCell
 * @param {number} [gap] between columns
 * @returns {string[]} lines with aligned columns, text to the left and figures to the right; as wide as they get
 */
export function grid(rows, maxCell, gap = 2) {
  const columns = Math.max(...rows.map((row) => row.length));
  const table = new Table({
    chars: BORDERLESS,
    style: { 'padding-left': 0, 'padding-right': gap, head: [], border: [], compact: true },
    colAligns: Array.from({ length: columns }, (_, index) => {
      const cells = rows.slice(1).map((row) => row[index] ?? '-');
      return index > 0 && cells.every((cell) => FIGURE.test(cell)) ? 'right' : 'left';
    }),
  });
  for (const row of rows) {
    // A line about left-out rows is text of its own, not a cell to align the others with.
    table.push(
      row.length === 1
        ? [{ content: row[0] ?? '', colSpan: columns }]
        : row.map((cell) => cut(cell, maxCell)),
    );
  }
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
}

/** A figure with its unit, a length of time, or none: 12.3, 1,234/s, 45 ms, 2 min 10 s, - */
const FIGURE = /^(-?|[\d.,]+(\/s|( \S+){1,3})?)$/;

const BORDERLESS = Object.fromEntries(
  [
    'top',
    'top-mid',
    'top-left',
    'top-right',
    'bottom',
    'bottom-mid',
    'bottom-left',
    'bottom-right',
    'left',
    'left-mid',
    'mid',
    'mid-mid',
    'right',
    'right-mid',
    'middle',
  ].map((name) => [name, '']),
);

/** @param {string} text @param {string} bullet @returns {string[]} lines within the width, the later ones indented */
export function wrap(text, bullet) {
  const room = WIDTH - bullet.length;
  /** @type {string[]} */
  const lines = [''];
  for (const word of text.split(' ').map((part) => cut(part, room))) {
    const last = lines.at(-1) ?? '';
    if (last === '') lines[lines.length - 1] = word;
    else if (last.length + 1 + word.length <= room) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.map((line, index) => `${index === 0 ? bullet : ' '.repeat(bullet.length)}${line}`);
}

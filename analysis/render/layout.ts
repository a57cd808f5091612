/** Lays out lines and columns of text for a terminal. */
import Table from 'cli-table3';

export const WIDTH = 100;

export function cut(text: string, max: number) {
  const characters = [...text];
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`;
}

/**
 * @returns lines with aligned columns, text to the left and figures to the right, without a limit on their
 *   width
 */
export function grid(rows: string[][], maxCell: number): string[] {
  const columns = Math.max(...rows.map((row) => row.length));
  const table = new Table({
    chars: BORDERLESS,
    style: { 'padding-left': 0, 'padding-right': 2, head: [], border: [], compact: true },
    colAligns: Array.from({ length: columns }, (_, index) => {
      const cells = rows.slice(1).map((row) => row[index] ?? '-');
      return index > 0 && cells.every((cell) => FIGURE.test(cell)) ? 'right' : 'left';
    }),
  });
  for (const row of rows) {
    // A row with a single cell, such as the number of omitted rows, does not affect the columns.
    table.push(
      row.length === 1
        ? [{ content: row[0] ?? '', colSpan: columns }]
        : row.map((cell) => ({ content: cut(cell, maxCell), vAlign: 'bottom' })),
    );
  }
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
}

/** A figure with its unit, a duration, or a missing value: 12.3, 1,234/s, 45 ms, 2 min 10 s, - */
const FIGURE = /^(-?|[\d.,]+(\/s|( \S+){1,3})?)$/;

/** Options of cli-table3 for a table without borders. */
export const BORDERLESS = Object.fromEntries(
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

/**
 * @param maxLines maximum number of lines per cell
 * @returns the head, with each cell as narrow as this number of lines allows
 */
export function foldHead(head: string[], maxLines: number): string[] {
  return head.map((cell) => {
    let width = Math.max(...cell.split(' ').map(({ length }) => length));
    while (lines(cell, width).length > maxLines) width += 1;
    return lines(cell, width).join('\n');
  });
}

/** @returns lines within the width, with a hanging indent */
export function wrap(text: string, bullet: string): string[] {
  return lines(text, WIDTH - bullet.length).map(
    (line, index) => `${index === 0 ? bullet : ' '.repeat(bullet.length)}${line}`,
  );
}

/** @returns the text wrapped between words; longer words are truncated */
function lines(text: string, maxLength: number): string[] {
  const broken = [''];
  for (const word of text.split(' ').map((part) => cut(part, maxLength))) {
    const last = broken.at(-1) ?? '';
    if (last === '') broken[broken.length - 1] = word;
    else if (last.length + 1 + word.length <= maxLength) broken[broken.length - 1] = `${last} ${word}`;
    else broken.push(word);
  }
  return broken;
}

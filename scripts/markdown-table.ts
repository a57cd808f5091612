const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ');

export const row = (...cells: string[]) => `| ${cells.map(cell).join(' | ')} |`;

export const table = (head: string[], rows: string[][]) =>
  [row(...head), `|${'---|'.repeat(head.length)}`, ...rows.map((cells) => row(...cells))].join('\n');

/** Formats the text as code; an empty text stays empty. */
export const code = (text: string) => (text === '' ? '' : `\`${text}\``);

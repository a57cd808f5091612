/** Tables in Markdown. */

/** @param {string} text */
const cell = (text) => text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ');

/** @param {string[]} cells @returns {string} */
export const row = (...cells) => `| ${cells.map(cell).join(' | ')} |`;

/**
 * @param {string[]} head
 * @param {string[][]} rows
 * @returns {string}
 */
export const table = (head, rows) =>
  [row(...head), `|${'---|'.repeat(head.length)}`, ...rows.map((cells) => row(...cells))].join('\n');

/** @param {string} text @returns {string} as code; nothing where there is none */
export const code = (text) => (text === '' ? '' : `\`${text}\``);

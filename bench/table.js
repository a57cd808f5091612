import Table from 'cli-table3';

/**
 * @param {string[]} head
 * @param {string[][]} rows
 */
export function printTable(head, rows) {
  const table = new Table({ head, style: { head: [], border: [], compact: true } });
  table.push(...rows);
  console.log(table.toString());
}

/** @param {boolean} holds */
export const verdict = (holds) => (holds ? 'ok' : 'over');

/**
 * @param {{median: number, min: number, max: number}} spread
 * @param {number} digits
 */
export const spreadText = ({ median, min, max }, digits) =>
  `${median.toFixed(digits)} (${min.toFixed(digits)}..${max.toFixed(digits)})`;
